/** Validators of schemas, compiled at their first use. */
import { hash } from 'node:crypto';
import type { TSchema } from '@sinclair/typebox';
import { compileSchema } from './compile-schema.ts';
import { type SchemaViolation, toSchemaViolations } from './schema-violations.ts';

export type Validator<T> = {
  /** Stops at the first error. */
  isValid(value: unknown): value is T;
  /** Compiles it before its first use. */
  prepare(): void;
  /** All errors of an invalid value; only the first when `collectAll` is false. */
  listViolations(value: unknown, collectAll: boolean): readonly SchemaViolation[];
};

function createLazy<T>(create: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

/** Those that this process can validate. The build compiles them: see compile-schema.ts. */
export const knownSchemas = new Set<TSchema>();

/** The same for schemas that accept the same values: by it the packed program finds what the build has compiled. */
export function getSchemaKey(schema: TSchema): string {
  return hash('sha256', JSON.stringify(schema), 'base64url');
}

export function createValidator<T>(schema: TSchema): Validator<T> {
  knownSchemas.add(schema);
  const getFirstErrorCheck = createLazy(() => compileSchema<T>(schema, false));
  const getAllErrorsCheck = createLazy(() => compileSchema<T>(schema, true));
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
