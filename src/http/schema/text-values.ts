/** Converts path parameters, query and headers from text to the types of their schemas. */
import type { TSchema } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';

type Properties = Readonly<Record<string, TSchema>>;

/**
 * A number or boolean when the schema requires one and the text is one, else the unchanged text, for the schema to refuse.
 * Rejected: coercion by ajv, which converts a blank to 0 and accepts `Infinity` as an integer.
 */
function parseText(schema: TSchema | undefined, text: string): string | number | boolean {
  if (schema?.type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (schema?.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

export function parseParams(texts: Readonly<Record<string, string>>, properties: Properties): Record<string, unknown> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, parseText(properties[name], text)]));
}

/**
 * The query of `url`: a list where the schema has a list, else single values. An unknown or repeated parameter throws
 * REQUEST_INVALID: ignoring it would silently change the meaning of the request. `ignoresUnknown` is for APIs whose
 * specification ignores unknown parameters.
 */
export function parseQuery(url: string, properties: Properties, ignoresUnknown = false): Record<string, unknown> {
  const start = url.indexOf('?');
  const values: Record<string, unknown> = {};
  if (start === -1) return values;
  const parameters = new URLSearchParams(url.slice(start + 1));
  for (const name of new Set(parameters.keys())) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!schema && ignoresUnknown) continue;
    if (!schema) throw createUnknownParameterError(name, Object.keys(properties));
    const texts = parameters.getAll(name);
    if (schema.type !== 'array' && texts.length > 1) throw createRepeatedParameterError(name);
    const all = texts.map((text) => parseText(schema, text));
    values[name] = schema.type === 'array' ? all : all[0];
  }
  return values;
}

function createUnknownParameterError(name: string, knownNames: readonly string[]) {
  const problem = `is unknown; known parameters: ${knownNames.join(', ') || 'none'}`;
  return vpError('REQUEST_INVALID', { where: `query parameter ${name.slice(0, 60)}`, problem });
}

function createRepeatedParameterError(name: string) {
  return vpError('REQUEST_INVALID', { where: `query parameter ${name}`, problem: 'must occur once' });
}

/** The headers that `properties` names in lower case, if present. */
export function parseHeaders(headers: Pick<Headers, 'get'>, properties: Properties): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const text = headers.get(name);
    if (text !== null) values[name] = parseText(schema, text);
  }
  return values;
}
