/** `kit.json`: which version a kit is of, and which of the files in its folder are the kit's. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { manifestFile } from './kit-files.ts';

const Manifest = Type.Object({
  kit: Type.Literal(1),
  version: Type.String(),
  /** Of the program; null where the kit has none. */
  platform: Type.Union([Type.String(), Type.Null()]),
  /** Below the kit's folder. */
  files: Type.Array(Type.String({ pattern: '^(?!/)(?!.*(?:^|/)\\.\\.(?:/|$)).+$' })),
});
/** What stands in `kit.json`. */
export type Manifest = Static<typeof Manifest>;

/** What a folder is: a kit, nothing yet, or somebody else's (`names` are some of what lies there). */
export type FolderState =
  | { readonly kind: 'kit'; readonly manifest: Manifest }
  | { readonly kind: 'empty' }
  | { readonly kind: 'foreign'; readonly names: readonly string[] };

/** What file managers and file systems leave behind. */
const strewn = new Set(['.DS_Store', 'lost+found']);

/** Looks at a folder, which need not exist. Throws what the system says of it. */
export async function stateOf(folder: string): Promise<FolderState> {
  const manifest = manifestOf(await unlessAbsent(readFile(join(folder, manifestFile), 'utf8')));
  if (manifest) return { kind: 'kit', manifest };
  const names = (await unlessAbsent(readdir(folder))) ?? [];
  const foreign = names.filter((name) => !strewn.has(name)).sort();
  return foreign.length === 0 ? { kind: 'empty' } : { kind: 'foreign', names: foreign };
}

async function unlessAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
}

function manifestOf(text: string | undefined): Manifest | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return Value.Check(Manifest, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** As it is written. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
