/** Opens one SQLite file so that it survives a power cut, and reads what is committed in it. */
import Sqlite from 'better-sqlite3';
import { vpError } from '../errors/vp-error.ts';
import { addonOptions } from './addon.ts';
import type { Database } from './database.ts';
import { storeFault } from './faults.ts';
import { migrate, type StoreKind } from './migrate.ts';
import { preparePrivateFile } from './private-file.ts';
import type { Sql } from './sql.ts';

/** `first` are pragmas that must be set before anything is in the file, `more` those of one kind of store. */
export type FileOptions = {
  readonly file: string;
  readonly kind: StoreKind;
  readonly busyMs: number;
  readonly first?: readonly string[];
  readonly more: readonly string[];
};

/** Opens and migrates; the file is made when absent. Throws STORE_* and what SQLite throws; nothing stays open then. */
export function openFile({ file, kind, busyMs, first = [], more }: FileOptions): Sqlite.Database {
  preparePrivateFile(file);
  const sqlite = new Sqlite(file, addonOptions());
  try {
    // What is deleted is overwritten: sealed tokens, arguments of calls and what people asked to be forgotten among it.
    for (const pragma of [`busy_timeout = ${busyMs}`, 'secure_delete = ON', ...first]) sqlite.pragma(pragma);
    migrate(sqlite, file, kind);
    for (const pragma of ['journal_mode = WAL', 'fullfsync = 1', ...more]) sqlite.pragma(pragma);
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** `read` of a store. */
export function readerOf(sqlite: Sqlite.Database, sql: Sql, file: string): Database['read'] {
  return async (operation) => {
    if (!sqlite.open) throw vpError('STORE_CLOSED', {});
    try {
      return operation(sql);
    } catch (thrown) {
      throw storeFault(thrown, file);
    }
  };
}
