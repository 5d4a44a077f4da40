/** The body of an operation: JSON, a form, or parts with files, with the documented values. Others are sent as their example. */
import { isList, isObjectValue, type Json, type JsonObject, toStringForm } from '../../check/json/json.ts';
import type { HeaderLines, ImportedBody, ImportedPart } from '../imported.ts';
import { getMember, getText, listItems, toObject } from '../members.ts';
import { escapeLiterals } from '../placeholder-names.ts';
import type { ApiBody, DocumentedOperation, OpenApiDocument } from './document.ts';
import { createExampleValue, getTypes, listSentProperties, mergeSchema } from './schema-values.ts';

export type RequestBody = { readonly body: ImportedBody; readonly headers: HeaderLines };

/** `source` is the name of the document's file; `note` gets what no scenario says, by its name. */
export type BodyContext = {
  readonly resolve: OpenApiDocument['resolve'];
  readonly source: string;
  readonly note: (item: string, reason: string) => void;
};

type Fields = readonly (readonly [name: string, value: string])[];

/** Undefined where the operation has none. */
export function readBody(
  { bodies }: DocumentedOperation,
  context: BodyContext,
): RequestBody | { readonly reason: string } | undefined {
  if (bodies.length === 0) return undefined;
  const find = (form: RegExp): ApiBody | undefined => bodies.find(({ type }) => form.test(type));
  const json = find(/^application\/(?:[\w.+-]+\+)?json\b|^\*\/\*/i);
  if (json) {
    const value = json.example ?? createExampleValue(json.schema, context.resolve) ?? {};
    const type = json.type.includes('*') ? 'application/json' : json.type;
    return toText(JSON.stringify(value, undefined, 2), type);
  }
  const form = find(/^application\/x-www-form-urlencoded/i);
  if (form) return readForm(form, context);
  const multipart = find(/^multipart\/form-data/i);
  if (multipart) return readParts(multipart, context);
  const [other] = bodies;
  const isPlain = other !== undefined && /^text\/plain\b/i.test(other.type) && !isFile(other.schema, undefined);
  const text = other?.example ?? (isPlain ? createExampleValue(other.schema, context.resolve) : undefined);
  if (other !== undefined && typeof text === 'string') return toText(text, other.type);
  return { reason: `a body of the type ${other?.type ?? ''} without an example is not imported` };
}

function toText(text: string, type: string): RequestBody {
  return { body: { kind: 'text', text: escapeLiterals(text) }, headers: [['Content-Type', type]] };
}

function readForm(form: ApiBody, { resolve }: BodyContext): RequestBody | undefined {
  const value = form.example ?? createExampleValue(form.schema, resolve) ?? {};
  const fields = isObjectValue(value)
    ? Object.entries(value).flatMap(([name, each]) => formatField(name, each, toObject(form.encoding[name])))
    : [];
  const type = 'application/x-www-form-urlencoded';
  return fields.length === 0 ? undefined : { body: { kind: 'form', fields }, headers: [['Content-Type', type]] };
}

/** A field as `encoding` says; without it, a list is sent as one field for each item, and an object as JSON. */
function formatField(name: string, value: Json, encoding: JsonObject): Fields {
  const style = getText(encoding.style);
  if (style === 'deepObject') return formatMembers(name, value);
  if (!isList(value)) return [[name, formatValue(value)]];
  const separator = { spaceDelimited: ' ', pipeDelimited: '|' }[style] ?? ',';
  if (encoding.explode === false) return [[name, value.map(formatValue).join(separator)]];
  return value.map((item) => [name, formatValue(item)] as const);
}

/** `card[number]=…`, with the positions of lists, which the specification leaves open. */
function formatMembers(name: string, value: Json): Fields {
  if (isList(value)) return value.flatMap((item, index) => formatMembers(`${name}[${index}]`, item));
  if (!isObjectValue(value)) return [[name, formatValue(value)]];
  return Object.entries(value).flatMap(([key, item]) => formatMembers(`${name}[${key}]`, item));
}

