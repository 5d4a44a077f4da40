/** Where a JSON Schema has schemas in it, and what of it says nothing about a value. */
import { isJsonObject, type PlainObject } from './plain-json.ts';

export const listKeywords = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
export const mapKeywords = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];
export const schemaKeywords = [
  ...['items', 'additionalItems', 'unevaluatedItems', 'additionalProperties', 'unevaluatedProperties'],
  ...['not', 'if', 'then', 'else', 'contains', 'propertyNames'],
];

/** `writeOnly` is none: a response need not have what only requests have. */
export const annotations: ReadonlySet<string> = new Set([
  ...['$comment', 'title', 'summary', 'description', 'default', 'example', 'examples', 'deprecated', 'readOnly'],
  ...['externalDocs', 'xml', 'discriminator'],
]);

/** What judges a value the same as `schema`. Properties may have the names of annotations. */
export function removeAnnotations(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(removeAnnotations);
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, child]) => {
      if (annotations.has(key) || key.startsWith('x-')) return [];
      if (mapKeywords.includes(key) && isJsonObject(child)) return [[key, removeFromEach(child)]];
      const hasSchemas = listKeywords.includes(key) || schemaKeywords.includes(key);
      return [[key, hasSchemas ? removeAnnotations(child) : child]];
    }),
  );
}

function removeFromEach(schemas: PlainObject): PlainObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, removeAnnotations(schema)]));
}
