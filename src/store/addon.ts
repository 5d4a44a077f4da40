/**
 * SQLite's native part. From sources better-sqlite3 finds it by itself; the packed binary carries it as an asset, which the
 * operating system can load from a file only, so it is written once to the user's cache, under its content's hash.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getAsset, getRawAsset, isSea } from 'node:sea';
import { processEnvironment } from '../environment/environment.ts';
import { userId } from '../environment/user.ts';
import { vpError } from '../errors/vp-error.ts';

/** The native part as it is carried: `sha256` is the hash of its bytes, in hexadecimal. */
export type NativeAsset = { readonly sha256: string; bytes(): Uint8Array };

/** Other users could put a library of theirs where we look, so what they may write is never loaded; root needs no such way. */
function isOwn(path: string, kind: 'isFile' | 'isDirectory'): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.[kind]()) return false;
  const isTrusted = found.uid === userId || found.uid === 0;
  return userId === undefined || (isTrusted && (found.mode & 0o022) === 0);
}

function isIntact(file: string, sha256: string): boolean {
  return isOwn(file, 'isFile') && createHash('sha256').update(readFileSync(file)).digest('hex') === sha256;
}

/** Several processes may do this at once: each writes a file of its own and renames it. */
function write(folder: string, file: string, bytes: Uint8Array): void {
  const own = mkdtempSync(join(folder, 'new-'));
  try {
    const unfinished = join(own, 'addon.node');
    writeFileSync(unfinished, bytes, { mode: 0o700 });
    renameSync(unfinished, file);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/**
 * The file that holds `asset`, below `cacheFolder`, written unless it is there already and intact.
 * Throws STORE_ADDON_UNAVAILABLE when it cannot be written, or when the folder is open to others.
 */
export function extractAddon(asset: NativeAsset, cacheFolder: string): string {
  const folder = join(cacheFolder, 'native');
  const file = join(folder, `better_sqlite3-${asset.sha256.slice(0, 32)}.node`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isOwn(folder, 'isDirectory')) throw new Error(`${folder} belongs to another user or can be written by others`);
    if (!isIntact(file, asset.sha256)) write(folder, file, asset.bytes());
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
 * Options for better-sqlite3: empty outside the packed binary. A library is loaded once for the whole process, so without
 * `cacheFolder` it is the user's own cache. Throws STORE_ADDON_UNAVAILABLE.
 */
export function addonOptions(cacheFolder?: string): { nativeBinding?: string } {
  if (!isSea()) return {};
  loadedFile ??= loadPacked(cacheFolder ?? processEnvironment().paths.cache);
  return { nativeBinding: loadedFile };
}
