/** Copies of SQLite stores: taken while the store is in use, and checked before a restore. */
import { existsSync, rmSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { vpError } from '../../errors/vp-error.ts';
import { moveIntoPlace } from '../../files/atomic-write.ts';
import type { StoreKind, StoreSnapshot } from '../database.ts';
import { createPrivateFile } from '../private-files.ts';
import { toStoreError } from './errors.ts';
import { nativeAddonOptions } from './native-addon.ts';

/** Pages copied at a time, so that a store in use is not blocked for long. */
const pagesPerStep = 1000;

/** Opens a snapshot of the store `source`. Throws STORE_ABSENT, STORE_*. */
export function openSqliteSnapshot(source: string): StoreSnapshot {
  if (!existsSync(source)) throw vpError('STORE_ABSENT', { file: source });
  const sqlite = openReadOnlyFile(source);
  try {
    // A copy restarts at every write and would never end in a busy store, so a read transaction holds the present state.
    sqlite.exec('BEGIN');
    sqlite.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (thrown) {
    sqlite.close();
    throw toStoreError(thrown, source);
  }
  return { copyTo: (target, onProgress) => copySnapshot(sqlite, target, onProgress), close: () => sqlite.close() };
}

async function copySnapshot(
  sqlite: Sqlite.Database,
  target: string,
  onProgress: (share: number) => void,
): Promise<number> {
  const part = `${target}.part`;
  try {
    rmSync(part, { force: true });
    createPrivateFile(part);
    const { totalPages } = await sqlite.backup(part, {
      progress({ totalPages: total, remainingPages: remaining }) {
        onProgress(total === 0 ? 1 : 1 - remaining / total);
        return pagesPerStep;
      },
    });
    moveIntoPlace(part, target);
    return totalPages * Number(sqlite.pragma('page_size', { simple: true }));
  } catch (thrown) {
    rmSync(part, { force: true });
    throw toStoreError(thrown, target);
  }
}

function openReadOnlyFile(file: string): Sqlite.Database {
  try {
    return new Sqlite(file, { ...nativeAddonOptions(), readonly: true });
  } catch (thrown) {
    throw toStoreError(thrown, file);
  }
}

/** Why `file` is not a complete copy of a store of `kind` that this version can read; undefined when it is one. */
export function findSqliteCopyProblem(file: string, kind: StoreKind): string | undefined {
  if (!existsSync(file)) return 'the file does not exist';
  try {
    const sqlite = openReadOnlyFile(file);
    try {
      return findStoreProblem(sqlite, kind);
    } finally {
      sqlite.close();
    }
  } catch {
    return 'it cannot be read as a database';
  }
}

function findStoreProblem(sqlite: Sqlite.Database, kind: StoreKind): string | undefined {
  if (sqlite.pragma('application_id', { simple: true }) !== kind.applicationId) return 'it is not a store of vp';
  const version = Number(sqlite.pragma('user_version', { simple: true }));
  if (version > kind.migrations.length) return `it was created by a newer version (schema ${version})`;
  const [first] = sqlite.prepare('PRAGMA integrity_check(1)').pluck().all();
  return first === 'ok' ? undefined : 'it is damaged';
}
