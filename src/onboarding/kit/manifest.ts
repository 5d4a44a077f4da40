/** `kit.json`: the version of a kit, and which files of its folder belong to it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { manifestFile } from './kit-files.ts';

const KitManifest = Type.Object({
  kit: Type.Literal(1),
  version: Type.String(),
  /** The platform of the binary; null if the kit has none. */
  platform: Type.Union([Type.String(), Type.Null()]),
  /** Relative to the kit's folder. */
  files: Type.Array(Type.String({ pattern: '^(?!/)(?!.*(?:^|/)\\.\\.(?:/|$)).+$' })),
});
/** Content of `kit.json`. */
export type KitManifest = Static<typeof KitManifest>;

/** `foreign`: the folder contains other files, `names`. */
export type KitFolderState =
  | { readonly kind: 'kit'; readonly manifest: KitManifest }
  | { readonly kind: 'empty' }
  | { readonly kind: 'foreign'; readonly names: readonly string[] };

/** Files that file managers and file systems create. */
const systemFiles = new Set(['.DS_Store', 'lost+found']);

/** The folder need not exist. Throws system errors. */
export async function inspectKitFolder(folder: string): Promise<KitFolderState> {
  const manifest = parseManifest(await undefinedIfAbsent(readFile(join(folder, manifestFile), 'utf8')));
  if (manifest) return { kind: 'kit', manifest };
  const names = (await undefinedIfAbsent(readdir(folder))) ?? [];
  const foreign = names.filter((name) => !systemFiles.has(name)).sort();
  return foreign.length === 0 ? { kind: 'empty' } : { kind: 'foreign', names: foreign };
}

async function undefinedIfAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
}

function parseManifest(text: string | undefined): KitManifest | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return Value.Check(KitManifest, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function formatManifest(manifest: KitManifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
