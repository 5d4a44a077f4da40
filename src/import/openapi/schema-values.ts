/** Schemas of a document: example values for requests, and checks that their responses pass. */
import { isList, isObjectValue, type Json, type JsonObject, toStringForm } from '../../check/json/json.ts';
import { escapePattern } from '../assertion.ts';
import { getText, listItems, toObject } from '../members.ts';
import { type OpenApiDocument, readSchemaExample } from './document.ts';

type Resolve = OpenApiDocument['resolve'];

const maxDepth = 6;

/** The parts of `allOf` as one; of alternatives the first. */
export function mergeSchema(schema: JsonObject, resolve: Resolve, depth = 0): JsonObject {
  if (depth > maxDepth) return schema;
  const [alternative] = [...listItems(schema.oneOf), ...listItems(schema.anyOf)]
    .map(resolve)
    .filter((each) => each.type !== 'null');
  const parts = [...listItems(schema.allOf).map(resolve), ...(alternative ? [alternative] : [])];
  if (parts.length === 0) return schema;
  const merged = [schema, ...parts.map((part) => mergeSchema(part, resolve, depth + 1))];
  return {
    ...Object.assign({}, ...merged.toReversed()),
    properties: Object.assign({}, ...merged.map((each) => toObject(each.properties))),
    required: [...new Set(merged.flatMap((each) => listItems(each.required)))],
  };
}

/** Whether some alternative has other members: what one of them requires is not required then. */
function hasAlternatives(schema: JsonObject): boolean {
  return listItems(schema.oneOf).length + listItems(schema.anyOf).length > 1;
}

export function getTypes(schema: JsonObject): readonly string[] {
  return isList(schema.type ?? null)
    ? listItems(schema.type).map((each) => getText(each))
    : [getText(schema.type)].filter(Boolean);
}

function isNullable(schema: JsonObject): boolean {
  const alternatives = [...listItems(schema.oneOf), ...listItems(schema.anyOf)];
  return (
    schema.nullable === true ||
    getTypes(schema).includes('null') ||
    listItems(schema.enum).includes(null) ||
    alternatives.some((each) => isObjectValue(each) && each.type === 'null')
  );
}

const textByFormat: Readonly<Record<string, string>> = {
  uuid: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  email: 'person@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
};

/** A value that the schema allows, as far as simple schemas tell: required members alone, where there are some. */
export function createExampleValue(reference: Json | undefined, resolve: Resolve, depth = 0): Json | undefined {
  const schema = mergeSchema(resolve(reference), resolve);
  const given = readSchemaExample(schema);
  if (given !== undefined || depth > maxDepth) return given;
  const [type] = getTypes(schema).filter((each) => each !== 'null');
  const properties = Object.entries(toObject(schema.properties));
  if (type === 'object' || properties.length > 0) {
    const sent = listSentProperties(schema, resolve);
    return Object.fromEntries(
      sent.map(([name, child]) => [name, createExampleValue(child, resolve, depth + 1) ?? null]),
    );
  }
  if (type === 'array') {
    const item = Number(schema.minItems ?? 0) > 0 ? createExampleValue(schema.items, resolve, depth + 1) : undefined;
    return item === undefined ? [] : [item];
  }
  if (type === 'integer' || type === 'number')
    return typeof schema.minimum === 'number' ? Math.max(1, schema.minimum) : 1;
  if (type === 'boolean') return true;
  if (type !== 'string') return undefined;
  return (
    textByFormat[getText(schema.format)] ??
    'text'.padEnd(Number(schema.minLength ?? 0), 'x').slice(0, Number(schema.maxLength ?? 1000))
  );
}

/** What a request sends of an object: required members alone, where there are some, and none that only answers have. */
export function listSentProperties(schema: JsonObject, resolve: Resolve): readonly (readonly [string, Json])[] {
  const required = listItems(schema.required);
  return Object.entries(toObject(schema.properties)).filter(
    ([name, child]) => (required.length === 0 || required.includes(name)) && resolve(child).readOnly !== true,
  );
}

const patternByFormat: Readonly<Record<string, string>> = {
  uuid: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  'date-time': '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}',
  date: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  email: '^[^@]+@[^@]+$',
};
const maxAlternatives = 12;

/** What follows `body has <field>`: empty where the schema says no more than that it is there. */
function createTest(reference: Json | undefined, resolve: Resolve): string {
  const own = resolve(reference);
  if (hasAlternatives(own)) return '';
  const schema = mergeSchema(own, resolve);
  if (isNullable(own) || isNullable(schema)) return '';
  const values = schema.const === undefined ? listItems(schema.enum) : [schema.const];
  const texts = values.map(toStringForm);
  if (texts.some((text) => text === '' || /[\r\n]/.test(text)) || texts.length > maxAlternatives) return '';
  if (texts.length === 1) return ` equals ${texts[0]}`;
  if (texts.length > 1) return ` matching ^(${texts.map(escapePattern).join('|')})$`;
  const [type] = getTypes(schema);
  const format = patternByFormat[getText(schema.format)];
  if (type === 'string') return format === undefined ? '' : ` matching ${format}`;
  const isPositive = typeof schema.minimum === 'number' && schema.minimum >= 0;
  if (type === 'integer') return ` matching ^${isPositive ? '' : '-?'}[0-9]+$`;
  if (type === 'number') return ' matching ^-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$';
  if (type === 'boolean') return ' matching ^(true|false)$';
  if (type === 'array') return ' matching ^\\[';
  return type === 'object' ? ' matching ^\\{' : '';
}

const maxChecks = 12;
const plainName = /^[A-Za-z_][\w-]*$/;

/** Checks of what the schema requires; a list may be empty. */
export function createSchemaChecks(reference: Json | undefined, resolve: Resolve): readonly string[] {
  const own = resolve(reference);
  const schema = mergeSchema(own, resolve);
  if (hasAlternatives(own)) return [];
  if (getTypes(schema)[0] === 'array') return createItemChecks(schema.items, resolve);
  const required = listItems(schema.required).map((each) => getText(each));
  const properties = toObject(schema.properties);
  return required
    .filter((name) => plainName.test(name))
    .slice(0, maxChecks)
    .map((name) => `body has ${name}${createTest(properties[name], resolve)}`);
}

function createItemChecks(reference: Json | undefined, resolve: Resolve): readonly string[] {
  const own = resolve(reference);
  const schema = mergeSchema(own, resolve);
  const required = hasAlternatives(own) ? [] : listItems(schema.required).map((each) => getText(each));
  const properties = toObject(schema.properties);
  return required
    .filter((name) => plainName.test(name))
    .slice(0, maxChecks)
    .map((name) => `body every or none ${name}${createTest(properties[name], resolve)}`);
}
