/** Copies of SQLite stores, taken while the store is in use. */
import { existsSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { vpError } from '../../errors/vp-error.ts';
import { syncFile } from '../../files/atomic-write.ts';
import type { CopyPhase, StoreSnapshot } from '../database.ts';
import { createPrivateFile } from '../private-files.ts';
import { isSqliteError, toStoreError } from './errors.ts';
import { findDamage, openReadOnlyFile } from './integrity.ts';
import { nativeAddonOptions } from './native-addon.ts';
import { removeSqliteFile } from './replace-file.ts';

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
  return {
    copyTo: (target, onProgress) => copySnapshot({ sqlite, source }, target, onProgress),
    close: () => sqlite.close(),
  };
}

/** The copy has the pages of the store one by one, so a check of the copy is a check of both. */
async function copySnapshot(
  { sqlite, source }: { readonly sqlite: Sqlite.Database; readonly source: string },
  target: string,
  onProgress: (phase: CopyPhase, share: number) => void,
): Promise<number> {
  createPrivateFile(target);
  try {
    const { totalPages } = await sqlite.backup(target, {
      progress({ totalPages: total, remainingPages: remaining }) {
        onProgress('copying', total === 0 ? 1 : 1 - remaining / total);
        return pagesPerStep;
      },
    });
    await assertCopyIntact(source, target, (share) => onProgress('checking', share));
    syncFile(target);
    return totalPages * Number(sqlite.pragma('page_size', { simple: true }));
  } catch (thrown) {
    removeSqliteFile(target);
    throw toStoreError(thrown, isDamage(thrown) ? source : target);
  }
}

function isDamage(thrown: unknown): boolean {
  return isSqliteError(thrown) && /^SQLITE_(CORRUPT|NOTADB)/.test(thrown.code);
}

async function assertCopyIntact(source: string, copy: string, onProgress: (share: number) => void): Promise<void> {
  const sqlite = new Sqlite(copy, nativeAddonOptions());
  try {
    // A store in WAL mode needs a writable folder even for reading; a backup may be kept on a disk that is read-only.
    sqlite.pragma('journal_mode = DELETE');
    const problem = await findDamage(sqlite, onProgress);
    if (problem !== undefined) throw vpError('STORE_DAMAGED', { file: source, problem });
  } finally {
    sqlite.close();
  }
}
