import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { AuditDatabase, AuditReader } from '../audit/audit-database.ts';
import { auditStoreKind } from '../audit/audit-schema.ts';
import type { StoreKind } from '../database.ts';
import { createPrivateFolder } from '../private-files.ts';
import { toStoreError } from './errors.ts';
import { GroupCommit } from './group-commit.ts';
import { LogCheckpoints, type LogCheckpointsOptions } from './log-checkpoints.ts';
import { nativeAddonOptions } from './native-addon.ts';
import { createStoreReader, openSqliteFile } from './open-file.ts';
import { PositionWriter, readFileStamp } from './position-file.ts';
import { createStatementCache } from './statement-cache.ts';
import { inspectSqliteStore, openForInspection } from './store-position.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

const pageBytes = 4096;
/** Free pages are used again, so only a large excess is returned to the disk. */
const retainedFreePages = 8192;
const pagesPerVacuum = 2048;
/** Pages that are rewritten often are moved to the file once per this much of the write-ahead log, which is cut back to this. */
const logBytes = 16_777_216;
const logPages = logBytes / pageBytes;
/** A commit moves them itself when the log is as long as this, because no checkpoint of the thread was enough. */
const maxLogPages = 4 * logPages;

function openAuditFile(file: string, maxBytes: number): Sqlite.Database {
  createPrivateFolder(dirname(file));
  const pragmas = [
    'synchronous = NORMAL',
    'cache_size = -32000',
    `journal_size_limit = ${logBytes}`,
    `wal_autocheckpoint = ${maxLogPages}`,
    `max_page_count = ${Math.max(64, Math.ceil(maxBytes / pageBytes))}`,
  ];
  const initialPragmas = ['auto_vacuum = INCREMENTAL'];
  return openSqliteFile({ file, kind: auditStoreKind, busyMs: 250, initialPragmas, pragmas });
}

/**
 * `onError` is called once when the log can no longer be moved in another thread; the audit goes on. With `isChecked` the caller
 * has called {@link checkSqliteAudit}.
 */
export type SqliteAuditOptions = Pick<LogCheckpointsOptions, 'startThread'> & {
  readonly onError?: (error: unknown) => void;
  readonly isChecked?: boolean;
};

/** Checks all pages, unless the file was closed in order. Throws STORE_DAMAGED and other STORE_*. */
export function checkSqliteAudit(file: string): void {
  try {
    inspectSqliteStore(file, auditStoreKind);
  } catch (thrown) {
    throw toStoreError(thrown, file);
  }
}

/** Opens `file`, created when absent, which never grows beyond `maxBytes`. Throws STORE_DAMAGED and other STORE_*. */
export function openSqliteAuditDatabase(
  file: string,
  maxBytes: number,
  options: SqliteAuditOptions = {},
): AuditDatabase {
  if (!options.isChecked) checkSqliteAudit(file);
  try {
    return createAuditDatabase(openAuditFile(file, maxBytes), file, options);
  } catch (thrown) {
    throw toStoreError(thrown, file);
  }
}

function prepareNumberPragma(sqlite: Sqlite.Database, pragma: string): () => number {
  const statement = sqlite.prepare(`PRAGMA ${pragma}`).pluck();
  return () => Number(statement.get());
}

function readNumberPragma(sqlite: Sqlite.Database, pragma: string): number {
  return Number(sqlite.pragma(pragma, { simple: true }));
}

/** Belongs to the file itself, like its own position: no copy in another engine has it. */
export const controlPositionTable =
  'CREATE TABLE IF NOT EXISTS control_position (id INTEGER PRIMARY KEY CHECK (id = 1), commits INTEGER NOT NULL) STRICT';
const saveControlPosition =
  'INSERT INTO control_position VALUES (1, ?) ON CONFLICT DO UPDATE SET commits = excluded.commits';

/** The commits of the control plane's store that the audit `file` knows of; 0 where it is absent or cannot be read. */
export function readSqliteControlCommits(file: string): number {
  if (!existsSync(file)) return 0;
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = openForInspection(file);
    return Number(sqlite.prepare('SELECT commits FROM control_position WHERE id = 1').pluck().get() ?? 0);
  } catch {
    // Damage is reported where the audit is opened; an audit of an earlier version has no such table.
    return 0;
  } finally {
    sqlite?.close();
  }
}