function formatValue(value: Json): string {
  return escapeLiterals(isList(value) || isObjectValue(value) ? JSON.stringify(value) : toStringForm(value));
}

function readParts(multipart: ApiBody, context: BodyContext): RequestBody | { readonly reason: string } {
  const { resolve } = context;
  const example = toObject(multipart.example);
  const schema = mergeSchema(multipart.schema, resolve);
  const properties = toObject(schema.properties);
  const names = new Set([...listSentProperties(schema, resolve).map(([name]) => name), ...Object.keys(example)]);
  const parts = [...names].flatMap((name) =>
    readPart(name, { property: properties[name], example: example[name], encoding: multipart.encoding[name] }, context),
  );
  if (parts.length === 0) return { reason: `the document does not say which parts its ${multipart.type} has` };
  return { body: { kind: 'multipart', parts }, headers: [] };
}

type PartDefinition = {
  readonly property: Json | undefined;
  readonly example: Json | undefined;
  readonly encoding: Json | undefined;
};

function readPart(
  name: string,
  { property, example, encoding }: PartDefinition,
  { resolve, source, note }: BodyContext,
): readonly ImportedPart[] {
  const schema = mergeSchema(resolve(property), resolve);
  if (Object.keys(toObject(getMember(encoding, 'headers'))).length > 0)
    note(`the headers of the part ${name}`, 'a part has no headers but its type');
  const isListOfParts = getTypes(schema).includes('array');
  const item = isListOfParts ? mergeSchema(resolve(schema.items), resolve) : schema;
  const type = readPartType(item, encoding);
  const isNamedOnly = property === undefined || (example !== undefined && getTypes(item).length === 0);
  if (!isNamedOnly && isFile(item, type)) {
    const paths = listItems(example).length > 0 ? listItems(example) : [example];
    return paths.map((path) => ({ name, path: chooseFileName(name, path, type), type, source }));
  }
  const value = example ?? createExampleValue(schema, resolve);
  const values = isListOfParts && value !== undefined && isList(value) ? value : [value ?? ''];
  const isJson = values.some((each) => isObjectValue(each) || isList(each));
  if (isJson || (type !== undefined && !/^text\/plain\b/i.test(type)))
    note(`the type of the part ${name}`, `it is sent as text, not as ${type ?? 'application/json'}`);
  return values.map((each) => ({ name, value: formatValue(each), source }));
}

/** The first that `encoding` names, or what version 3.1 says of the content; a range of types is none. */
function readPartType(schema: JsonObject, encoding: Json | undefined): string | undefined {
  const named = getText(encoding, 'contentType') || getText(schema.contentMediaType);
  return named
    .split(',')
    .map((each) => each.trim())
    .find((each) => each !== '' && !each.includes('*'));
}

/** Version 2 has a type of its own, version 3.0 a format, and 3.1 a text of another type, or anything at all. */
function isFile(schema: JsonObject, type: string | undefined): boolean {
  const [own] = getTypes(schema).filter((each) => each !== 'null');
  if (own === 'file' || getText(schema.format) === 'binary') return true;
  if (own === undefined) return schema.properties === undefined && listItems(schema.enum).length === 0;
  return (
    own === 'string' &&
    type !== undefined &&
    !/^text\/plain\b|[/+]json\b/i.test(type) &&
    !getText(schema.contentEncoding)
  );
}

const extensions: Readonly<Record<string, string>> = {
  'text/plain': 'txt',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'application/octet-stream': 'bin',
};

/** The name that the example says, if it is one; the file is looked for beside the document. */
function chooseFileName(name: string, example: Json | undefined, type: string | undefined): string {
  if (typeof example === 'string' && /^[\p{L}\p{N}_][\p{L}\p{N}_. -]{0,80}\.[A-Za-z0-9]{1,5}$/u.test(example))
    return example;
  const plain = /^[a-z]+\/(?:x-)?([a-z0-9]{2,5})$/i.exec(type ?? '')?.[1];
  const extension = extensions[type ?? ''] ?? plain ?? 'bin';
  return `${name.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'file'}.${extension}`;
}
