/** Notices, before a store is used, that it is damaged, that it lost commits, or that another process has it open. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { isProcessAlive } from '../../environment/process-id.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import type { StoreKind, StorePositionOptions } from '../database.ts';
import type { Sql } from '../sql.ts';
import { isSqliteError } from './errors.ts';
import { findStructuralDamage } from './integrity.ts';
import { nativeAddonOptions } from './native-addon.ts';
import { getPositionFile, PositionWriter, readFileStamp, readPosition, readSqliteOwner } from './position-file.ts';
import type { StorePosition } from './position-record.ts';

/** Created beside the tables of every kind of store that does not count in `meta`. */
export const positionTable =
  'CREATE TABLE IF NOT EXISTS store_position (id INTEGER PRIMARY KEY CHECK (id = 1), commits INTEGER NOT NULL) STRICT';

/** By table: where a version before counted, and where this one does. */
const selectCommits = [
  ['store_position', 'SELECT commits FROM store_position WHERE id = 1'],
  ['meta', "SELECT value FROM meta WHERE name = 'commits'"],
] as const;

function readCommits(sqlite: Sqlite.Database): number {
  const hasTable = sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  const counts = selectCommits.map(([table, text]) =>
    hasTable.get(table) ? Number(sqlite.prepare(text).pluck().get() ?? 0) : 0,
  );
  return Math.max(...counts);
}

/** Both parameters are the number that the count goes on behind. */
const advanceTable = `INSERT INTO store_position VALUES (1, ? + 1)
  ON CONFLICT DO UPDATE SET commits = max(commits, ?) + 1 RETURNING commits`;
const advanceMeta = `INSERT INTO meta VALUES ('commits', CAST(CAST(? AS INTEGER) + 1 AS TEXT))
  ON CONFLICT DO UPDATE SET value = CAST(max(CAST(value AS INTEGER), CAST(? AS INTEGER)) + 1 AS TEXT)
  RETURNING CAST(value AS INTEGER)`;

/**
 * A connection that changes nothing: the last one to close would delete the write-ahead log, and with it what can be seen of a
 * loss. Without that log, a reading connection would create one.
 */
export function openForInspection(file: string): Sqlite.Database {
  return new Sqlite(file, { ...nativeAddonOptions(), readonly: existsSync(`${file}-wal`), fileMustExist: true });
}

/** The commits of `known` that the store does not have; undefined when it has all. */
function findLostCommits(file: string, sqlite: Sqlite.Database, known: number): VpError | undefined {
  const commits = readCommits(sqlite);
  if (commits >= known) return undefined;
  const values = { file, lost: known - commits, known, commits };
  return vpError('STORE_WENT_BACK', values);
}

/** Refused where the store is migrated. A database without tables is not foreign: it would become a new store. */
function isForeign(sqlite: Sqlite.Database, applicationId: number): boolean {
  const isEmpty = sqlite.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  return !isEmpty && sqlite.pragma('application_id', { simple: true }) !== applicationId;
}