/** Without the thread commits move the log themselves, when it is as long as that. */
function createLogCheckpoints(
  connection: Pick<LogCheckpointsOptions, 'sqlite' | 'file' | 'group'>,
  { onError, ...options }: SqliteAuditOptions,
): LogCheckpoints {
  const onFailure = (error: unknown): void => {
    connection.sqlite.pragma(`wal_autocheckpoint = ${logPages}`);
    const { file } = connection;
    const storeError = toStoreError(error, file);
    const isStoreError = storeError instanceof VpError;
    onError?.(
      isStoreError ? storeError : vpError('STORE_LOG_NOT_MOVED', { file }, { detail: String(error), cause: error }),
    );
  };
  return new LogCheckpoints({ ...connection, ...options, minPages: logPages, onFailure });
}

function createAuditDatabase(sqlite: Sqlite.Database, file: string, options: SqliteAuditOptions): AuditDatabase {
  sqlite.exec(controlPositionTable);
  const sql = createStatementCache(sqlite);
  const group = new GroupCommit(sqlite, sql, file);
  const mark = createOpenMark(file);
  const log = new WriteAheadLog(file);
  const checkpoints = createLogCheckpoints({ sqlite, file, group }, options);
  let isNew = true;
  // They are read after each sync, and preparing them anew takes longer than that.
  const countPages = prepareNumberPragma(sqlite, 'page_count');
  const countFreePages = prepareNumberPragma(sqlite, 'freelist_count');
  const measureUsedBytes = async (): Promise<number> => (countPages() - countFreePages()) * pageBytes;
  return {
    file,
    write: (operation) => group.write(operation),
    async writeDurably(operation) {
      // The first time SQLite does it, because it also syncs the folder that the new write-ahead log is in.
      if (isNew) {
        const value = commitDurably(sqlite, file, () => operation(sql));
        isNew = false;
        return value;
      }
      const value = await group.write(operation);
      await log.sync();
      return value;
    },
    noteControlCommits: (commits) => group.write(() => sql.execute(saveControlPosition, commits)),
    read: createStoreReader(sqlite, sql, file),
    getUsedBytes: measureUsedBytes,
    measureUsedBytes,
    async truncateLog() {
      // It would find the log in use.
      await checkpoints.finish();
      sqlite.pragma('wal_checkpoint(TRUNCATE)');
    },
    shrink() {
      if (countFreePages() > retainedFreePages) sqlite.exec(`PRAGMA incremental_vacuum(${pagesPerVacuum})`);
    },
    async getFreeDiskBytes() {
      const { bavail, bsize } = await statfs(dirname(file));
      return bavail * bsize;
    },
    async close() {
      group.close();
      await checkpoints.close();
      await log.close();
      sqlite.close();
      mark.close();
    },
  };
}

/**
 * Says beside the file whether it was closed in order, so that all of its pages are checked after another end. Its commits are
 * not counted: the control plane's store knows how far each chain had come.
 */
function createOpenMark(file: string): { close(): void } {
  const writer = new PositionWriter(file);
  // The folder's lock names the process.
  const position = { commits: 0, pid: 0 };
  writer.write({ ...position, state: 'open', fileStamp: '-' });
  return { close: () => writer.close({ ...position, state: 'closed', fileStamp: readFileStamp(file) }) };
}

function commitDurably<T>(sqlite: Sqlite.Database, file: string, operation: () => T): T {
  if (!sqlite.open) throw vpError('STORE_CLOSED', {});
  try {
    sqlite.pragma('synchronous = FULL');
    return sqlite.transaction(operation).immediate();
  } catch (thrown) {
    throw toStoreError(thrown, file);
  } finally {
    sqlite.pragma('synchronous = NORMAL');
  }
}

/** Opens an existing store for reading. Throws STORE_FOREIGN, STORE_*. */
export function openSqliteStoreReader(file: string, { applicationId, readerViews = [] }: StoreKind): AuditReader {
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = new Sqlite(file, { ...nativeAddonOptions(), readonly: true, fileMustExist: true });
    if (readNumberPragma(sqlite, 'application_id') !== applicationId) throw vpError('STORE_FOREIGN', { file });
    for (const view of readerViews[readNumberPragma(sqlite, 'user_version')] ?? []) sqlite.exec(view);
  } catch (thrown) {
    sqlite?.close();
    throw toStoreError(thrown, file);
  }
  const connection = sqlite;
  const sql = createStatementCache(connection);
  return {
    read(operation) {
      try {
        return connection.transaction(() => operation(sql))();
      } catch (thrown) {
        throw toStoreError(thrown, file);
      }
    },
    close: () => connection.close(),
  };
}
