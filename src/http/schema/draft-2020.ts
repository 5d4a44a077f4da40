/** TypeBox writes JSON Schema draft 7; validation and OpenAPI 3.1 use draft 2020-12. This converts between them. */
import type { TSchema } from '@sinclair/typebox';
import { isObject } from '../../json/json-object.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

/** Returns the component name of a schema; undefined to write it inline. */
export type GetSchemaName = (schema: object) => string | undefined;

const noNames: GetSchemaName = () => undefined;

/**
 * `schema` in draft 2020-12: tuples by `prefixItems`, unions of constants as `enum` (one error instead of one per branch).
 * Schemas with a name become references to `#/components/schemas/<name>`.
 */
export function toDraft2020(schema: TSchema, getSchemaName: GetSchemaName = noNames): JsonSchema {
  return convertSchema(schema, getSchemaName);
}

function convertSchema(schema: object, getSchemaName: GetSchemaName): JsonSchema {
  const entries = Object.entries(schema).map(([key, value]) => [key, convertValue(key, value, getSchemaName)] as const);
  const { items, additionalItems, anyOf, ...rest } = Object.fromEntries(entries);
  // `maxItems` already limits a tuple; `items: false` would report the same error twice.
  if (Array.isArray(items) && 'maxItems' in rest) return { ...rest, prefixItems: items };
  if (Array.isArray(items)) return { ...rest, prefixItems: items, items: additionalItems ?? true };
  const constants = anyOf === undefined ? undefined : toEnumSchema(anyOf);
  if (constants) return { ...rest, ...constants };
  return { ...rest, ...(items === undefined ? {} : { items }), ...(anyOf === undefined ? {} : { anyOf }) };
}

/** Keywords whose value maps names to schemas, so that a property may be called `enum` or `items`. */
const schemaMapKeywords = new Set(['properties', 'patternProperties', '$defs']);
/** Keywords whose value is data. */
export const dataKeywords = new Set(['const', 'enum', 'default', 'examples', 'required']);

function convertValue(key: string, value: unknown, getSchemaName: GetSchemaName): unknown {
  if (dataKeywords.has(key) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => convertOrReference(part, getSchemaName));
  if (!schemaMapKeywords.has(key)) return convertOrReference(value, getSchemaName);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, convertOrReference(part, getSchemaName)]),
  );
}

function convertOrReference(part: unknown, getSchemaName: GetSchemaName): unknown {
  if (typeof part !== 'object' || part === null) return part;
  const name = getSchemaName(part);
  return name === undefined ? convertSchema(part, getSchemaName) : { $ref: `#/components/schemas/${name}` };
}

function toEnumSchema(branches: unknown): JsonSchema | undefined {
  if (!Array.isArray(branches) || branches.length === 0) return undefined;
  const isConstant = (branch: unknown) => isObject(branch) && 'const' in branch;
  if (!branches.every(isConstant)) return undefined;
  return { type: 'string', enum: branches.map((branch) => branch.const) };
}
