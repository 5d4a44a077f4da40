/** Files that hold one secret: mode 0600, written whole or not at all. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { sep } from 'node:path';
import { vpError } from '../errors/vp-error.ts';

function exposed(file: string): boolean {
  // Windows keeps access in lists, not in mode bits: the profile folder guards the file there.
  return sep === '/' && (statSync(file).mode & 0o077) !== 0;
}

/** Reads a secret file; undefined when there is none. Throws STORE_KEY_EXPOSED when other users may read it. */
export function readKeyFile(file: string): string | undefined {
  try {
    if (exposed(file)) throw vpError('STORE_KEY_EXPOSED', { file });
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes `text` and a newline so that a reader sees the old file or the new one, never a part; the folder must exist. */
export function writeKeyFile(file: string, text: string): void {
  const part = `${file}.part`;
  rmSync(part, { force: true });
  const descriptor = openSync(part, 'wx', 0o600);
  try {
    writeSync(descriptor, `${text}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(part, file);
}
