import { toPointerPart } from '../audit/redacted-arguments.ts';

/** More letters than any name of a policy has. */
const maxNormalizedLength = 200;

/** Letter by letter: a replacement in a name of megabytes would take a hundred times as long. */
function normalizeName(name: string): string {
  let normalized = '';
  for (let index = 0; index < name.length && normalized.length <= maxNormalizedLength; index += 1) {
    const code = name.charCodeAt(index);
    if (code !== 0x20 && code !== 0x2d && code !== 0x5f) normalized += name[index];
  }
  return normalized.toLowerCase();
}

/** JSON pointers of the fields with these names, ignoring case, hyphens and underscores. */
export function findFieldPointers(value: unknown, names: ReadonlySet<string>): string[] {
  const pointers: string[] = [];
  collectPointers(value, '', names, pointers, 0);
  return pointers;
}

export function normalizeFieldNames(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(normalizeName));
}

const limits = { depth: 20, maxPointers: 1000 } as const;

function collectPointers(
  value: unknown,
  pointer: string,
  names: ReadonlySet<string>,
  pointers: string[],
  depth: number,
): void {
  if (typeof value !== 'object' || value === null || depth > limits.depth || pointers.length >= limits.maxPointers)
    return;
  for (const [name, member] of Object.entries(value)) {
    const fieldPointer = `${pointer}/${toPointerPart(name)}`;
    if (!Array.isArray(value) && names.has(normalizeName(name))) pointers.push(fieldPointer);
    else collectPointers(member, fieldPointer, names, pointers, depth + 1);
  }
}
