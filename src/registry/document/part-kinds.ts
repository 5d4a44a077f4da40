/**
 * Parts of a document that have one of several kinds, by their `type`. The schema reports the violations of every kind;
 * people want to read those of the kind that they meant.
 */
import type { ErrorObject } from 'ajv';

/** The kind of a part: whether its `type` is allowed there, and which errors are about another kind. */
export type DocumentPartKind = {
  /** JSON pointer of the part. */
  readonly path: string;
  readonly allowedTypes: string;
  readonly isKnown: boolean;
  isAboutOtherKind(error: ErrorObject): boolean;
};

const partTypes: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\/remotes\/\d+/, ['streamable-http', 'sse']],
  [/^\/packages\/\d+\/transport/, ['stdio', 'streamable-http', 'sse']],
  [/^\/packages\/\d+\/(?:runtime|package)Arguments\/\d+/, ['positional', 'named']],
];
/** Members that only some kinds require. */
const requiredMembers: Readonly<Record<string, readonly string[]>> = {
  'streamable-http': ['url'],
  sse: ['url'],
  named: ['name'],
  positional: ['value', 'valueHint'],
};

function getValueAt(value: unknown, pointer: string): unknown {
  let current = value;
  for (const token of pointer.split('/').slice(1)) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = new Map<string, unknown>(Object.entries(current)).get(token);
  }
  return current;
}

/** The part that contains a path; undefined outside of such parts, and when the part has no `type`. */
export function findPartKind(instancePath: string, document: unknown): DocumentPartKind | undefined {
  for (const [pattern, types] of partTypes) {
    const [path] = pattern.exec(instancePath) ?? [];
    if (path === undefined) continue;
    const type = getValueAt(document, `${path}/type`);
    if (typeof type !== 'string') return undefined;
    return {
      path,
      allowedTypes: types.join(', '),
      isKnown: types.includes(type),
      isAboutOtherKind: ({ instancePath: errorPath, keyword, params }) =>
        errorPath === `${path}/type` ||
        (type === 'stdio' && errorPath.startsWith(path)) ||
        (errorPath === path && keyword === 'required' && !requiredMembers[type]?.includes(params.missingProperty)),
    };
  }
  return undefined;
}