/** SQLite would open such a file as a new store. */
export function isAbsentOrEmpty(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** An empty file is what an interrupted copy or a full disk leaves; SQLite would open it as a new store. */
function findLostFile(file: string, { commits }: StorePosition): VpError | undefined {
  if (commits === 0) return undefined;
  const problem = existsSync(file) ? 'empty' : 'missing';
  return vpError('STORE_LOST', { file, problem, companion: basename(getPositionFile(file)) });
}

/**
 * Inspects the store `file`, if it exists, without changing it. After an end out of order, or when the file changed while it was
 * closed, all of its pages are checked. Returns STORE_LOST or STORE_WENT_BACK when commits are gone that the file beside it, or
 * `knownCommits`, tells of. Throws STORE_DAMAGED and SQLite's errors.
 */
export function inspectSqliteStore(file: string, { applicationId }: StoreKind, knownCommits = 0): VpError | undefined {
  const position = readPosition(file);
  if (isAbsentOrEmpty(file)) return position && findLostFile(file, position);
  const sqlite = openForInspection(file);
  try {
    const isClean = position?.state === 'closed' && position.fileStamp === readFileStamp(file);
    const problem = isClean ? undefined : findStructuralDamage(sqlite);
    if (problem !== undefined) throw vpError('STORE_DAMAGED', { file, problem });
    if (isForeign(sqlite, applicationId)) return undefined;
    return findLostCommits(file, sqlite, Math.max(position?.commits ?? 0, knownCommits));
  } finally {
    sqlite.close();
  }
}

/**
 * The lock of the folder is a file that can be removed; the store itself is locked by everybody who has it open. Throws
 * STORE_IN_USE when that is another control plane or executor, and not a reader such as `vp backup`.
 */
export function assertNotInUse(file: string, pid: number): void {
  const sqlite = new Sqlite(file, nativeAddonOptions());
  try {
    sqlite.pragma('busy_timeout = 0');
    sqlite.pragma('locking_mode = EXCLUSIVE');
    sqlite.exec('BEGIN EXCLUSIVE; COMMIT');
  } catch (thrown) {
    if (!isSqliteError(thrown) || !thrown.code.startsWith('SQLITE_BUSY')) throw thrown;
    const owner = readSqliteOwner(file);
    if (owner === undefined || !(owner === pid || isProcessAlive(owner))) return;
    throw vpError('STORE_IN_USE', { folder: dirname(file), holder: ` (process ${owner})` });
  } finally {
    sqlite.close();
  }
}

/**
 * Continues the count of a restored copy at the time in milliseconds: further than what other stores know of its original, which
 * makes fewer than a thousand commits a second.
 */
export function leapSqliteCommits(sql: Sql, nowMs: number): void {
  sql.execute(positionTable);
  const text = 'INSERT INTO store_position VALUES (1, ?) ON CONFLICT DO UPDATE SET commits = max(commits, ?)';
  sql.execute(text, nowMs, nowMs);
}

/** Counts the commits of one connection. */
export type CommitCounter = {
  /** Those that are committed. */
  readonly commits: number;
  /** Within each transaction, before its commit. */
  count(): void;
  /** After it. */
  record(): void;
  /** After the connection is closed. */
  close(): void;
};

/** Creates the counter in the store, which is open for writing. `countChanges` is that of its statements. */
export function createCommitCounter(
  sqlite: Sqlite.Database,
  file: string,
  { countsCommitsInMeta }: StoreKind,
  { role, pid, knownCommits = 0 }: StorePositionOptions,
  countChanges: () => number,
): CommitCounter {
  if (!countsCommitsInMeta) sqlite.exec(positionTable);
  const advance = sqlite.prepare<[number, number], number>(countsCommitsInMeta ? advanceMeta : advanceTable).pluck();
  const writer = new PositionWriter(file);
  const before = readPosition(file);
  let commits = readCommits(sqlite);
  let changes = countChanges();
  let isCounted = false;
  // A loss that was accepted stays visible until the first commit, which records it, and goes on behind what was lost.
  const floor = Math.max(before?.commits ?? 0, knownCommits);
  let reached = Math.max(commits, floor);
  const write = (state: StorePosition['state'], send: (position: StorePosition) => void): void => {
    const fileStamp = state === 'closed' ? readFileStamp(file) : '-';
    const owner = role === 'guest' ? readPosition(file) : undefined;
    if (owner) send({ ...owner, commits: Math.max(reached, owner.commits), fileStamp });
    else send({ state, commits: reached, pid, fileStamp });
  };
  const writeOpen = (): void => write('open', (position) => writer.write(position));
  if (role === 'owner') writeOpen();
  return {
    get commits() {
      return reached;
    },
    count() {
      const total = countChanges();
      // A transaction that changes nothing costs no write.
      isCounted = total !== changes;
      if (!isCounted) return;
      commits = advance.get(floor, floor) ?? commits;
      changes = total;
    },
    record() {
      if (!isCounted) return;
      isCounted = false;
      reached = commits;
      writeOpen();
    },
    close: () => write('closed', (position) => writer.close(position)),
  };
}
