import type { BackupStoreName } from '../store-files.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { isUsableAfter } from './errors.ts';
import { lockClass, storeLocks } from './locks.ts';
import { type StoreSession, sendFixed } from './session.ts';

/** Notices that other processes have committed: the commit numbers of a store have no gaps but for theirs. */
export type ForeignCommits = {
  /** Grows with each notice. */
  readonly version: number;
  /** A transaction of this process is open, and has the store's lock; without a number, it has ended. */
  noteOpen(commitNumber: number | undefined): void;
  noteOwn(commitNumber: number): void;
  /** Somebody says that there is something to notice: looks at once. */
  look(): void;
  stop(): void;
};

const checkIntervalMs = 250;

/** The newest number, and whether a transaction that may have taken it was open afterwards: whoever takes one has the lock. */
export type CommitState = { readonly last: number; readonly isWriting: boolean };

async function readLastCommit(session: StoreSession, store: BackupStoreName): Promise<number> {
  const text = `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last_value FROM vp.commits_${storeLocks[store]}`;
  const { rows } = await sendFixed(session, { name: `last_commit_${store}`, text, values: [] });
  return Number(rows[0]?.last_value ?? 0);
}

async function hasWriter(session: StoreSession, store: BackupStoreName): Promise<boolean> {
  const text = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = ${lockClass} AND objid = ${storeLocks[store]} AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const { rows } = await sendFixed(session, { name: `writer_${store}`, text, values: [] });
  return rows.length > 0;
}

export async function readCommits(session: StoreSession, store: BackupStoreName): Promise<CommitState> {
  return { last: await readLastCommit(session, store), isWriting: await hasWriter(session, store) };
}

/**
 * `initial` was read when the store was opened, before anything was read from it. `onForeign` is called after each notice. A number is taken before its transaction is committed: while one may be open, the
 * notice is repeated, so that the last one comes after the commit. One for a transaction that was undone does no harm.
 */
export function watchForeignCommits(
  pool: ConnectionPool,
  store: BackupStoreName,
  initial: CommitState,
  onForeign: () => void,
): ForeignCommits {
  let highest = initial.last;
  let version = 0;
  /** The number of this process's transaction: it is no news, whatever becomes of it, until it has ended. */
  let open: number | undefined;
  /** A number was seen whose transaction may have been open. */
  let isUnsettled = initial.isWriting;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isChecking = false;
  /** What a check that is under way may have missed. */
  let mustCheckAgain = false;

  function notice(): void {
    version += 1;
    onForeign();
  }

  /** Undefined when there is nothing to notice: the locks of the whole server are looked at only where it matters who writes. */
  async function readChanges(session: StoreSession): Promise<CommitState | undefined> {
    const last = await readLastCommit(session, store);
    const isNew = last > highest && !(last === open && last === highest + 1);
    return isNew || isUnsettled ? { last, isWriting: await hasWriter(session, store) } : undefined;
  }

  async function check(): Promise<void> {
    isChecking = true;
    mustCheckAgain = false;
    // While PostgreSQL is away nobody commits; uses of the store say so.
    const state = await pool.with(readChanges, isUsableAfter).catch(() => undefined);
    isChecking = false;
    if (isStopped) return;
    if (state) {
      notice();
      isUnsettled = state.isWriting;
      highest = Math.max(highest, state.last);
    }
    if (mustCheckAgain) void check();
    else schedule();
  }

  function schedule(): void {
    timer = setTimeout(() => void check(), checkIntervalMs).unref();
  }

  schedule();
  return {
    get version() {
      return version;
    },
    noteOpen(commitNumber) {
      open = commitNumber;
      // Whoever had a lower number had the lock before, and has ended.
      if (open === undefined || !(isUnsettled || open > highest + 1)) return;
      isUnsettled = false;
      highest = Math.max(highest, open - 1);
      notice();
    },
    noteOwn(commitNumber) {
      // Numbers between the highest and ours are those of others, who had the lock before us.
      if (commitNumber > highest + 1) notice();
      highest = Math.max(highest, commitNumber);
    },
    look() {
      mustCheckAgain = true;
      if (isChecking || isStopped) return;
      clearTimeout(timer);
      void check();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
