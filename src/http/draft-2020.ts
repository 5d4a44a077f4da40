/** TypeBox writes JSON Schema draft 7; validation and OpenAPI 3.1 speak draft 2020-12. This is the difference. */
import type { TSchema } from '@sinclair/typebox';

/** A schema as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Gives the name under which a schema is told elsewhere; undefined to tell it in place. */
export type NameOf = (schema: object) => string | undefined;

const nameless: NameOf = () => undefined;

/**
 * `schema` in draft 2020-12: tuples by `prefixItems`, unions of constants as `enum` (one error instead of one for each
 * branch). Parts that `nameOf` knows become references to `#/components/schemas/<name>`.
 */
export function draft2020(schema: TSchema, nameOf: NameOf = nameless): JsonSchema {
  return converted(schema, nameOf);
}

function converted(schema: object, nameOf: NameOf): JsonSchema {
  const entries = Object.entries(schema).map(([key, value]) => [key, convertedValue(key, value, nameOf)] as const);
  const { items, additionalItems, anyOf, ...rest } = Object.fromEntries(entries);
  // `maxItems` bounds a tuple already; `items: false` beside it would tell the same fault twice.
  if (Array.isArray(items) && 'maxItems' in rest) return { ...rest, prefixItems: items };
  if (Array.isArray(items)) return { ...rest, prefixItems: items, items: additionalItems ?? true };
  const constants = anyOf === undefined ? undefined : constantsOf(anyOf);
  if (constants) return { ...rest, ...constants };
  return { ...rest, ...(items === undefined ? {} : { items }), ...(anyOf === undefined ? {} : { anyOf }) };
}

/** Keywords whose value maps names to schemas, so that a property may be called `enum` or `items`. */
const maps = new Set(['properties', 'patternProperties', '$defs']);
/** Keywords whose value is data. */
const data = new Set(['const', 'enum', 'default', 'examples', 'required']);

function convertedValue(key: string, value: unknown, nameOf: NameOf): unknown {
  if (data.has(key) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => referenceOr(part, nameOf));
  if (!maps.has(key)) return referenceOr(value, nameOf);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, referenceOr(part, nameOf)]));
}

function referenceOr(part: unknown, nameOf: NameOf): unknown {
  if (typeof part !== 'object' || part === null) return part;
  const name = nameOf(part);
  return name === undefined ? converted(part, nameOf) : { $ref: `#/components/schemas/${name}` };
}

function constantsOf(branches: unknown): JsonSchema | undefined {
  if (!Array.isArray(branches) || branches.length === 0) return undefined;
  const isConstant = (branch: unknown) => typeof branch === 'object' && branch !== null && 'const' in branch;
  if (!branches.every(isConstant)) return undefined;
  return { type: 'string', enum: branches.map((branch) => branch.const) };
}
