import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { vpError } from '../../errors/vp-error.ts';
import type { Database, DatabaseOptions, StoreKind, StorePositionOptions } from '../database.ts';
import { createPrivateFolder } from '../private-files.ts';
import type { Sql } from '../sql.ts';
import { toStoreError } from './errors.ts';
import { GroupCommit } from './group-commit.ts';
import { createStoreReader, openSqliteFile } from './open-file.ts';
import { createStatementCache } from './statement-cache.ts';
import { assertNotInUse, type CommitCounter, createCommitCounter, inspectSqliteStore } from './store-position.ts';

function createFolder(file: string): void {
  try {
    createPrivateFolder(dirname(file));
  } catch (cause) {
    throw vpError('STORE_UNWRITABLE', { file }, { cause, detail: String(cause) });
  }
}

/** Free pages are used again, so only an excess is returned to the disk, in steps of a few milliseconds. */
const retainedFreePages = 1024;
const pagesPerVacuum = 512;
/** The write-ahead log is cut back to this after a burst. */
const maxLogBytes = 16_777_216;

const initialPragmas = ['auto_vacuum = INCREMENTAL'];
const databasePragmas = [
  'synchronous = FULL',
  'foreign_keys = ON',
  'cache_size = -16000',
  `journal_size_limit = ${maxLogBytes}`,
];

/**
 * Opens one SQLite file so that it survives a power cut (WAL, synchronous FULL), and migrates it forward.
 * Throws STORE_UNWRITABLE, STORE_CORRUPT, STORE_FOREIGN, STORE_NEWER, and with `position` STORE_DAMAGED, STORE_IN_USE,
 * STORE_WENT_BACK.
 */
export function openSqliteDatabase({ file, createKind: kind, position }: DatabaseOptions): Database {
  createFolder(file);
  try {
    if (position) prepareToOpen(file, kind, position);
    const sqlite = openSqliteFile({ file, kind, busyMs: 5000, initialPragmas, pragmas: databasePragmas });
    try {
      const sql = createStatementCache(sqlite);
      const counter = position && createCommitCounter(sqlite, file, kind, position, sql.countChanges);
      return createDatabase(sqlite, sql, file, counter);
    } catch (error) {
      sqlite.close();
      throw error;
    }
  } catch (thrown) {
    throw toStoreError(thrown, file);
  }
}

function prepareToOpen(file: string, kind: StoreKind, { role, pid, onLoss, knownCommits }: StorePositionOptions): void {
  const loss = inspectSqliteStore(file, kind, knownCommits);
  if (loss && !onLoss) throw loss;
  if (loss) onLoss?.(loss);
  if (role === 'owner' && existsSync(file)) assertNotInUse(file, pid);
}

function createDatabase(sqlite: Sqlite.Database, sql: Sql, file: string, counter: CommitCounter | undefined): Database {
  const group = new GroupCommit(sqlite, sql, file, counter);
  const read = createStoreReader(sqlite, sql, file);
  const foreignVersion = sqlite.prepare('PRAGMA data_version').pluck();
  return {
    file,
    write: (operation) => group.write(operation),
    async writeAndRead(operation, reading) {
      return { value: await group.write(operation), read: () => read(reading) };
    },
    read,
    // A read ends in the turn in which it begins.
    readExclusively: read,
    onCommit: (listener) => group.onCommit(listener),
    countCommits: () => counter?.commits,
    getForeignVersion: () => Number(foreignVersion.get()),
    shrink() {
      if (!sqlite.open || Number(sqlite.pragma('freelist_count', { simple: true })) <= retainedFreePages) return false;
      sqlite.exec(`PRAGMA incremental_vacuum(${pagesPerVacuum})`);
      return true;
    },
    async ping() {
      await read(() => sql.get('SELECT 1'));
    },
    async close() {
      group.close();
      if (!sqlite.open) return;
      sqlite.close();
      counter?.close();
    },
  };
}
