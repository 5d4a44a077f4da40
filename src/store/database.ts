/** One SQLite file: opened so that it survives a power cut (WAL, synchronous FULL), migrated forward, written in groups. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { vpError } from '../errors/vp-error.ts';
import { addonOptions } from './addon.ts';
import { storeFault } from './faults.ts';
import { GroupCommit } from './group-commit.ts';
import { migrate, type StoreKind } from './migrate.ts';
import { preparePrivateFile } from './private-file.ts';
import { cachedStatements, type Sql } from './sql.ts';

/** An open store. */
export type Database = {
  readonly file: string;
  /** Runs `operation` in the transaction of this tick. Rejects with what it throws, or with STORE_* when the commit fails. */
  write<T>(operation: (sql: Sql) => T): Promise<T>;
  /** Reads what is committed. */
  read<T>(operation: (sql: Sql) => T): Promise<T>;
  /** Calls `listener` after each commit; the returned function stops that. */
  onCommit(listener: () => void): () => void;
  /** Commits what is pending and closes; later writes reject with STORE_CLOSED. */
  close(): Promise<void>;
};

/** `file` is created, with its folder (0700), when absent. */
export type DatabaseOptions = { readonly file: string; readonly kind: StoreKind };

function prepareFolder(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw vpError('STORE_UNWRITABLE', { file }, { cause, detail: String(cause) });
  }
}

function connect(file: string, kind: StoreKind): Sqlite.Database {
  preparePrivateFile(file);
  const sqlite = new Sqlite(file, addonOptions());
  try {
    sqlite.pragma('busy_timeout = 5000');
    migrate(sqlite, file, kind);
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('fullfsync = 1');
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma('cache_size = -16000');
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** Opens and migrates. Throws STORE_UNWRITABLE, STORE_CORRUPT, STORE_FOREIGN, STORE_NEWER. */
export function openDatabase({ file, kind }: DatabaseOptions): Database {
  prepareFolder(file);
  try {
    return databaseOn(connect(file, kind), file);
  } catch (thrown) {
    throw storeFault(thrown, file);
  }
}

function databaseOn(sqlite: Sqlite.Database, file: string): Database {
  const sql = cachedStatements(sqlite);
  const group = new GroupCommit(sqlite, sql, file);
  return {
    file,
    write: (operation) => group.write(operation),
    async read(operation) {
      if (!sqlite.open) throw vpError('STORE_CLOSED', {});
      try {
        return operation(sql);
      } catch (thrown) {
        throw storeFault(thrown, file);
      }
    },
    onCommit: (listener) => group.onCommit(listener),
    async close() {
      group.close();
      sqlite.close();
    },
  };
}
