/**
 * An OpenAPI 3 document: its operations, found by the request that a scenario sends. `import/openapi` reads documents too, for another
 * purpose: it takes versions 2 and 3 apart into what a request needs, and leaves out what it does not understand. Here the schemas must stay
 * as they are written, because a response is judged by them.
 */
import { isJsonObject, type PlainObject } from './plain-json.ts';

/** A segment that is literal in part outweighs a placeholder, and no number of them a literal one. */
const partOfSegment = 0.001;

export type OpenApiDescription = PlainObject & { readonly openapi: string; readonly paths: PlainObject };

/** `path` may hold placeholders, and a query. */
export type DocumentRequest = { readonly method: string; readonly path: string };

/** `template` is the path as the document writes it. */
export type Operation = { readonly template: string; readonly method: string; readonly definition: PlainObject };

export function isOpenApi(value: unknown): value is OpenApiDescription {
  return (
    isJsonObject(value) &&
    typeof value.openapi === 'string' &&
    value.openapi.startsWith('3.') &&
    isJsonObject(value.paths)
  );
}

/** The value at a reference within the document, such as `#/components/responses/NotFound`. */
export function resolveReference(document: PlainObject, value: unknown): unknown {
  let current = value;
  for (let depth = 0; depth < 20; depth += 1) {
    const reference = isJsonObject(current) ? current.$ref : undefined;
    if (typeof reference !== 'string') return current;
    current = findAt(document, reference);
  }
  return undefined;
}

/** A step of a reference as a key: `a~1b` is `a/b`. */
export function decodeReferenceStep(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

export function findAt(document: PlainObject, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let value: unknown = document;
  for (const step of reference.slice(2).split('/')) {
    const key = decodeReferenceStep(step);
    value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

/** The paths of the servers, without a slash at the end; the document's paths follow them. */
function listPrefixes({ servers }: OpenApiDescription): readonly string[] {
  const urls = Array.isArray(servers) ? servers.flatMap((server) => (isJsonObject(server) ? server.url : [])) : [];
  const paths = urls.flatMap((url) =>
    typeof url === 'string' ? url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/\/+$/, '') : [],
  );
  return [...new Set([...paths, ''])];
}

/** True for what a segment such as `{id}` or `{id}:cancel` may be. */
function fitsSegment(segment: string, sent: string): boolean {
  const literals = segment.split(/\{[^}]*\}/);
  const first = literals.shift() ?? '';
  const last = literals.pop() ?? '';
  let position = first.length;
  for (const literal of literals) {
    const start = sent.indexOf(literal, position + 1);
    if (start === -1) return false;
    position = start + literal.length;
  }
  return sent.startsWith(first) && sent.endsWith(last) && position < sent.length - last.length;
}

/** More than the segments of a path. */
const extraSegmentCost = 1000;

/**
 * How much is literally the same, segments above all; undefined where the path is another one. The value of the last parameter may have
 * slashes, as the name of a branch has, where no longer template matches.
 */
function matchPath(template: string, path: string): number | undefined {
  // Most templates of a large document differ before their first parameter.
  const [start = ''] = template.split('{', 1);
  if (!path.startsWith(start)) return undefined;
  const expected = template.split('/');
  const actual = path.split('/');
  const extra = actual.length - expected.length;
  if (extra < 0 || (extra > 0 && !/^\{[^{}]*\}$/.test(expected.at(-1) ?? ''))) return undefined;
  let literal = -extra * extraSegmentCost;
  for (const [index, segment] of expected.entries()) {
    const sent = actual[index] ?? '';
    if (segment === sent) literal += 1;
    else if (!segment.includes('{') || !fitsSegment(segment, sent)) return undefined;
    else if (!/^\{[^}]*\}$/.test(segment)) literal += partOfSegment;
  }
  return literal;
}

/** The operation of a request: the one with the most literal segments, as OpenAPI demands. */
export function findOperation(document: OpenApiDescription, { method, path }: DocumentRequest): Operation | undefined {
  const ownPath = path.replace(/[?#].*$/, '');
  const name = method.toLowerCase();
  let best: { readonly operation: Operation; readonly literal: number } | undefined;
  for (const prefix of listPrefixes(document)) {
    if (!ownPath.startsWith(`${prefix}/`)) continue;
    const relativePath = ownPath.slice(prefix.length);
    for (const [template, item] of Object.entries(document.paths)) {
      const literal = matchPath(template, relativePath);
      if (literal === undefined || (best && best.literal >= literal)) continue;
      const resolved = resolveReference(document, item);
      const definition = isJsonObject(resolved) ? resolved[name] : undefined;
      if (!isJsonObject(definition)) continue;
      best = { operation: { template, method: name, definition }, literal };
    }
  }
  return best?.operation;
}
