/** A tool's input schema → fields of a form, and what was written there → arguments. */

type Json = unknown;
type Schema = Readonly<Record<string, Json>>;

/** How a field is written. `list`: one to a line. `json`: whatever has no field of its own. */
export type FieldKind = 'text' | 'lines' | 'number' | 'choice' | 'yes_no' | 'list' | 'json';
/** A field of the form; `choices` as they are sent. */
export type SchemaField = {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly choices: readonly Json[];
  readonly isWhole: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** What it begins with, as text. */
  readonly start: string;
};
/** Name of a field → what is written in it. */
export type Written = Readonly<Record<string, string>>;
/** The arguments, or what is wrong with what was written. */
export type ReadArguments =
  | { readonly arguments: Record<string, Json>; readonly problem?: undefined }
  | { readonly arguments?: undefined; readonly problem: string };

function isSchema(value: Json): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : '');
const numberOf = (value: Json): number | undefined => (typeof value === 'number' ? value : undefined);

/** `null` besides another type means only that it may be left out. */
function typeOf({ type }: Schema): string {
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type];
  return types.length === 1 ? textOf(types[0]) : '';
}

function choicesOf(schema: Schema): readonly Json[] {
  if (Array.isArray(schema.enum)) return schema.enum.filter((one) => one !== null);
  const several = Array.isArray(schema.oneOf) ? schema.oneOf : Array.isArray(schema.anyOf) ? schema.anyOf : [];
  const fixed = several.flatMap((one) => (isSchema(one) && Object.hasOwn(one, 'const') ? [one.const] : []));
  return fixed.length === several.length ? fixed : [];
}

const longText = 200;

function kindOf(schema: Schema, choices: readonly Json[]): FieldKind {
  if (choices.length > 0) return 'choice';
  const type = typeOf(schema);
  if (type === 'boolean') return 'yes_no';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'string') return (numberOf(schema.maxLength) ?? 0) > longText ? 'lines' : 'text';
  if (type === 'array' && isSchema(schema.items) && typeOf(schema.items) === 'string') return 'list';
  return 'json';
}

/** A value as it stands in a field. */
function written(kind: FieldKind, value: Json): string {
  if (value === undefined) return '';
  if (kind === 'list' && Array.isArray(value)) return value.join('\n');
  if (kind === 'json') return JSON.stringify(value, undefined, 2);
  return kind === 'choice' ? JSON.stringify(value) : String(value);
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): SchemaField {
  const choices = choicesOf(schema);
  const kind = kindOf(schema, choices);
  return {
    name,
    label: textOf(schema.title) || name,
    hint: textOf(schema.description),
    kind,
    isRequired,
    choices,
    isWhole: typeOf(schema) === 'integer',
    min: numberOf(schema.minimum),
    max: numberOf(schema.maximum),
    start: written(kind, schema.default),
  };
}

/** The fields of a schema, required ones first; properties that are no schema are written as JSON. */
export function fieldsOf(schema: Schema): SchemaField[] {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = Object.entries(properties).map(([name, one]) =>
    fieldOf(name, isSchema(one) ? one : {}, required.has(name)),
  );
  return fields.sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** What the form begins with. */
export function startOf(fields: readonly SchemaField[]): Written {
  return Object.fromEntries(fields.map(({ name, start }) => [name, start]));
}

/** What is sent; empty fields are left out. */
export function argumentsOf(fields: readonly SchemaField[], values: Written): ReadArguments {
  const made: Record<string, Json> = {};
  for (const field of fields) {
    const text = values[field.name] ?? '';
    if (text === '') continue;
    const value = sentOf(field, text);
    if (value === undefined) return { problem: `${field.label} is no JSON` };
    // A field may be called __proto__.
    Object.defineProperty(made, field.name, { value, enumerable: true, configurable: true, writable: true });
  }
  return { arguments: made };
}

function sentOf({ kind }: SchemaField, text: string): Json {
  if (kind === 'text' || kind === 'lines') return text;
  if (kind === 'number') return Number(text);
  if (kind === 'yes_no') return text === 'true';
  if (kind === 'list') return text.split('\n').filter((line) => line !== '');
  return parsed(text);
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Arguments written as one JSON text. */
export function readArguments(text: string): ReadArguments {
  const value = text.trim() === '' ? {} : parsed(text);
  return isSchema(value) ? { arguments: { ...value } } : { problem: 'Arguments are a JSON object: {…}' };
}

/** Arguments back in the fields; undefined where some of them have no field. */
export function writtenOf(fields: readonly SchemaField[], values: Readonly<Record<string, Json>>): Written | undefined {
  const names = new Set(fields.map(({ name }) => name));
  if (Object.keys(values).some((name) => !names.has(name))) return undefined;
  return Object.fromEntries(fields.map(({ name, kind }) => [name, written(kind, values[name])]));
}
