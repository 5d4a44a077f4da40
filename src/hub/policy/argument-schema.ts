/**
 * JSON Schemas that a hub's owner writes and every call is held against. All hubs share this process, so a schema may only
 * hold what takes time in the size of the schema times the size of the arguments: no references, no comparing of every
 * item with every other, and patterns that are linear in time.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { vpError } from '../../errors/vp-error.ts';
import { compilePattern } from '../../pattern/pattern.ts';

/** Whether arguments fit; otherwise where they do not. */
export type ArgumentCheck = (value: unknown) => string | undefined;

const most = { textLength: 16_384, depth: 16 } as const;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const nested = {
  one: new Set(['items', 'additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else']),
  list: new Set(['prefixItems', 'allOf', 'anyOf', 'oneOf']),
  byName: new Set(['properties', 'patternProperties', 'dependentSchemas']),
};
const plain = new Set(
  `type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems
  maxItems minContains maxContains minProperties maxProperties required dependentRequired title description default
  examples $comment deprecated readOnly writeOnly $schema`.split(/\s+/),
);

function refuse(where: string, problem: string): never {
  throw vpError('POLICY_INVALID', { where, problem });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function demandPattern(where: string, source: unknown): void {
  if (typeof source !== 'string') refuse(where, 'is not a text');
  const result = compilePattern(source);
  if ('problem' in result) refuse(where, result.problem);
}

/** Throws POLICY_INVALID for anything that is not in the tables above. */
function demandBounded(schema: unknown, where: string, depth: number): void {
  if (typeof schema === 'boolean') return;
  if (!isObject(schema)) refuse(where, 'is not a schema');
  if (depth > most.depth) refuse(where, `is nested more than ${most.depth} deep`);
  for (const [keyword, value] of Object.entries(schema)) demandKeyword(keyword, value, `${where}/${keyword}`, depth);
}

function demandKeyword(keyword: string, value: unknown, where: string, depth: number): void {
  if (keyword === 'pattern') demandPattern(where, value);
  else if (nested.one.has(keyword)) demandBounded(value, where, depth + 1);
  else if (nested.list.has(keyword) && Array.isArray(value)) demandEach(Object.entries(value), where, depth);
  else if (nested.byName.has(keyword) && isObject(value)) {
    if (keyword === 'patternProperties') for (const name of Object.keys(value)) demandPattern(`${where}/${name}`, name);
    demandEach(Object.entries(value), where, depth);
  } else if (!plain.has(keyword)) refuse(where, 'is not allowed here, or has the wrong shape');
}

function demandEach(parts: readonly (readonly [string, unknown])[], where: string, depth: number): void {
  for (const [name, part] of parts) demandBounded(part, `${where}/${name}`, depth + 1);
}

/** The runtime's own regular expressions can be made to hang. The validator tells patterns apart by their text. */
function linearPattern(source: string): { test(text: string): boolean; toString(): string } {
  const result = compilePattern(source);
  if ('problem' in result) throw new Error(result.problem);
  const { pattern } = result;
  return { test: (text) => pattern.test(text), toString: () => source };
}
const engine = Object.assign(linearPattern, { code: 'linearPattern' });

/** Compiles a schema; `where` is its place in the policy. Throws POLICY_INVALID. */
export function compileArgumentSchema(schema: Readonly<Record<string, unknown>>, where: string): ArgumentCheck {
  if (JSON.stringify(schema).length > most.textLength) refuse(where, `is longer than ${most.textLength} characters`);
  demandBounded(schema, where, 0);
  const ajv = new Ajv2020({ strict: false, code: { regExp: engine }, logger: false });
  try {
    const validate = ajv.compile(schema);
    return (value) => (validate(value) ? undefined : faultOf(validate.errors?.[0]));
  } catch (error) {
    return refuse(where, error instanceof Error ? error.message : String(error));
  }
}

function faultOf(fault: { instancePath: string; message?: string } | undefined): string {
  return `${(fault?.instancePath || 'the arguments').slice(0, 200)} ${fault?.message ?? 'are not allowed'}`;
}
