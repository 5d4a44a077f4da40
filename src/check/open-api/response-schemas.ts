/** The schemas of an operation's responses, as JSON Schema 2020-12. */
import { decodeReferenceStep, findAt, type OpenApiDescription, type Operation, resolveReference } from './document.ts';
import { isJsonObject, listReferences, type PlainObject } from './plain-json.ts';
import { listKeywords, mapKeywords, schemaKeywords } from './schema-keywords.ts';

/** Of a response with content that is not JSON: nothing is valid. */
export const otherContentSchema = 'false';

/** By status (`200`, `2XX`, `default`): the text of a schema; null for a response without content. */
export type ResponseSchemas = ReadonlyMap<string, string | null>;

/** OpenAPI 3.0 has its own words for null and for exclusive bounds. */
function convertKeywords(schema: PlainObject): PlainObject {
  const { nullable, exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = schema;
  const bounds = {
    ...(exclusiveMinimum === true ? { exclusiveMinimum: minimum } : minimum === undefined ? {} : { minimum }),
    ...(exclusiveMaximum === true ? { exclusiveMaximum: maximum } : maximum === undefined ? {} : { maximum }),
    ...(typeof exclusiveMinimum === 'number' ? { exclusiveMinimum } : {}),
    ...(typeof exclusiveMaximum === 'number' ? { exclusiveMaximum } : {}),
  };
  const converted = { ...rest, ...bounds };
  return nullable === true ? { anyOf: [converted, { type: 'null' }] } : converted;
}

/** A response need not have what only requests have, such as a password, and should not have it (OpenAPI 3.0.4, 4.7.24.2). */
function withoutWriteOnly(schema: PlainObject): PlainObject {
  const { required, properties } = schema;
  if (!isJsonObject(properties)) return schema;
  const writeOnly = Object.keys(properties).filter((name) => {
    const property = properties[name];
    return isJsonObject(property) && property.writeOnly === true;
  });
  if (writeOnly.length === 0) return schema;
  const refused = Object.fromEntries(writeOnly.map((name) => [name, false]));
  const others = Array.isArray(required) ? { required: required.filter((name) => !writeOnly.includes(name)) } : {};
  return { ...schema, ...others, properties: { ...properties, ...refused } };
}

function convertSchema(schema: unknown, isOld: boolean): unknown {
  if (!isJsonObject(schema)) return schema;
  const convert = (child: unknown): unknown => convertSchema(child, isOld);
  const entries = Object.entries(schema).map(([key, child]): [string, unknown] => {
    if (listKeywords.includes(key) && Array.isArray(child)) return [key, child.map(convert)];
    if (mapKeywords.includes(key) && isJsonObject(child)) return [key, convertMap(child, isOld)];
    return [key, schemaKeywords.includes(key) ? convert(child) : child];
  });
  const converted = withoutWriteOnly(Object.fromEntries(entries));
  return isOld ? convertKeywords(converted) : converted;
}

function convertMap(schemas: PlainObject, isOld: boolean): PlainObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, convertSchema(schema, isOld)]));
}

/** The schemas that a schema refers to, at once or through others. */
function collectComponents(document: OpenApiDescription, schema: unknown, isOld: boolean): PlainObject {
  const schemas: Record<string, unknown> = {};
  const visit = (value: unknown): void => {
    for (const reference of listReferences(value)) {
      const [root, step] = /^#\/components\/schemas\/([^/]+)/.exec(reference) ?? [];
      const target = root === undefined ? undefined : findAt(document, root);
      const name = step === undefined ? '' : decodeReferenceStep(step);
      if (target === undefined || Object.hasOwn(schemas, name)) continue;
      schemas[name] = convertSchema(target, isOld);
      visit(target);
    }
  };
  visit(schema);
  return schemas;
}

/** The media type of a JSON body; undefined where a response has none. */
export function findJsonType(content: PlainObject): string | undefined {
  return Object.keys(content).find((name) =>
    /^(?:application\/(?:[\w.+-]+\+)?json|\*\/\*|application\/\*)\s*(?:;|$)/i.test(name),
  );
}

function findJsonSchema(content: PlainObject): unknown {
  const type = findJsonType(content);
  const media = type === undefined ? undefined : content[type];
  return isJsonObject(media) ? (media.schema ?? true) : undefined;
}

export function readResponseSchemas(document: OpenApiDescription, { definition }: Operation): ResponseSchemas {
  const isOld = document.openapi.startsWith('3.0');
  const responses = isJsonObject(definition.responses) ? definition.responses : {};
  return new Map(
    Object.entries(responses).map(([status, value]) => {
      const response = resolveReference(document, value);
      // A schema that cannot be used says so; without content the response would be one without a body.
      if (response === undefined) return [status.toUpperCase(), JSON.stringify(value)];
      const content = isJsonObject(response) && isJsonObject(response.content) ? response.content : {};
      const schema = findJsonSchema(content);
      if (schema === undefined)
        return [status.toUpperCase(), Object.keys(content).length === 0 ? null : otherContentSchema];
      const schemas = collectComponents(document, schema, isOld);
      return [status.toUpperCase(), JSON.stringify({ allOf: [convertSchema(schema, isOld)], components: { schemas } })];
    }),
  );
}

/** Of the status itself, else of its class, else of all others; undefined where the operation has no such response. */
export function findResponseSchema(schemas: ResponseSchemas, status: number): string | null | undefined {
  const keys = [String(status), `${Math.floor(status / 100)}XX`, 'DEFAULT'];
  const key = keys.find((each) => schemas.has(each));
  return key === undefined ? undefined : schemas.get(key);
}
