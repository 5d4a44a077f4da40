/**
 * Compiles schemas with ajv. In the packed program the build has put those of the sources in this file's place
 * (build-validators.mjs), which takes this one for others, and to collect all errors: there, ajv is loaded only then.
 */
import type { TSchema } from '@sinclair/typebox';
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { toDraft2020 } from './draft-2020.ts';
import { withSharedParts } from './shared-parts.ts';

/** Without ajv's own optimization of the code: it takes as long as all other compiling, and the code is no faster. */
const code = { optimize: false };
/** Each part of {@link withSharedParts} stays a function of its own. */
const inlineRefs = false;
const options: Options = { strict: true, strictTuples: false, validateSchema: false, messages: true, inlineRefs, code };

/** `hasSource`: the functions know their own code. */
export function createAjv(allErrors: boolean, hasSource = false): Ajv2020 {
  const ajv = new Ajv2020({ ...options, code: { ...code, source: hasSource }, allErrors });
  addFormats.default(ajv, ['date-time']);
  return ajv;
}

/** What ajv compiles for a schema. */
export const toCompiledSchema = (schema: TSchema) => withSharedParts(toDraft2020(schema));

const compilers = new Map<boolean, Ajv2020>();

/** A function that accepts values of `schema`, and has the errors of its last call: the first one, or all. */
export function compileSchema<T>(schema: TSchema, allErrors: boolean): ValidateFunction<T> {
  const ajv = compilers.get(allErrors) ?? createAjv(allErrors);
  compilers.set(allErrors, ajv);
  return ajv.compile<T>(toCompiledSchema(schema));
}
