import { dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { vpError } from '../../errors/vp-error.ts';
import type { Database, DatabaseOptions } from '../database.ts';
import { createPrivateFolder } from '../private-files.ts';
import { toStoreError } from './errors.ts';
import { GroupCommit } from './group-commit.ts';
import { createStoreReader, openSqliteFile } from './open-file.ts';
import { createStatementCache } from './statement-cache.ts';

function createFolder(file: string): void {
  try {
    createPrivateFolder(dirname(file));
  } catch (cause) {
    throw vpError('STORE_UNWRITABLE', { file }, { cause, detail: String(cause) });
  }
}

const databasePragmas = ['synchronous = FULL', 'foreign_keys = ON', 'cache_size = -16000'];

/**
 * Opens one SQLite file so that it survives a power cut (WAL, synchronous FULL), and migrates it forward.
 * Throws STORE_UNWRITABLE, STORE_CORRUPT, STORE_FOREIGN, STORE_NEWER.
 */
export function openSqliteDatabase({ file, createKind: kind }: DatabaseOptions): Database {
  createFolder(file);
  try {
    return createDatabase(openSqliteFile({ file, kind, busyMs: 5000, pragmas: databasePragmas }), file);
  } catch (thrown) {
    throw toStoreError(thrown, file);
  }
}

function createDatabase(sqlite: Sqlite.Database, file: string): Database {
  const sql = createStatementCache(sqlite);
  const group = new GroupCommit(sqlite, sql, file);
  const read = createStoreReader(sqlite, sql, file);
  const foreignVersion = sqlite.prepare('PRAGMA data_version').pluck();
  return {
    file,
    write: (operation) => group.write(operation),
    read,
    onCommit: (listener) => group.onCommit(listener),
    getForeignVersion: () => Number(foreignVersion.get()),
    async ping() {
      await read(() => sql.get('SELECT 1'));
    },
    async close() {
      group.close();
      sqlite.close();
    },
  };
}
