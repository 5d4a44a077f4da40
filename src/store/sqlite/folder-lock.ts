/**
 * One process per data folder. The lock is an exclusive transaction on a small SQLite file: the operating system ends it
 * with the process, even after a kill -9. Rejected: a file with a process id, which outlives the process.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { FolderLock } from '../database.ts';
import { createPrivateFile, createPrivateFolder } from '../private-files.ts';
import { isSqliteError, toStoreError } from './errors.ts';
import { nativeAddonOptions } from './native-addon.ts';

function getHolderFile(folder: string, name: string): string {
  return join(folder, `${name}.pid`);
}

/** The process that took the lock last; a kill leaves it, and a new holder writes it after taking the lock. */
export function readSqliteLockHolder(folder: string, name: string): number | undefined {
  try {
    const pid = readFileSync(getHolderFile(folder, name), 'utf8').trim();
    return /^\d+$/.test(pid) ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}

function openExclusively(file: string): Sqlite.Database {
  const sqlite = new Sqlite(file, nativeAddonOptions());
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

/** Takes the lock `name` of `folder` (created when absent). Throws STORE_IN_USE with the holder's process. */
export function lockSqliteFolder(folder: string, name: string, pid: number): FolderLock {
  const file = join(folder, `${name}.lock`);
  try {
    createPrivateFolder(folder);
    createPrivateFile(file);
    const sqlite = openExclusively(file);
    writeFileSync(getHolderFile(folder, name), `${pid}\n`, { mode: 0o600 });
    return { release: () => sqlite.close() };
  } catch (thrown) {
    if (isSqliteError(thrown) && thrown.code.startsWith('SQLITE_BUSY')) {
      const holder = readSqliteLockHolder(folder, name);
      throw vpError('STORE_IN_USE', { folder, holder: holder === undefined ? '' : ` (process ${holder})` });
    }
    if (thrown instanceof VpError) throw thrown;
    if (!isSqliteError(thrown)) throw vpError('STORE_UNWRITABLE', { file }, { cause: thrown, detail: String(thrown) });
    throw toStoreError(thrown, file);
  }
}
