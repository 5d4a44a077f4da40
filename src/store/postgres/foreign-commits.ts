import type { BackupStoreName } from '../store-files.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { isUsableAfter } from './errors.ts';
import { storeLocks } from './locks.ts';

/** Notices that other processes have committed: the commit numbers of a store have no gaps but for theirs. */
export type ForeignCommits = {
  /** Grows with each notice. */
  readonly version: number;
  noteOwn(commitNumber: number): void;
  stop(): void;
};

const checkIntervalMs = 250;

/** `onForeign` is called after each notice. A transaction that was undone looks like a commit, which does no harm. */
export function watchForeignCommits(
  pool: ConnectionPool,
  store: BackupStoreName,
  onForeign: () => void,
): ForeignCommits {
  let highest = 0;
  let version = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function note(commitNumber: number): void {
    const isForeign = commitNumber > highest && highest > 0;
    highest = Math.max(highest, commitNumber);
    if (!isForeign) return;
    version += 1;
    onForeign();
  }

  async function check(): Promise<void> {
    const text = `SELECT last_value FROM vp.commits_${storeLocks[store]}`;
    // While PostgreSQL is away nobody commits; uses of the store say so.
    const result = await pool
      .with(({ client }) => client.query<{ last_value: number }>(text), isUsableAfter)
      .catch(() => undefined);
    if (isStopped) return;
    note(Number(result?.rows[0]?.last_value ?? 0));
    schedule();
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
      // The next number after ours is not foreign.
      if (commitNumber === highest + 1) highest = commitNumber;
      else note(commitNumber);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
