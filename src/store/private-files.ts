import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { vpError } from '../errors/vp-error.ts';

/**
 * Creates `folder` and its missing parents, for this user alone (0700). Throws the system's error. The runtime's recursive
 * mkdir does not end in file systems that cannot hold new folders, such as /proc.
 */
export function createPrivateFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) createPrivateFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Creates `file`, empty and for this user alone (0600), when absent: the database opens it as it is and keeps its mode.
 * Throws STORE_UNWRITABLE.
 */
export function createPrivateFile(file: string): void {
  if (existsSync(file)) return;
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (cause) {
    throw vpError('STORE_UNWRITABLE', { file }, { cause, detail: String(cause) });
  }
}
