/** Copies of stores: taken while one is in use, and looked at before one is put in its place. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { vpError } from '../errors/vp-error.ts';
import { addonOptions } from './addon.ts';
import { storeFault } from './faults.ts';
import type { StoreKind } from './migrate.ts';
import { preparePrivateFile } from './private-file.ts';

/** Pages copied at a time, so that a store in use is never held up for long. */
const pagesAtATime = 1000;

/** A store as it is at one moment, whoever goes on writing it. */
export type Snapshot = {
  /** Copies it into the new file `target`; gives the size in bytes. `onProgress` gets the share that is done. Throws STORE_*. */
  copyTo(target: string, onProgress: (share: number) => void): Promise<number>;
  close(): void;
};

/** Takes hold of the store `source`. Throws STORE_ABSENT, STORE_*. */
export function openSnapshot(source: string): Snapshot {
  if (!existsSync(source)) throw vpError('STORE_ABSENT', { file: source });
  const sqlite = openReadOnly(source);
  try {
    // A copy begins anew whenever somebody writes, and would never end in a busy store: this holds on to what is there now.
    sqlite.exec('BEGIN');
    sqlite.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (thrown) {
    sqlite.close();
    throw storeFault(thrown, source);
  }
  return { copyTo: (target, onProgress) => copied(sqlite, target, onProgress), close: () => sqlite.close() };
}

async function copied(sqlite: Sqlite.Database, target: string, onProgress: (share: number) => void): Promise<number> {
  const part = `${target}.part`;
  try {
    rmSync(part, { force: true });
    preparePrivateFile(part);
    const { totalPages } = await sqlite.backup(part, {
      progress({ totalPages: total, remainingPages: remaining }) {
        onProgress(total === 0 ? 1 : 1 - remaining / total);
        return pagesAtATime;
      },
    });
    renameSync(part, target);
    return totalPages * Number(sqlite.pragma('page_size', { simple: true }));
  } catch (thrown) {
    rmSync(part, { force: true });
    throw storeFault(thrown, target);
  }
}

/**
 * Copies the store `source` into the new file `target`, whoever is using it; gives the size in bytes.
 * `onProgress` gets the share that is done. Throws BACKUP_EXISTS, STORE_*.
 */
export async function copyStore(source: string, target: string, onProgress: (share: number) => void): Promise<number> {
  if (existsSync(target)) throw vpError('BACKUP_EXISTS', { file: target });
  const snapshot = openSnapshot(source);
  try {
    return await snapshot.copyTo(target, onProgress);
  } finally {
    snapshot.close();
  }
}

function openReadOnly(file: string): Sqlite.Database {
  try {
    return new Sqlite(file, { ...addonOptions(), readonly: true });
  } catch (thrown) {
    throw storeFault(thrown, file);
  }
}

/** Why `file` is no whole copy of a store of `kind` that this version can read; undefined when it is one. */
export function problemOfCopy(file: string, kind: StoreKind): string | undefined {
  if (!existsSync(file)) return 'there is no such file';
  try {
    const sqlite = openReadOnly(file);
    try {
      return problemOfOpen(sqlite, kind);
    } finally {
      sqlite.close();
    }
  } catch {
    return 'it cannot be read as a database';
  }
}

function problemOfOpen(sqlite: Sqlite.Database, kind: StoreKind): string | undefined {
  if (sqlite.pragma('application_id', { simple: true }) !== kind.applicationId) return 'it belongs to something else';
  const version = Number(sqlite.pragma('user_version', { simple: true }));
  if (version > kind.migrations.length) return `it was made by a newer version (schema ${version})`;
  const [first] = sqlite.prepare('PRAGMA integrity_check(1)').pluck().all();
  return first === 'ok' ? undefined : 'it is damaged';
}
