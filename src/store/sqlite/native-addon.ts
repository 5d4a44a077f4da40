/**
 * SQLite's native addon. When running from sources, better-sqlite3 finds it itself. The packed binary carries it as an asset,
 * which the operating system can load from a file only: it is written once to the user's cache, named by its hash.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getAsset, getRawAsset, isSea } from 'node:sea';
import { processEnvironment } from '../../environment/environment.ts';
import { userId } from '../../environment/user.ts';
import { vpError } from '../../errors/vp-error.ts';
import { writeFileAtomically } from '../../files/atomic-write.ts';

/** `sha256` is the hash of the bytes, in hexadecimal. */
export type NativeAddonAsset = { readonly sha256: string; bytes(): Uint8Array };

/** Other users could place a library where we look, so files they may write are never loaded. Root's files are trusted. */
function isTrustedPath(path: string, kind: 'isFile' | 'isDirectory'): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.[kind]()) return false;
  const isTrusted = stats.uid === userId || stats.uid === 0;
  return userId === undefined || (isTrusted && (stats.mode & 0o022) === 0);
}

function hasDigest(file: string, sha256: string): boolean {
  return isTrustedPath(file, 'isFile') && createHash('sha256').update(readFileSync(file)).digest('hex') === sha256;
}

/**
 * Returns the file that holds `asset`, below `cacheFolder`, writing it unless it exists intact.
 * Throws STORE_ADDON_UNAVAILABLE when it cannot be written, or when other users may write the folder.
 */
export function extractAddon(asset: NativeAddonAsset, cacheFolder: string): string {
  const folder = join(cacheFolder, 'native');
  const file = join(folder, `better_sqlite3-${asset.sha256.slice(0, 32)}.node`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isTrustedPath(folder, 'isDirectory'))
      throw new Error(`${folder} belongs to another user or can be written by others`);
    if (!hasDigest(file, asset.sha256)) writeFileAtomically(file, asset.bytes(), { mode: 0o700 });
  } catch (cause) {
    throw vpError('STORE_ADDON_UNAVAILABLE', { folder }, { cause, detail: String(cause) });
  }
  return file;
}

let loadedFile: string | undefined;

function loadPacked(cacheFolder: string): string {
  const sha256 = getAsset('better_sqlite3.sha256', 'utf8');
  const file = extractAddon({ sha256, bytes: () => new Uint8Array(getRawAsset('better_sqlite3.node')) }, cacheFolder);
  try {
    createRequire(file)(file);
  } catch (cause) {
    throw vpError('STORE_ADDON_UNAVAILABLE', { folder: join(cacheFolder, 'native') }, { cause, detail: String(cause) });
  }
  return file;
}

/**
 * Options for better-sqlite3: empty outside the packed binary. `cacheFolder` is the user's cache by default; the first call
 * decides, because a library is loaded once per process. Throws STORE_ADDON_UNAVAILABLE.
 */
export function nativeAddonOptions(cacheFolder?: string): { nativeBinding?: string } {
  if (!isSea()) return {};
  loadedFile ??= loadPacked(cacheFolder ?? processEnvironment().paths.cache);
  return { nativeBinding: loadedFile };
}
