import type { ClientBase } from 'pg';
import type { BackupStoreName } from '../store-files.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { isUsableAfter } from './errors.ts';
import { lockClass, storeLocks } from './locks.ts';

/** Notices that other processes have committed: the commit numbers of a store have no gaps but for theirs. */
export type ForeignCommits = {
  /** Grows with each notice. */
  readonly version: number;
  noteOwn(commitNumber: number): void;
  /** Somebody says that there is something to notice: looks at once. */
  look(): void;
  stop(): void;
};

const checkIntervalMs = 250;

/** The newest number, and whether a transaction that may have taken it was open afterwards: whoever takes one has the lock. */
export type CommitState = { readonly last: number; readonly isWriting: boolean };

export async function readCommits(client: ClientBase, store: BackupStoreName): Promise<CommitState> {
  const lock = storeLocks[store];
  // One behind the other, in this order.
  const [numbers, writers] = await Promise.all([
    client.query<{ last_value: number }>(
      `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last_value FROM vp.commits_${lock}`,
    ),
    client.query(
      `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = ${lockClass} AND objid = ${lock} AND granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    ),
  ]);
  return { last: Number(numbers.rows[0]?.last_value ?? 0), isWriting: writers.rows.length > 0 };
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

  async function check(): Promise<void> {
    isChecking = true;
    mustCheckAgain = false;
    // While PostgreSQL is away nobody commits; uses of the store say so.
    const state = await pool.with(({ client }) => readCommits(client, store), isUsableAfter).catch(() => undefined);
    isChecking = false;
    if (isStopped) return;
    if (state) {
      const isNew = state.last > highest;
      if (isNew || isUnsettled) notice();
      isUnsettled = state.isWriting && (isNew || isUnsettled);
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
