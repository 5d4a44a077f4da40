/** One SQLite file: opened so that it survives a power cut (WAL, synchronous FULL), migrated forward, written in groups. */

import { dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { vpError } from '../errors/vp-error.ts';
import { storeFault } from './faults.ts';
import { makePrivateFolder } from './folder.ts';
import { GroupCommit } from './group-commit.ts';
import type { StoreKind } from './migrate.ts';
import { openFile, readerOf } from './open-file.ts';
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
    makePrivateFolder(dirname(file));
  } catch (cause) {
    throw vpError('STORE_UNWRITABLE', { file }, { cause, detail: String(cause) });
  }
}

const pragmas = ['synchronous = FULL', 'foreign_keys = ON', 'cache_size = -16000'];

/** Opens and migrates. Throws STORE_UNWRITABLE, STORE_CORRUPT, STORE_FOREIGN, STORE_NEWER. */
export function openDatabase({ file, kind }: DatabaseOptions): Database {
  prepareFolder(file);
  try {
    return databaseOn(openFile({ file, kind, busyMs: 5000, more: pragmas }), file);
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
    read: readerOf(sqlite, sql, file),
    onCommit: (listener) => group.onCommit(listener),
    async close() {
      group.close();
      sqlite.close();
    },
  };
}
