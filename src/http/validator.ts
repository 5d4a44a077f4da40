/** Schemas as checks, compiled by ajv at their first use. */
import type { TSchema } from '@sinclair/typebox';
import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { draft2020 } from './draft-2020.ts';
import { faultsOf, type SchemaFault } from './schema-faults.ts';

/** A compiled schema. */
export type Validator<T> = {
  /** Stops at the first fault. */
  accepts(value: unknown): value is T;
  /** Every fault of a value that was not accepted; only the first where `many` is false. */
  faults(value: unknown, many: boolean): readonly SchemaFault[];
};

const options: Options = { strict: true, strictTuples: false, validateSchema: false, messages: true };

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function engine(extra: Options): Ajv2020 {
  const ajv = new Ajv2020({ ...options, ...extra });
  addFormats.default(ajv, ['date-time']);
  return ajv;
}

const engines = {
  exact: { first: lazily(() => engine({})), all: lazily(() => engine({ allErrors: true })) },
  text: {
    first: lazily(() => engine({ coerceTypes: true })),
    all: lazily(() => engine({ coerceTypes: true, allErrors: true })),
  },
};

/**
 * The check of `schema`. `text`: values arrive as text (path, query, headers), so that numbers and booleans are made of
 * them in place.
 */
export function validatorOf<T>(schema: TSchema, values: 'exact' | 'text' = 'exact'): Validator<T> {
  const { first, all } = engines[values];
  const quick = lazily(() => first().compile<T>(draft2020(schema)));
  const thorough = lazily(() => all().compile<T>(draft2020(schema)));
  const errorsBy = (check: ReturnType<typeof quick>, value: unknown): readonly ErrorObject[] => {
    check(value);
    return check.errors ?? [];
  };
  return {
    accepts: (value): value is T => quick()(value),
    // Telling all faults of 12 MB of nonsense would take more memory than the nonsense itself.
    faults: (value, many) => faultsOf(errorsBy(many ? thorough() : quick(), value)),
  };
}
