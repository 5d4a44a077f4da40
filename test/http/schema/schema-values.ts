/** Values for a schema: one that it accepts, as far as examples are known for its texts, and others that differ from it in one member. */
import type { JsonSchema } from '../../../src/http/schema/draft-2020.ts';
import { isObject } from '../../../src/json/json-object.ts';

/** Texts for the patterns and formats of the sources. */
const texts = [
  ...['a', 'demo', 'RT-1', 'Bearer', '20261129T021000000', 's20261129T021000000', '2026-11-29T02:10:00.000Z'],
  ...[`sha256:${'0'.repeat(64)}`, '0'.repeat(64), '0'.repeat(16), '1.2.3', 'https://a.example/', 'a@b.example', ''],
];

function createText({ minLength, maxLength, pattern, format }: JsonSchema): string {
  const isFit = (text: string): boolean =>
    (minLength === undefined || text.length >= Number(minLength)) &&
    (maxLength === undefined || text.length <= Number(maxLength)) &&
    (pattern === undefined || new RegExp(String(pattern), 'u').test(text)) &&
    (format === undefined || text.endsWith('Z'));
  const long = 'x'.repeat(Number(minLength ?? 1));
  return [...texts, long].find(isFit) ?? long;
}

const toSchema = (value: unknown): JsonSchema => (isObject(value) ? value : {});
const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** With every member and at least one item. */
export function createValue(schema: JsonSchema): unknown {
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const branches = toList(schema.anyOf ?? schema.oneOf ?? schema.allOf);
  if (branches.length > 0) return createValue(toSchema(branches[0]));
  switch (schema.type) {
    case 'object':
      return createMembers(schema);
    case 'array':
      return createItems(schema);
    case 'string':
      return createText(schema);
    case 'integer':
    case 'number':
      return Number(schema.minimum ?? schema.maximum ?? 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'anything';
  }
}

function createMembers({ properties, patternProperties }: JsonSchema): object {
  const members = Object.entries(toSchema(properties)).map(([name, part]) => [name, createValue(toSchema(part))]);
  const [any] = Object.values(toSchema(patternProperties));
  return Object.fromEntries(any === undefined ? members : [...members, ['a', createValue(toSchema(any))]]);
}

function createItems({ prefixItems, items, minItems }: JsonSchema): unknown[] {
  const first = toList(prefixItems).map((part) => createValue(toSchema(part)));
  if (first.length > 0 || !isObject(items)) return first;
  return Array.from({ length: Math.max(1, Number(minItems ?? 1)) }, () => createValue(items));
}

const replacements = [
  ...[undefined, null, true, 0, -1, 1.5, 1e12, '', 'x', '\u{1F600}'.repeat(30), 'x'.repeat(25_000)],
  ...[[], {}, [null], { unknown: 1 }, Array.from({ length: 2001 }, () => 'x')],
];

type MemberLocation = { readonly holder: Record<string, unknown> | unknown[]; readonly key: string };

function listLocations(value: unknown): MemberLocation[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = Array.isArray(value) ? value : isObject(value) ? value : {};
  return Object.entries(holder).flatMap(([key, member]) => [{ holder, key }, ...listLocations(member)]);
}

/** `value` with one member exchanged, removed or added, for each number. */
export function changeValue(value: unknown, number: number): unknown {
  const root: Record<string, unknown> = { value: structuredClone(value) };
  const locations = listLocations(root);
  const location = locations[number % locations.length];
  if (!location) return value;
  const replacement = structuredClone(
    replacements[(number * 7 + Math.floor(number / locations.length)) % replacements.length],
  );
  if (replacement === undefined) Reflect.deleteProperty(location.holder, location.key);
  else Reflect.set(location.holder, location.key, replacement);
  if (number % 5 === 0 && isObject(root.value)) root.value.unknown = 1;
  return root.value;
}
