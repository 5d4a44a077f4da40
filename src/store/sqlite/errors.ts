/** Translates SQLite's errors to codes of the error table; SQLite's own text goes to the log only. */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import Sqlite from 'better-sqlite3';
import { type VpError, vpError } from '../../errors/vp-error.ts';

const codePatterns: readonly [RegExp, 'STORE_DISK_FULL' | 'STORE_CORRUPT' | 'STORE_UNWRITABLE'][] = [
  // Opening a store grows the file shared between processes; when that fails, the disk is full.
  [/^SQLITE_(FULL|IOERR_SHMSIZE)/, 'STORE_DISK_FULL'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'STORE_CORRUPT'],
  [/^SQLITE_(CANTOPEN|READONLY|PERM)/, 'STORE_UNWRITABLE'],
];

/** True for an error that SQLite itself raised. */
export function isSqliteError(thrown: unknown): thrown is InstanceType<typeof Sqlite.SqliteError> {
  return thrown instanceof Sqlite.SqliteError;
}

/** The error for a failed statement or commit on `file`; errors that are not SQLite's are returned unchanged. */
export function toStoreError(thrown: unknown, file: string): unknown {
  if (!isSqliteError(thrown)) return thrown;
  return toVpError(thrown, file);
}

function toVpError(thrown: InstanceType<typeof Sqlite.SqliteError>, file: string): VpError {
  const code = codePatterns.find(([pattern]) => pattern.test(thrown.code))?.[1] ?? 'STORE_UNUSABLE';
  const isFileError = /^SQLITE_(CANTOPEN|IOERR)/.test(thrown.code);
  const cause = (isFileError ? findOpenFailure() : undefined) ?? thrown;
  return vpError(code, { file }, { detail: `${thrown.code}: ${thrown.message}`, cause });
}

/** A database, its log, their index and a journal. */
const filesPerDatabase = 4;

/** SQLite does not tell why a file cannot be opened; a limit on open files is found by opening as many of another one. */
function findOpenFailure(): unknown {
  const opened: number[] = [];
  try {
    while (opened.length < filesPerDatabase) opened.push(openSync(devNull, 'r'));
    return undefined;
  } catch (error) {
    return error;
  } finally {
    opened.forEach(closeSync);
  }
}
