/** Validators of schemas, compiled by ajv at their first use. */
import type { TSchema } from '@sinclair/typebox';
import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { toDraft2020 } from './draft-2020.ts';
import { type SchemaViolation, toSchemaViolations } from './schema-violations.ts';
import { withSharedParts } from './shared-parts.ts';

export type Validator<T> = {
  /** Stops at the first error. */
  isValid(value: unknown): value is T;
  /** Compiles it before its first use. */
  prepare(): void;
  /** All errors of an invalid value; only the first when `collectAll` is false. */
  listViolations(value: unknown, collectAll: boolean): readonly SchemaViolation[];
};

/** Without ajv's own optimization of the code: it takes as long as all other compiling, and the code is no faster. */
const code = { optimize: false };
/** Each part of {@link withSharedParts} stays a function of its own. */
const inlineRefs = false;
const options: Options = { strict: true, strictTuples: false, validateSchema: false, messages: true, inlineRefs, code };

function createLazy<T>(create: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

function createAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({ ...options, allErrors });
  addFormats.default(ajv, ['date-time']);
  return ajv;
}

const getFirstErrorAjv = createLazy(() => createAjv(false));
const getAllErrorsAjv = createLazy(() => createAjv(true));

export function createValidator<T>(schema: TSchema): Validator<T> {
  const compile = (ajv: Ajv2020) => ajv.compile<T>(withSharedParts(toDraft2020(schema)));
  const getFirstErrorCheck = createLazy(() => compile(getFirstErrorAjv()));
  const getAllErrorsCheck = createLazy(() => compile(getAllErrorsAjv()));
  return {
    isValid: (value): value is T => getFirstErrorCheck()(value),
    prepare: () => void getFirstErrorCheck(),
    listViolations(value, collectAll) {
      // Collecting all errors of a malformed body of 12 MB would take more memory than the body.
      const check = collectAll ? getAllErrorsCheck() : getFirstErrorCheck();
      check(value);
      return toSchemaViolations(check.errors ?? []);
    },
  };
}
