import { toPointerPart } from '../audit/redacted-arguments.ts';

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '');
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
