import { pointerPart } from '../audit/kept-arguments.ts';

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '');
}

/** JSON pointers of the fields with these names, in any spelling of capitals, hyphens and underscores. */
export function pointersOf(value: unknown, names: ReadonlySet<string>): string[] {
  const found: string[] = [];
  walk(value, '', names, found, 0);
  return found;
}

/** Names as {@link pointersOf} compares them. */
export function plainNames(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(plain));
}

const most = { depth: 20, found: 1000 } as const;

function walk(value: unknown, pointer: string, names: ReadonlySet<string>, found: string[], depth: number): void {
  if (typeof value !== 'object' || value === null || depth > most.depth || found.length >= most.found) return;
  for (const [name, part] of Object.entries(value)) {
    const own = `${pointer}/${pointerPart(name)}`;
    if (!Array.isArray(value) && names.has(plain(name))) found.push(own);
    else walk(part, own, names, found, depth + 1);
  }
}
