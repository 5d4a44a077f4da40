/** Turns what SQLite says into rows of the error table; SQLite's own words go to the log only. */
import Sqlite from 'better-sqlite3';
import { type VpError, vpError } from '../errors/vp-error.ts';

const codes: readonly [RegExp, 'STORE_DISK_FULL' | 'STORE_CORRUPT' | 'STORE_UNWRITABLE'][] = [
  // The file that is shared between processes must grow to open a store: it is the disk that stands in the way.
  [/^SQLITE_(FULL|IOERR_SHMSIZE)/, 'STORE_DISK_FULL'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'STORE_CORRUPT'],
  [/^SQLITE_(CANTOPEN|READONLY|PERM)/, 'STORE_UNWRITABLE'],
];

/** True for an error that SQLite itself raised. */
export function isSqliteError(thrown: unknown): thrown is InstanceType<typeof Sqlite.SqliteError> {
  return thrown instanceof Sqlite.SqliteError;
}

/** The error that a failed statement or commit on `file` means to a caller; anything not of SQLite comes back unchanged. */
export function storeFault(thrown: unknown, file: string): unknown {
  if (!isSqliteError(thrown)) return thrown;
  return faultOf(thrown, file);
}

function faultOf(thrown: InstanceType<typeof Sqlite.SqliteError>, file: string): VpError {
  const code = codes.find(([shape]) => shape.test(thrown.code))?.[1] ?? 'STORE_UNUSABLE';
  return vpError(code, { file }, { detail: `${thrown.code}: ${thrown.message}`, cause: thrown });
}
