import { closeSync, existsSync, openSync } from 'node:fs';
import { vpError } from '../errors/vp-error.ts';

/**
 * Makes `file`, empty and for this user alone (0600), unless it is there: SQLite opens it as it is and keeps its mode.
 * Throws STORE_UNWRITABLE.
 */
export function preparePrivateFile(file: string): void {
  if (existsSync(file)) return;
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (cause) {
    throw vpError('STORE_UNWRITABLE', { file }, { cause, detail: String(cause) });
  }
}
