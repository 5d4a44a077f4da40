/**
 * JSON Schemas that owners of a hub write and every call is validated against. All hubs share this process, so only
 * schemas with bounded cost are accepted (size of the schema times size of the arguments): no references, no
 * `uniqueItems`, and only patterns that run in linear time.
 */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { vpError } from '../../errors/vp-error.ts';
import { isObject } from '../../json/json-object.ts';
import { compilePattern } from '../../pattern/pattern.ts';

/** Returns undefined for valid arguments, otherwise the error. */
export type ArgumentCheck = (value: unknown) => string | undefined;

const limits = { textLength: 16_384, depth: 16 } as const;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const nestedKeywords = {
  single: new Set(['items', 'additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else']),
  list: new Set(['prefixItems', 'allOf', 'anyOf', 'oneOf']),
  byName: new Set(['properties', 'patternProperties', 'dependentSchemas']),
};
const simpleKeywords = new Set(
  `type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems
  maxItems minContains maxContains minProperties maxProperties required dependentRequired title description default
  examples $comment deprecated readOnly writeOnly $schema`.split(/\s+/),
);

function throwInvalid(where: string, problem: string): never {
  throw vpError('POLICY_INVALID', { where, problem });
}

function assertPattern(where: string, source: unknown): void {
  if (typeof source !== 'string') throwInvalid(where, 'is not a string');
  const result = compilePattern(source);
  if ('problem' in result) throwInvalid(where, result.problem);
}

/** Throws POLICY_INVALID for keywords that are not listed above. */
function assertBounded(schema: unknown, where: string, depth: number): void {
  if (typeof schema === 'boolean') return;
  if (!isObject(schema)) throwInvalid(where, 'is not a schema');
  if (depth > limits.depth) throwInvalid(where, `is nested more than ${limits.depth} deep`);
  for (const [keyword, value] of Object.entries(schema)) assertKeyword(keyword, value, `${where}/${keyword}`, depth);
}

function assertKeyword(keyword: string, value: unknown, where: string, depth: number): void {
  if (keyword === 'pattern') assertPattern(where, value);
  else if (nestedKeywords.single.has(keyword)) assertBounded(value, where, depth + 1);
  else if (nestedKeywords.list.has(keyword) && Array.isArray(value)) assertEach(Object.entries(value), where, depth);
  else if (nestedKeywords.byName.has(keyword) && isObject(value)) {
    if (keyword === 'patternProperties') for (const name of Object.keys(value)) assertPattern(`${where}/${name}`, name);
    assertEach(Object.entries(value), where, depth);
  } else if (!simpleKeywords.has(keyword)) throwInvalid(where, 'is not allowed here, or has the wrong type');
}

function assertEach(entries: readonly (readonly [string, unknown])[], where: string, depth: number): void {
  for (const [name, subschema] of entries) assertBounded(subschema, `${where}/${name}`, depth + 1);
}

/** The runtime's regular expressions can hang. The validator compares patterns by their text. */
function linearPattern(source: string): { test(text: string): boolean; toString(): string } {
  const result = compilePattern(source);
  if ('problem' in result) throw new Error(result.problem);
  const { pattern } = result;
  return { test: (text) => pattern.test(text), toString: () => source };
}
const regExpEngine = Object.assign(linearPattern, { code: 'linearPattern' });

/** `where` is the path in the policy. Throws POLICY_INVALID. */
export function compileArgumentSchema(schema: Readonly<Record<string, unknown>>, where: string): ArgumentCheck {
  if (JSON.stringify(schema).length > limits.textLength)
    throwInvalid(where, `is longer than ${limits.textLength} characters`);
  assertBounded(schema, where, 0);
  const ajv = new Ajv2020({ strict: false, code: { regExp: regExpEngine, optimize: false }, logger: false });
  try {
    const validate = ajv.compile(schema);
    return (value) => (validate(value) ? undefined : formatValidationError(validate.errors?.[0]));
  } catch (error) {
    return throwInvalid(where, error instanceof Error ? error.message : String(error));
  }
}

function formatValidationError(error: { instancePath: string; message?: string } | undefined): string {
  return `${(error?.instancePath || 'the arguments').slice(0, 200)} ${error?.message ?? 'are not allowed'}`;
}
