/**
 * One process per data folder. The lock is an exclusive transaction on a small SQLite file: the operating system ends it
 * with the process, however that ends. Rejected: a file with a process id, which outlives a kill -9.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { VpError, vpError } from '../errors/vp-error.ts';
import { addonOptions } from './addon.ts';
import { isSqliteError, storeFault } from './faults.ts';
import { makePrivateFolder } from './folder.ts';
import { preparePrivateFile } from './private-file.ts';

/** A lock that is held. */
export type FolderLock = { release(): void };

function holderOf(file: string): string {
  try {
    const pid = readFileSync(file, 'utf8').trim();
    return /^\d+$/.test(pid) ? ` (process ${pid})` : '';
  } catch {
    return '';
  }
}

function take(file: string): Sqlite.Database {
  const sqlite = new Sqlite(file, addonOptions());
  try {
    sqlite.pragma('busy_timeout = 0');
    sqlite.pragma('locking_mode = EXCLUSIVE');
    sqlite.exec('BEGIN EXCLUSIVE');
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** Takes the lock `name` of `folder` (made when absent). Throws STORE_IN_USE naming the holder's process. */
export function lockFolder(folder: string, name: string, pid: number): FolderLock {
  const holderFile = join(folder, `${name}.pid`);
  const file = join(folder, `${name}.lock`);
  try {
    makePrivateFolder(folder);
    preparePrivateFile(file);
    const sqlite = take(file);
    writeFileSync(holderFile, `${pid}\n`, { mode: 0o600 });
    return { release: () => sqlite.close() };
  } catch (thrown) {
    if (isSqliteError(thrown) && thrown.code.startsWith('SQLITE_BUSY'))
      throw vpError('STORE_IN_USE', { folder, holder: holderOf(holderFile) });
    if (thrown instanceof VpError) throw thrown;
    if (!isSqliteError(thrown)) throw vpError('STORE_UNWRITABLE', { file }, { cause: thrown, detail: String(thrown) });
    throw storeFault(thrown, file);
  }
}
