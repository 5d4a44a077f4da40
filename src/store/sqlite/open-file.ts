/** Opens one SQLite file so that it survives a power cut, and reads what is committed in it. */
import { statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { vpError } from '../../errors/vp-error.ts';
import type { Database, StoreKind } from '../database.ts';
import { createPrivateFile } from '../private-files.ts';
import type { Sql } from '../sql.ts';
import { toStoreError } from './errors.ts';
import { migrateStore } from './migrate.ts';
import { nativeAddonOptions } from './native-addon.ts';

/** `initialPragmas` must be set before anything is in the file; `pragmas` are those of one kind of store. */
export type SqliteFileOptions = {
  readonly file: string;
  readonly kind: StoreKind;
  readonly busyMs: number;
  readonly initialPragmas?: readonly string[];
  readonly pragmas: readonly string[];
};

/** Opens and migrates; the file is created when absent. Throws STORE_* and SQLite's errors; nothing stays open then. */
export function openSqliteFile({
  file,
  kind,
  busyMs,
  initialPragmas = [],
  pragmas,
}: SqliteFileOptions): Sqlite.Database {
  createPrivateFile(file);
  // Setting them again would write to a file that may be refused.
  const newFilePragmas = statSync(file).size === 0 ? initialPragmas : [];
  const sqlite = new Sqlite(file, nativeAddonOptions());
  try {
    // Deleted rows are overwritten: they may hold sealed tokens, call arguments or memories that people removed.
    for (const pragma of [`busy_timeout = ${busyMs}`, 'secure_delete = ON', ...newFilePragmas]) sqlite.pragma(pragma);
    migrateStore(sqlite, file, kind);
    for (const pragma of ['journal_mode = WAL', 'fullfsync = 1', ...pragmas]) sqlite.pragma(pragma);
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** `read` of a {@link Database}. */
export function createStoreReader(sqlite: Sqlite.Database, sql: Sql, file: string): Database['read'] {
  return async (operation) => {
    if (!sqlite.open) throw vpError('STORE_CLOSED', {});
    try {
      return operation(sql);
    } catch (thrown) {
      throw toStoreError(thrown, file);
    }
  };
}
