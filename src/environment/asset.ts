/** Files that travel with the product: read from the folder of the sources, or from inside the packed binary. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { getAsset, getAssetKeys, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/** Folders whose files the build packs (see build.mjs); names are relative to the project and written with `/`. */
const root = (): string => fileURLToPath(new URL('../../', import.meta.url));

/** The text of a file, such as `compose/example/.env.example`. Throws when there is none of that name. */
export function readAsset(name: string): string {
  return isSea() ? getAsset(name, 'utf8') : readFileSync(join(root(), name), 'utf8');
}

/** The names of all files below `folder`, such as `compose/example`, sorted. */
export function listAssets(folder: string): readonly string[] {
  if (isSea()) {
    const inside = getAssetKeys().filter((name) => name.startsWith(`${folder}/`));
    return inside.sort();
  }
  return readdirSync(join(root(), folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root(), join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .sort();
}
