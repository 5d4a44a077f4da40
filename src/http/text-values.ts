/** Path, query and headers as records of text, for a schema to make more of. */
import type { TSchema } from '@sinclair/typebox';
import { vpError } from '../errors/vp-error.ts';

function isListSchema(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'array';
}

/**
 * The query of `url`: a list where the schema has a list, else one text each. A parameter that the schema does not know,
 * or that occurs twice where one is meant, throws REQUEST_INVALID: ignoring it would answer another question.
 */
export function queryOf(url: string, properties: Readonly<Record<string, TSchema>>): Record<string, unknown> {
  const start = url.indexOf('?');
  const values: Record<string, unknown> = {};
  if (start === -1) return values;
  const parameters = new URLSearchParams(url.slice(start + 1));
  for (const name of new Set(parameters.keys())) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!schema) throw unknownParameter(name, Object.keys(properties));
    const all = parameters.getAll(name);
    if (!isListSchema(schema) && all.length > 1) {
      throw vpError('REQUEST_INVALID', { where: `query parameter ${name}`, problem: 'must occur once' });
    }
    values[name] = isListSchema(schema) ? all : all[0];
  }
  return values;
}

function unknownParameter(name: string, known: readonly string[]) {
  const problem = `is not known here; known are: ${known.join(', ') || 'none'}`;
  return vpError('REQUEST_INVALID', { where: `query parameter ${name.slice(0, 60)}`, problem });
}

/** The headers that `properties` names in lower case, where they were sent. */
export function headersOf(headers: Headers, properties: Readonly<Record<string, TSchema>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(properties)) {
    const value = headers.get(name);
    if (value !== null) values[name] = value;
  }
  return values;
}
