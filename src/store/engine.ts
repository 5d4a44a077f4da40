/**
 * The database engine in use: SQLite. Only this file and sqlite/ name it; the types in database.ts, sql.ts and
 * audit/audit-database.ts say what an engine provides.
 */
import type { AuditDatabase, AuditReader } from './audit/audit-database.ts';
import type { Database, DatabaseOptions, FolderLock, StoreKind, StoreSnapshot } from './database.ts';
import { openSqliteAuditDatabase, openSqliteAuditReader } from './sqlite/audit-database.ts';
import { openSqliteDatabase } from './sqlite/database.ts';
import { lockSqliteFolder } from './sqlite/folder-lock.ts';
import { prepareReplacementFile, removeSqliteFile, replaceSqliteFile } from './sqlite/replace-file.ts';
import { findSqliteCopyProblem, openSqliteSnapshot } from './sqlite/snapshot.ts';

/** Opens and migrates a store. Throws STORE_UNWRITABLE, STORE_CORRUPT, STORE_FOREIGN, STORE_NEWER. */
export const openDatabase: (options: DatabaseOptions) => Database = openSqliteDatabase;

/** Opens the audit `file`, created when absent, which never grows beyond `maxBytes`. Throws STORE_*. */
export const openAuditDatabase: (file: string, maxBytes: number) => AuditDatabase = openSqliteAuditDatabase;

/** Opens an existing audit for reading. Throws STORE_FOREIGN, STORE_*. */
export const openAuditReader: (file: string) => AuditReader = openSqliteAuditReader;

/** Takes the lock `name` of `folder` (created when absent). Throws STORE_IN_USE with the holder's process. */
export const lockFolder: (folder: string, name: string, pid: number) => FolderLock = lockSqliteFolder;

/** Opens a snapshot of the store `source`. Throws STORE_ABSENT, STORE_*. */
export const openSnapshot: (source: string) => StoreSnapshot = openSqliteSnapshot;

/** Why `file` is not a complete copy of a store of `kind` that this version can read; undefined when it is one. */
export const findCopyProblem: (file: string, kind: StoreKind) => string | undefined = findSqliteCopyProblem;

/** Creates a private copy of `copy` beside the store `file`, ready to replace it; returns its path. */
export const prepareReplacement: (copy: string, file: string) => string = prepareReplacementFile;

/** Replaces the store `file`, which nothing has open, by `part`; returns the new path of the replaced store, if there was one. */
export const replaceStore: (part: string, file: string, mark: string) => string | undefined = replaceSqliteFile;

/** Removes a store's files. */
export const removeStore: (file: string) => void = removeSqliteFile;
