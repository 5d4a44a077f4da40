/** Validates bodies by JSON Schema. Loaded where a scenario has such a check: ajv takes as long to load as a small run. */

import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { BodyProblem, ValidateSchema } from '../../check/observation.ts';
import { isObject } from '../../json/json-object.ts';
import { compilePattern } from '../../pattern/pattern.ts';

type Compiled =
  | { readonly validate: ValidateFunction; readonly collectsAll: boolean }
  | { readonly problem: BodyProblem };

/** Schemas of one run, and of its cases and repetitions. */
const maxCompiled = 20;
const maxMessageLength = 400;

/** Patterns are linear in time, whatever the schema and the body. */
const regExp = Object.assign(
  (source: string) => {
    const compiled = compilePattern(source);
    if ('problem' in compiled) throw new Error(`the pattern ${source} cannot be used: ${compiled.problem}`);
    const { pattern } = compiled;
    // ajv takes patterns with the same string form for the same one.
    return { test: (text: string) => pattern.test(text), toString: () => source };
  },
  { code: 'compileRe2' },
);

function parseSchema(text: string): AnySchema {
  const schema: AnySchema = JSON.parse(text);
  // Earlier drafts differ in little that a schema of a body has; ajv would look for their meta-schemas.
  if (isObject(schema) && typeof schema.$schema === 'string' && !schema.$schema.includes('2020-12')) {
    const { $schema: _draft, ...rest } = schema;
    return rest;
  }
  return schema;
}

/**
 * Stops at the first problem, because a malformed body may have millions. The code for that is nested as deep as a schema has
 * properties, too deep for a schema of thousands: that one is compiled to collect all problems. Without ajv's own optimization of
 * the code: it takes four times as long to compile a large schema, and the code is no faster.
 */
function compile(text: string, allErrors = false): Compiled {
  // `strict` would refuse keywords of OpenAPI, such as `example`.
  const ajv = new Ajv2020({ strict: false, logger: false, allErrors, code: { regExp, optimize: false } });
  addFormats.default(ajv);
  try {
    const validate = ajv.compile(parseSchema(text));
    // A keyword of ajv: the function would return a promise, which is true of every body.
    if ('$async' in validate) throw new Error('it has `$async`, which is no keyword of JSON Schema');
    return { validate, collectsAll: allErrors };
  } catch (error) {
    if (error instanceof RangeError && !allErrors) return compile(text, true);
    const reason = error instanceof Error ? error.message : String(error);
    const message = `the schema cannot be used: ${reason.slice(0, maxMessageLength)}`;
    return { problem: { pointer: undefined, message } };
  }
}

/** Compiles each schema once. The first problem of a body is returned. */
export function createSchemaValidator(): ValidateSchema {
  const compiled = new Map<string, Compiled>();
  return (schema, value) => {
    const store = (entry: Compiled): Compiled => {
      const [oldest] = compiled.keys();
      if (compiled.size >= maxCompiled && oldest !== undefined) compiled.delete(oldest);
      compiled.set(schema, entry);
      return entry;
    };
    let entry = compiled.get(schema) ?? store(compile(schema));
    if ('problem' in entry) return entry.problem;
    try {
      if (entry.validate(value)) return undefined;
    } catch (error) {
      // V8 reads the code of a function at its first call, and may find it too deep only then.
      if (!(error instanceof RangeError) || entry.collectsAll) throw error;
      entry = store(compile(schema, true));
      if ('problem' in entry) return entry.problem;
      if (entry.validate(value)) return undefined;
    }
    const [first] = entry.validate.errors ?? [];
    const detail = first?.keyword === 'additionalProperties' ? `: \`${first.params.additionalProperty}\`` : '';
    const isRefused = first?.keyword === 'false schema';
    const message = isRefused ? 'must not be there' : `${first?.message ?? 'is not valid'}${detail}`;
    return { pointer: first?.instancePath ?? '', message: message.slice(0, maxMessageLength) };
  };
}
