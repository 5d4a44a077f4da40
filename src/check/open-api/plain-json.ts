/** Documents as `JSON.parse` reads them. */
export type PlainObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every `$ref` in a value, at any depth. */
export function listReferences(value: unknown, references = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) for (const element of value) listReferences(element, references);
  else if (isJsonObject(value))
    for (const [key, child] of Object.entries(value)) {
      if (key === '$ref' && typeof child === 'string') references.add(child);
      else listReferences(child, references);
    }
  return references;
}
