/** Schemas as checks, compiled by ajv at their first use. */
import type { TSchema } from '@sinclair/typebox';
import { Ajv2020, type Options } from 'ajv/dist/2020.js';
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

function engine(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({ ...options, allErrors });
  addFormats.default(ajv, ['date-time']);
  return ajv;
}

const stopping = lazily(() => engine(false));
const collecting = lazily(() => engine(true));

/** The check of `schema`, whose values are a `T`. */
export function validatorOf<T>(schema: TSchema): Validator<T> {
  const quick = lazily(() => stopping().compile<T>(draft2020(schema)));
  const thorough = lazily(() => collecting().compile<T>(draft2020(schema)));
  return {
    accepts: (value): value is T => quick()(value),
    faults(value, many) {
      // Telling all faults of 12 MB of nonsense would take more memory than the nonsense itself.
      const check = many ? thorough() : quick();
      check(value);
      return faultsOf(check.errors ?? []);
    },
  };
}
