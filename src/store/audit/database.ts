/**
 * The audit's file: rows are committed without waiting for the disk (NORMAL), which survives the process; `secure` waits
 * for the disk (FULL), and with it everything before it is safe against a power cut. The file has a size that it never
 * exceeds, and gives pages of deleted rows back.
 */

import { open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { vpError } from '../../errors/vp-error.ts';
import { addonOptions } from '../addon.ts';
import type { Database } from '../database.ts';
import { storeFault } from '../faults.ts';
import { makePrivateFolder } from '../folder.ts';
import { GroupCommit } from '../group-commit.ts';
import { openFile, readerOf } from '../open-file.ts';
import { cachedStatements, type Sql } from '../sql.ts';
import { auditStoreKind } from './schema.ts';

/** The open file. */
export type AuditDatabase = Pick<Database, 'file' | 'write' | 'read' | 'close'> & {
  /** Runs `operation` now, in a transaction that is on the disk when this returns. Throws STORE_*. */
  secure<T>(operation: (sql: Sql) => T): T;
  /** The same without holding up this process while the disk works: on the disk when it resolves. Rejects with STORE_*. */
  secureSoon<T>(operation: (sql: Sql) => T): Promise<T>;
  /** Bytes of pages in use. */
  usedBytes(): number;
  /** Moves what was written to the file and empties its log, where what was erased still stands. */
  emptyLog(): void;
  /** Gives some of the pages that nothing uses back to the disk, where there are many. */
  shrink(): void;
  /** Bytes that the disk has left. */
  freeBytes(): Promise<number>;
};

const pageBytes = 4096;
/** Calls that end at the same time share a commit, which costs as much as four rows. */
const restMs = 1;
/** Free pages are used again: only what is far too much is given back. */
const keptFreePages = 8192;
const pagesAtOnce = 2048;
/** Pages that are written again and again are moved to the file once for so much of a write-ahead log, which is cut back to this. */
const logBytes = 16_777_216;

function connect(file: string, mostBytes: number): Sqlite.Database {
  makePrivateFolder(dirname(file));
  const more = [
    'synchronous = NORMAL',
    'cache_size = -32000',
    `journal_size_limit = ${logBytes}`,
    `wal_autocheckpoint = ${logBytes / pageBytes}`,
    `max_page_count = ${Math.max(64, Math.ceil(mostBytes / pageBytes))}`,
  ];
  return openFile({ file, kind: auditStoreKind, busyMs: 250, first: ['auto_vacuum = INCREMENTAL'], more });
}

/** Opens `file`, made when absent, which never grows over `mostBytes`. Throws STORE_*. */
export function openAuditDatabase(file: string, mostBytes: number): AuditDatabase {
  try {
    return databaseOn(connect(file, mostBytes), file);
  } catch (thrown) {
    throw storeFault(thrown, file);
  }
}

function numberOf(sqlite: Sqlite.Database, pragma: string): number {
  return Number(sqlite.pragma(pragma, { simple: true }));
}

function databaseOn(sqlite: Sqlite.Database, file: string): AuditDatabase {
  const sql = cachedStatements(sqlite);
  const group = new GroupCommit(sqlite, sql, file, restMs);
  let isNew = true;
  return {
    file,
    write: (operation) => group.write(operation),
    async secureSoon(operation) {
      // The first time SQLite does it, which also makes safe that the write-ahead log is in its folder.
      if (isNew) {
        const value = secured(sqlite, file, () => operation(sql));
        isNew = false;
        return value;
      }
      const value = await group.write(operation);
      await synced(file);
      return value;
    },
    read: readerOf(sqlite, sql, file),
    secure: (operation) => secured(sqlite, file, () => operation(sql)),
    usedBytes: () => (numberOf(sqlite, 'page_count') - numberOf(sqlite, 'freelist_count')) * pageBytes,
    emptyLog: () => void sqlite.pragma('wal_checkpoint(TRUNCATE)'),
    shrink() {
      if (numberOf(sqlite, 'freelist_count') > keptFreePages) sqlite.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`);
    },
    async freeBytes() {
      const { bavail, bsize } = await statfs(dirname(file));
      return bavail * bsize;
    },
    async close() {
      group.close();
      sqlite.close();
    },
  };
}

function secured<T>(sqlite: Sqlite.Database, file: string, operation: () => T): T {
  if (!sqlite.open) throw vpError('STORE_CLOSED', {});
  try {
    sqlite.pragma('synchronous = FULL');
    return sqlite.transaction(operation).immediate();
  } catch (thrown) {
    throw storeFault(thrown, file);
  } finally {
    sqlite.pragma('synchronous = NORMAL');
  }
}

/** What a commit under FULL does after it has written: the write-ahead log to the disk, here in a thread of its own. */
async function synced(file: string): Promise<void> {
  try {
    const log = await open(`${file}-wal`, 'r+');
    await log.datasync().finally(() => log.close());
  } catch (thrown) {
    throw vpError('STORE_UNWRITABLE', { file }, { cause: thrown, detail: String(thrown) });
  }
}

/** The file for reading alone, also while another process writes it. */
export type AuditReader = { read<T>(operation: (sql: Sql) => T): T; close(): void };

/** Opens an audit that is there. Throws STORE_ABSENT, STORE_FOREIGN, STORE_*. */
export function openAuditReader(file: string): AuditReader {
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = new Sqlite(file, { ...addonOptions(), readonly: true, fileMustExist: true });
    if (numberOf(sqlite, 'application_id') !== auditStoreKind.applicationId) throw vpError('STORE_FOREIGN', { file });
  } catch (thrown) {
    sqlite?.close();
    throw storeFault(thrown, file);
  }
  const open = sqlite;
  const sql = cachedStatements(open);
  return {
    // One transaction for all of it: what is read is of one moment.
    read(operation) {
      try {
        return open.transaction(() => operation(sql))();
      } catch (thrown) {
        throw storeFault(thrown, file);
      }
    },
    close: () => open.close(),
  };
}
