/** Files that hold one secret: mode 0600, written whole or not at all. */
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, sep } from 'node:path';
import { vpError } from '../errors/vp-error.ts';

function exposed(file: string): boolean {
  // Windows keeps access in lists, not in mode bits: the profile folder guards the file there.
  return sep === '/' && (statSync(file).mode & 0o077) !== 0;
}

/** What the operating system calls its refusal, such as EACCES; undefined for anything else. */
function reasonOf(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

/**
 * Reads a secret file; undefined when there is none. Throws STORE_KEY_EXPOSED when other users may read it, and
 * STORE_KEY_UNREADABLE.
 */
export function readKeyFile(file: string): string | undefined {
  try {
    if (exposed(file)) throw vpError('STORE_KEY_EXPOSED', { file });
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    if (reason === 'ENOENT') return undefined;
    throw vpError('STORE_KEY_UNREADABLE', { file, reason }, { cause: error });
  }
}

/** Makes the folder of a file that is to hold a secret which does not exist yet. Throws STORE_KEY_UNWRITABLE. */
export function prepareKeyFile(file: string): void {
  writing(file, () => {
    mkdirSync(dirname(file), { recursive: true });
    accessSync(dirname(file), constants.W_OK);
  });
}

/**
 * Writes `text` and a newline so that a reader sees the old file or the new one, never a part; the folder must exist.
 * Throws STORE_KEY_UNWRITABLE.
 */
export function writeKeyFile(file: string, text: string): void {
  writeSecretFile(file, `${text}\n`);
}

/** The same for a file with secrets in it, whose text is kept as it is. Throws STORE_KEY_UNWRITABLE. */
export function writeSecretFile(file: string, text: string): void {
  writing(file, () => writeWhole(file, text));
}

function writing(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    throw vpError('STORE_KEY_UNWRITABLE', { file, reason }, { cause: error });
  }
}

function writeWhole(file: string, text: string): void {
  const part = `${file}.part`;
  rmSync(part, { force: true });
  const descriptor = openSync(part, 'wx', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(part, file);
  syncFolder(dirname(file));
}

/** Makes the new name survive a power cut; a folder cannot be synced on Windows, where the rename is journaled. */
function syncFolder(folder: string): void {
  if (sep !== '/') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
