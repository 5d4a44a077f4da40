/** Converts the input schema of a tool to form fields, and their values to arguments. */
import { isObject } from '../../../json/json-object.ts';

type Json = unknown;
type Schema = Readonly<Record<string, Json>>;

/** `list` has one item per line. `json` is for schemas without a dedicated field. */
export type FieldKind = 'text' | 'lines' | 'number' | 'choice' | 'yes_no' | 'list' | 'json';
/** `choices` are the values that are sent. */
export type SchemaField = {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly choices: readonly Json[];
  readonly isInteger: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly initialText: string;
};
/** The text of each field by name. */
export type FieldValues = Readonly<Record<string, string>>;
export type ParsedArguments =
  | { readonly arguments: Record<string, Json>; readonly problem?: undefined }
  | { readonly arguments?: undefined; readonly problem: string };

function isSchema(value: Json): value is Schema {
  return isObject(value);
}

const asString = (value: Json): string => (typeof value === 'string' ? value : '');
const asNumber = (value: Json): number | undefined => (typeof value === 'number' ? value : undefined);

/** `null` beside another type only means that the value is optional. */
function readType({ type }: Schema): string {
  const types = Array.isArray(type) ? type.filter((name) => name !== 'null') : [type];
  return types.length === 1 ? asString(types[0]) : '';
}

function listChoices(schema: Schema): readonly Json[] {
  if (Array.isArray(schema.enum)) return schema.enum.filter((choice) => choice !== null);
  const alternatives = Array.isArray(schema.oneOf) ? schema.oneOf : Array.isArray(schema.anyOf) ? schema.anyOf : [];
  const constants = alternatives.flatMap((alternative) =>
    isSchema(alternative) && Object.hasOwn(alternative, 'const') ? [alternative.const] : [],
  );
  return constants.length === alternatives.length ? constants : [];
}

const longTextLength = 200;

function detectFieldKind(schema: Schema, choices: readonly Json[]): FieldKind {
  if (choices.length > 0) return 'choice';
  const type = readType(schema);
  if (type === 'boolean') return 'yes_no';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'string') return (asNumber(schema.maxLength) ?? 0) > longTextLength ? 'lines' : 'text';
  if (type === 'array' && isSchema(schema.items) && readType(schema.items) === 'string') return 'list';
  return 'json';
}

function formatFieldValue(kind: FieldKind, value: Json): string {
  if (value === undefined) return '';
  if (kind === 'list' && Array.isArray(value)) return value.join('\n');
  if (kind === 'json') return JSON.stringify(value, undefined, 2);
  return kind === 'choice' ? JSON.stringify(value) : String(value);
}

function toSchemaField(name: string, schema: Schema, isRequired: boolean): SchemaField {
  const choices = listChoices(schema);
  const kind = detectFieldKind(schema, choices);
  return {
    name,
    label: asString(schema.title) || name,
    hint: asString(schema.description),
    kind,
    isRequired,
    choices,
    isInteger: readType(schema) === 'integer',
    min: asNumber(schema.minimum),
    max: asNumber(schema.maximum),
    initialText: formatFieldValue(kind, schema.default),
  };
}

/** Required fields first. Properties without a valid schema become JSON fields. */
export function parseSchemaFields(schema: Schema): SchemaField[] {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = Object.entries(properties).map(([name, property]) =>
    toSchemaField(name, isSchema(property) ? property : {}, required.has(name)),
  );
  return fields.sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

export function createInitialValues(fields: readonly SchemaField[]): FieldValues {
  return Object.fromEntries(fields.map(({ name, initialText }) => [name, initialText]));
}

/** Empty fields are omitted. */
export function parseFieldValues(fields: readonly SchemaField[], values: FieldValues): ParsedArguments {
  const result: Record<string, Json> = {};
  for (const field of fields) {
    const text = values[field.name] ?? '';
    if (text === '') continue;
    const value = parseFieldText(field, text);
    if (value === undefined) return { problem: `${field.label} is not valid JSON` };
    // Assignment would not create a field named __proto__.
    Object.defineProperty(result, field.name, { value, enumerable: true, configurable: true, writable: true });
  }
  return { arguments: result };
}

function parseFieldText({ kind }: SchemaField, text: string): Json {
  if (kind === 'text' || kind === 'lines') return text;
  if (kind === 'number') return Number(text);
  if (kind === 'yes_no') return text === 'true';
  if (kind === 'list') return text.split('\n').filter((line) => line !== '');
  return tryParseJson(text);
}

function tryParseJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function parseArgumentsJson(text: string): ParsedArguments {
  const value = text.trim() === '' ? {} : tryParseJson(text);
  return isSchema(value) ? { arguments: { ...value } } : { problem: 'Arguments must be a JSON object: {…}' };
}

/** Undefined if an argument has no field. */
export function toFieldValues(
  fields: readonly SchemaField[],
  values: Readonly<Record<string, Json>>,
): FieldValues | undefined {
  const names = new Set(fields.map(({ name }) => name));
  if (Object.keys(values).some((name) => !names.has(name))) return undefined;
  return Object.fromEntries(fields.map(({ name, kind }) => [name, formatFieldValue(kind, values[name])]));
}
