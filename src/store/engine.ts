/**
 * The database engine in use: SQLite. Only this file and sqlite/ name it; the types in database.ts, sql.ts and
 * audit/audit-database.ts say what an engine provides.
 */

import type { VpError } from '../errors/vp-error.ts';
import type { AuditReader } from './audit/audit-database.ts';
import { auditStoreKind } from './audit/audit-schema.ts';
import type { NewStoreTables, StoreTables } from './copy/copied-table.ts';
import type {
  CopyProblem,
  Database,
  DatabaseOptions,
  FolderLock,
  SchemaDifference,
  StoreKind,
  StoreSnapshot,
} from './database.ts';
import type { Sql } from './sql.ts';
import {
  checkSqliteAudit,
  openSqliteAuditDatabase,
  openSqliteStoreReader,
  readSqliteControlCommits,
} from './sqlite/audit-database.ts';
import { openSqliteDatabase } from './sqlite/database.ts';
import { lockSqliteFolder, readSqliteLockHolder } from './sqlite/folder-lock.ts';
import { findSqliteCopyProblem, readSqliteVersion } from './sqlite/integrity.ts';
import { getPositionFile, readSqliteOwner } from './sqlite/position-file.ts';
import {
  prepareReplacementFile,
  type ReplacementStepListener,
  removeSqliteFile,
  replaceSqliteFile,
} from './sqlite/replace-file.ts';
import { listSqliteSchemaDifferences } from './sqlite/schema-differences.ts';
import { openSqliteSnapshot } from './sqlite/snapshot.ts';
import { assertNotInUse, inspectSqliteStore, isAbsentOrEmpty, leapSqliteCommits } from './sqlite/store-position.ts';
import { createSqliteTables, openSqliteTables } from './sqlite/table-file.ts';

/** Opens and migrates a store. Throws STORE_*. */
export const openDatabase: (options: DatabaseOptions) => Database = openSqliteDatabase;

/** Opens the audit `file`, created when absent, which never grows beyond `maxBytes`. Throws STORE_*. */
export const openAuditDatabase: typeof openSqliteAuditDatabase = openSqliteAuditDatabase;

/** Checks all pages of the audit `file`, unless it was closed in order. Throws STORE_DAMAGED and other STORE_*. */
export const checkAuditDatabase: (file: string) => void = checkSqliteAudit;

/** Opens an existing store for reading, without a migration. Throws STORE_FOREIGN, STORE_*. */
export const openStoreReader: (file: string, kind: StoreKind) => AuditReader = openSqliteStoreReader;

/** Opens an existing audit for reading. Throws STORE_FOREIGN, STORE_*. */
export const openAuditReader = (file: string): AuditReader => openStoreReader(file, auditStoreKind);

/** Takes the lock `name` of `folder` (created when absent). Throws STORE_IN_USE with the holder's process. */
export const lockFolder: (folder: string, name: string, pid: number) => FolderLock = lockSqliteFolder;

/** The process that took the lock `name` of `folder` last. */
export const readLockHolder: (folder: string, name: string) => number | undefined = readSqliteLockHolder;

/** Opens a snapshot of the store `source`. Throws STORE_ABSENT, STORE_*. */
export const openSnapshot: (source: string) => StoreSnapshot = openSqliteSnapshot;

/** How the schema of `file` differs from that of its version. Throws STORE_*. */
export const listSchemaDifferences: (file: string, kind: StoreKind) => SchemaDifference[] = listSqliteSchemaDifferences;

/** Why `file` is not an intact copy of a store of `kind` that this version can read; undefined when it is one. */
export const findCopyProblem: (
  file: string,
  kind: StoreKind,
  onProgress: (share: number) => void,
) => Promise<CopyProblem | undefined> = findSqliteCopyProblem;

/** Opens an existing store for a copy in another engine. Throws STORE_ABSENT, STORE_FOREIGN, STORE_NEWER, STORE_OUTDATED, STORE_*. */
export const openStoreTables: (file: string, kind: StoreKind) => StoreTables = openSqliteTables;

/** Creates a store to be filled from another engine. Throws STORE_UNWRITABLE. */
export const createStoreTables: (file: string, kind: StoreKind) => NewStoreTables = createSqliteTables;

/** The loss of commits of the store `file`, which nothing has open. Throws STORE_DAMAGED. */
export const findStoreLoss: (file: string, kind: StoreKind) => VpError | undefined = inspectSqliteStore;

/** Creates a private copy of `copy` beside the store `file`, ready to replace it; returns its path, `<file>.part`. */
export const prepareReplacement: (copy: string, file: string) => string = prepareReplacementFile;

/** Replaces the store `file`, which nothing has open, by `part`, and keeps the old one as `<file>.replaced-<mark>`. Can be repeated. */
export const replaceStore: (part: string, file: string, mark: string, onStep: ReplacementStepListener) => void =
  replaceSqliteFile;

/** Throws STORE_IN_USE when another control plane or executor has the store `file` open, whoever holds the folder's lock. */
export const assertStoreNotInUse: (file: string, pid: number) => void = assertNotInUse;

/** Also true where there is no file. */
export const isStoreFileEmpty: (file: string) => boolean = isAbsentOrEmpty;

/** The process that has the store `file` open, or was killed while it had. */
export const readStoreOwner: (file: string) => number | undefined = readSqliteOwner;

/** The file beside a store that says how far it has come. */
export const getStorePositionFile: (file: string) => string = getPositionFile;

/** The commits of the control plane's store that the audit `file` knows of. */
export const readControlCommits: (auditFile: string) => number = readSqliteControlCommits;

/** Lets the count of commits of a restored copy go on behind all that its original can have. */
export const leapStoreCommits: (sql: Sql, nowMs: number) => void = leapSqliteCommits;

/** Removes a store's files. */
export const removeStore: (file: string) => void = removeSqliteFile;

/** The version of the store `file`, without a migration. Throws STORE_FOREIGN, STORE_*. */
export const readStoreVersion: (file: string, kind: StoreKind) => number = readSqliteVersion;
