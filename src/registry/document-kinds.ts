/**
 * Parts of a document that are of one of several kinds, by their `type`. The schema complains for each kind that a part is
 * not; people want to read of the one that they meant.
 */
import type { ErrorObject } from 'ajv';

/** What a part is: whether its `type` is one of those that may stand there, and which errors are about another kind. */
export type Kind = {
  /** Of the part, as ajv writes it. */
  readonly path: string;
  readonly words: string;
  readonly isKnown: boolean;
  isOther(error: ErrorObject): boolean;
};

const places: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\/remotes\/\d+/, ['streamable-http', 'sse']],
  [/^\/packages\/\d+\/transport/, ['stdio', 'streamable-http', 'sse']],
  [/^\/packages\/\d+\/(?:runtime|package)Arguments\/\d+/, ['positional', 'named']],
];
/** What only some kinds need. */
const needs: Readonly<Record<string, readonly string[]>> = {
  'streamable-http': ['url'],
  sse: ['url'],
  named: ['name'],
  positional: ['value', 'valueHint'],
};

function valueAt(value: unknown, pointer: string): unknown {
  let found = value;
  for (const token of pointer.split('/').slice(1)) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = new Map<string, unknown>(Object.entries(found)).get(token);
  }
  return found;
}

/** The part that a place is in; undefined outside of such parts, and where it has no `type` to go by. */
export function kindAt(instancePath: string, document: unknown): Kind | undefined {
  for (const [pattern, types] of places) {
    const [path] = pattern.exec(instancePath) ?? [];
    if (path === undefined) continue;
    const type = valueAt(document, `${path}/type`);
    if (typeof type !== 'string') return undefined;
    return {
      path,
      words: types.join(', '),
      isKnown: types.includes(type),
      isOther: ({ instancePath: at, keyword, params }) =>
        at === `${path}/type` ||
        (type === 'stdio' && at.startsWith(path)) ||
        (at === path && keyword === 'required' && !needs[type]?.includes(params.missingProperty)),
    };
  }
  return undefined;
}
