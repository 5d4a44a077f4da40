/** Copies all stores of a control plane between files and a database. */
import { existsSync, rmSync } from 'node:fs';
import { vpError } from '../../errors/vp-error.ts';
import { auditEntryTables } from '../audit/entries.ts';
import { formatPartName, nameBackupParts, removeUnfinishedBackups } from '../backup-files.ts';
import { saveLastNumbers } from '../control/counters.ts';
import { createStoreTables } from '../engine.ts';
import {
  assertEmptyDatabase,
  copyFromDatabase,
  copyIntoDatabase,
  type DatabaseTransfer,
  type LastNumbers,
  type TransferOptions,
} from '../postgres/transfer.ts';
import type { Sql } from '../sql.ts';
import { type BackupStoreName, backedUpStores } from '../store-files.ts';
import type { CopiedTable, NewStoreTables, TableReader } from './copied-table.ts';
import { type CopiedTableReport, type CopyProgress, copyTables } from './copy-tables.ts';
import type { SourceStores } from './source-folder.ts';

/** `bytes` is the size of a file that was written. */
export type StoreCopyReport = {
  readonly store: BackupStoreName;
  readonly tables: readonly CopiedTableReport[];
  readonly bytes?: number;
};

export type StoreCopyProgress = (store: BackupStoreName, ...progress: Parameters<CopyProgress>) => void;

/** Verifies the audit of the copy before it is valid; throws otherwise. `read` reads the copy. */
export type AuditVerification = (read: <T>(operation: (sql: Sql) => T) => Promise<T>) => Promise<void>;

export type StoreCopyOptions = TransferOptions & {
  readonly verifyAudit: AuditVerification;
  readonly onProgress: StoreCopyProgress;
};

type TablesByStore = Record<BackupStoreName, readonly CopiedTable[]>;

/** The tables of each store, from an empty one. */
function listAllTables(): TablesByStore {
  const tables: TablesByStore = { control: [], audit: [], memory: [] };
  for (const { name, kind } of backedUpStores) {
    const empty = createStoreTables(':memory:', kind);
    tables[name] = empty.tables;
    empty.close();
  }
  return tables;
}

/** Throws STORE_DATABASE_NOT_EMPTY, STORE_DATABASE_IN_USE, STORE_COPY_DIFFERENT and other STORE_*; the database is empty then. */
export async function copyFilesIntoDatabase(
  { stores }: SourceStores,
  { verifyAudit, onProgress, ...options }: StoreCopyOptions,
): Promise<StoreCopyReport[]> {
  const reports: StoreCopyReport[] = [];
  const copy = async (transfer: DatabaseTransfer): Promise<void> => {
    for (const [store, source] of stores) {
      const target = transfer.getTables(store);
      const onStoreProgress: CopyProgress = (...progress) => onProgress(store, ...progress);
      const tables = await copyTables({ tables: source.tables, source, target, onProgress: onStoreProgress });
      reports.push({ store, tables });
    }
    if (stores.has('audit')) await verifyAudit((operation) => transfer.read('audit', operation));
  };
  await copyIntoDatabase(options, { tables: listAllTables(), copy });
  return reports;
}

/** What {@link copyFilesIntoDatabase} would do, without changing anything. Returns the database's name. */
export async function examineTargetDatabase(options: TransferOptions): Promise<string> {
  return await assertEmptyDatabase(options, listAllTables());
}

/** Reads the stores of a database at one moment, while they are in use. Throws STORE_DATABASE_EMPTY and other STORE_*. */
export async function readDatabaseStores<T>(
  options: TransferOptions,
  use: (stores: DatabaseTransfer) => Promise<T>,
): Promise<T> {
  return await copyFromDatabase({ ...options, isMoving: false, tables: listAllTables() }, use);
}

/** The rows of a database, without copying them. */
export async function countDatabaseRows(options: TransferOptions): Promise<StoreCopyReport[]> {
  return await readDatabaseStores(options, async (transfer) => {
    const reports: StoreCopyReport[] = [];
    for (const [store, tables] of Object.entries(listAllTables()) as [BackupStoreName, readonly CopiedTable[]][])
      reports.push({ store, tables: await countTables(tables, transfer.getTables(store)) });
    return reports;
  });
}

/** The rows of files, without copying them; those included of `pendingEntries` of the audit, which a copy adds first. */
export async function countFileRows({ stores }: SourceStores, pendingEntries = 0): Promise<StoreCopyReport[]> {
  const reports: StoreCopyReport[] = [];
  for (const [store, source] of stores) {
    const tables = await countTables(source.tables, source);
    reports.push({ store, tables: store === 'audit' ? addEntries(tables, pendingEntries) : tables });
  }
  return reports;
}

function addEntries(tables: readonly CopiedTableReport[], entries: number): CopiedTableReport[] {
  return tables.map((report) =>
    auditEntryTables.includes(report.table) ? { ...report, rows: report.rows + entries } : report,
  );
}

async function countTables(tables: readonly CopiedTable[], reader: TableReader): Promise<CopiedTableReport[]> {
  const reports: CopiedTableReport[] = [];
  for (const table of tables) reports.push({ table: table.name, rows: await reader.countRows(table), sum: '' });
  return reports;
}

export type DatabaseCopyOptions = StoreCopyOptions & {
  /** Where the copy of each store is written; nothing may be there. */
  readonly getFile: (store: BackupStoreName) => string;
  readonly pid: number;
  /** Nobody may use the database; see `copyFromDatabase`. */
  readonly isMoving: boolean;
};

/**
 * Writes all stores of a database, as they are at one moment, into files that get their names when all are complete, the control
 * plane's last. Throws BACKUP_EXISTS, STORE_*; no file is left then.
 */
export async function copyDatabaseIntoFiles(options: DatabaseCopyOptions): Promise<StoreCopyReport[]> {
  const { getFile, pid, isMoving, settings, clock } = options;
  const files = backedUpStores.map(({ name }) => getFile(name));
  removeUnfinishedBackups(files, pid);
  for (const file of files) if (existsSync(file)) throw vpError('BACKUP_EXISTS', { file });
  const tables = listAllTables();
  const parts = files.map((file) => ({ file, part: formatPartName(file, pid) }));
  try {
    const reports = await copyFromDatabase({ settings, clock, isMoving, tables }, async (transfer, numbers) => {
      const copies: StoreCopyReport[] = [];
      for (const { name, kind } of backedUpStores) {
        const target = createStoreTables(formatPartName(getFile(name), pid), kind);
        try {
          copies.push(await copyStore(name, transfer, { target, numbers }, options));
        } catch (error) {
          target.discard();
          throw error;
        }
      }
      return copies;
    });
    nameBackupParts(parts);
    return reports;
  } finally {
    for (const { part } of parts) if (existsSync(part)) rmSync(part, { force: true });
  }
}

async function copyStore(
  store: BackupStoreName,
  transfer: DatabaseTransfer,
  { target, numbers }: { readonly target: NewStoreTables; readonly numbers: LastNumbers },
  { verifyAudit, onProgress }: StoreCopyOptions,
): Promise<StoreCopyReport> {
  const onStoreProgress: CopyProgress = (...progress) => onProgress(store, ...progress);
  const source = transfer.getTables(store);
  const tables = await copyTables({ tables: target.tables, source, target, onProgress: onStoreProgress });
  if (store === 'control') saveLastNumbers(target.sql, numbers);
  if (store === 'audit') await verifyAudit(async (operation) => operation(target.sql));
  return { store, tables, bytes: target.finish() };
}
