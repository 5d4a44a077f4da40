import { toPointerPart } from '../audit/redacted-arguments.ts';

/** More letters than any name of a policy has. */
const maxNormalizedLength = 200;

/** Long runs of separators are skipped by a search: it costs more for each letter and less for each separator. */
const maxLoopLength = 1000;

/** Letter by letter: a replacement in a name of megabytes would take a hundred times as long. What exceeds the limit is cut. */
function normalizeName(name: string, maxLength: number): string {
  let normalized = '';
  const loopLength = Math.min(name.length, maxLoopLength);
  for (let index = 0; index < loopLength && normalized.length <= maxLength; index += 1) {
    const code = name.charCodeAt(index);
    if (code !== 0x20 && code !== 0x2d && code !== 0x5f) normalized += name[index];
  }
  if (name.length <= maxLoopLength) return normalized.toLowerCase();
  const letter = /[^ _-]/g;
  letter.lastIndex = loopLength;
  while (normalized.length <= maxLength && letter.lastIndex < name.length && letter.test(name))
    normalized += name[letter.lastIndex - 1];
  return normalized.toLowerCase();
}

/** False for most of the names that are none of those which begin with one of these letters, without normalizing them. */
function mayBegin(name: string, firstLetters: ReadonlySet<number>): boolean {
  const code = name.charCodeAt(0);
  const isOtherLetter = code < 0x80 && code !== 0x20 && code !== 0x2d && code !== 0x5f;
  return !isOtherLetter || firstLetters.has(code >= 0x41 && code <= 0x5a ? code + 0x20 : code);
}

/** Names of fields, ignoring case, hyphens and underscores. */
export type FieldNames = {
  readonly names: ReadonlySet<string>;
  readonly firstLetters: ReadonlySet<number>;
  /** Longer names are none of these. */
  readonly maxLength: number;
};

export function normalizeFieldNames(names: readonly string[]): FieldNames {
  const normalized = new Set(names.map((name) => normalizeName(name, maxNormalizedLength)));
  return {
    names: normalized,
    firstLetters: new Set([...normalized].map((name) => name.charCodeAt(0))),
    maxLength: Math.max(...[...normalized].map((name) => name.length), 0),
  };
}

/** JSON pointers of the fields with these names. */
export function findFieldPointers(value: unknown, fields: FieldNames): string[] {
  const pointers: string[] = [];
  if (fields.maxLength > 0) collectPointers(value, { fields, pointers, path: [] });
  return pointers;
}

const limits = { depth: 20, maxPointers: 1000 } as const;

type PointerSearch = {
  readonly fields: FieldNames;
  readonly pointers: string[];
  /** The names that lead to the value. */
  readonly path: string[];
};

function collectPointers(value: unknown, search: PointerSearch): void {
  const { fields, pointers, path } = search;
  if (typeof value !== 'object' || value === null) return;
  if (path.length > limits.depth || pointers.length >= limits.maxPointers) return;
  const { names, firstLetters, maxLength } = fields;
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    path.push(name);
    if (!isList && mayBegin(name, firstLetters) && names.has(normalizeName(name, maxLength)))
      pointers.push(path.map((part) => `/${toPointerPart(part)}`).join(''));
    else collectPointers(member, search);
    path.pop();
  }
}
