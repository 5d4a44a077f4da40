/** Path, query and headers arrive as text; this makes of them what their schemas mean. */
import type { TSchema } from '@sinclair/typebox';
import { vpError } from '../errors/vp-error.ts';

type Properties = Readonly<Record<string, TSchema>>;

/**
 * The number or boolean that `text` stands for where the schema wants one, else the text as it is, for the schema to
 * refuse. Rejected: coercion by ajv, which takes a blank for 0 and `Infinity` for an integer.
 */
function meaningOf(schema: TSchema | undefined, text: string): string | number | boolean {
  if (schema?.type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (schema?.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Path parameters by their schemas. */
export function paramsOf(texts: Readonly<Record<string, string>>, properties: Properties): Record<string, unknown> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, meaningOf(properties[name], text)]));
}

/**
 * The query of `url`: a list where the schema has a list, else one value each. A parameter that the schema does not
 * know, or that occurs twice where one is meant, throws REQUEST_INVALID: ignoring it would answer another question. Where
 * an API of others promises to ignore what it does not know, its schema allows additional properties.
 */
export function queryOf(url: string, properties: Properties, ignoresOthers = false): Record<string, unknown> {
  const start = url.indexOf('?');
  const values: Record<string, unknown> = {};
  if (start === -1) return values;
  const parameters = new URLSearchParams(url.slice(start + 1));
  for (const name of new Set(parameters.keys())) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!schema && ignoresOthers) continue;
    if (!schema) throw unknownParameter(name, Object.keys(properties));
    const texts = parameters.getAll(name);
    if (schema.type !== 'array' && texts.length > 1) throw repeatedParameter(name);
    const all = texts.map((text) => meaningOf(schema, text));
    values[name] = schema.type === 'array' ? all : all[0];
  }
  return values;
}

function unknownParameter(name: string, known: readonly string[]) {
  const problem = `is not known here; known are: ${known.join(', ') || 'none'}`;
  return vpError('REQUEST_INVALID', { where: `query parameter ${name.slice(0, 60)}`, problem });
}

function repeatedParameter(name: string) {
  return vpError('REQUEST_INVALID', { where: `query parameter ${name}`, problem: 'must occur once' });
}

/** The headers that `properties` names in lower case, where they were sent. */
export function headersOf(headers: Pick<Headers, 'get'>, properties: Properties): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const text = headers.get(name);
    if (text !== null) values[name] = meaningOf(schema, text);
  }
  return values;
}
