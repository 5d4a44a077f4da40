/** Files with secrets: mode 0600, written atomically. */
import { accessSync, constants, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { vpError } from '../errors/vp-error.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { getSystemErrorCode } from '../files/system-error.ts';

function isExposed(file: string): boolean {
  // Windows controls access by lists, not by mode bits; the profile folder protects the file there.
  return sep === '/' && (statSync(file).mode & 0o077) !== 0;
}

/**
 * Reads a secret file; undefined when there is none. Throws STORE_KEY_EXPOSED when other users may read it, and
 * STORE_KEY_UNREADABLE.
 */
export function readKeyFile(file: string): string | undefined {
  try {
    if (isExposed(file)) throw vpError('STORE_KEY_EXPOSED', { file });
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason = getSystemErrorCode(error);
    if (reason === undefined) throw error;
    if (reason === 'ENOENT') return undefined;
    throw vpError('STORE_KEY_UNREADABLE', { file, reason }, { cause: error });
  }
}

/** Creates the folder of a secret file that is to be written. Throws STORE_KEY_UNWRITABLE. */
export function ensureKeyFolder(file: string): void {
  wrapWriteErrors(file, () => {
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

/** Like {@link writeKeyFile}, without adding a newline. Throws STORE_KEY_UNWRITABLE. */
export function writeSecretFile(file: string, text: string): void {
  wrapWriteErrors(file, () => writeFileAtomically(file, text));
}

function wrapWriteErrors(file: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    const reason = getSystemErrorCode(error);
    if (reason === undefined) throw error;
    throw vpError('STORE_KEY_UNWRITABLE', { file, reason }, { cause: error });
  }
}
