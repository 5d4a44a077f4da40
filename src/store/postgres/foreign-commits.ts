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

/** `initial` was read when the store was opened, before anything was read from it. `onForeign` is called after each notice. */
export function watchForeignCommits(
  pool: ConnectionPool,
  store: BackupStoreName,
  initial: CommitState,
  onForeign: () => void,
): ForeignCommits {
  const watch = new CommitWatch(pool, store, initial, onForeign);
  watch.schedule();
  return watch;
}

/**
 * A number is taken before its transaction is committed: while one may be open, the notice is repeated, so that the last one
 * comes after the commit. One for a transaction that was undone does no harm.
 */
class CommitWatch implements ForeignCommits {
  readonly #pool: ConnectionPool;
  readonly #store: BackupStoreName;
  readonly #onForeign: () => void;
  #version = 0;
  #highest: number;
  /** The number of this process's transaction: it is no news, whatever becomes of it, until it has ended. */
  #open: number | undefined;
  /** A number was seen whose transaction may have been open. */
  #isUnsettled: boolean;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isChecking = false;
  /** What a check that is under way may have missed. */
  #mustCheckAgain = false;

  constructor(pool: ConnectionPool, store: BackupStoreName, initial: CommitState, onForeign: () => void) {
    this.#pool = pool;
    this.#store = store;
    this.#onForeign = onForeign;
    this.#highest = initial.last;
    this.#isUnsettled = initial.isWriting;
  }

  get version(): number {
    return this.#version;
  }

  noteOpen(commitNumber: number | undefined): void {
    this.#open = commitNumber;
    // Whoever had a lower number had the lock before, and has ended.
    if (commitNumber === undefined || !(this.#isUnsettled || commitNumber > this.#highest + 1)) return;
    this.#isUnsettled = false;
    this.#highest = Math.max(this.#highest, commitNumber - 1);
    this.#notice();
  }

  noteOwn(commitNumber: number): void {
    // Numbers between the highest and ours are those of others, who had the lock before us.
    if (commitNumber > this.#highest + 1) this.#notice();
    this.#highest = Math.max(this.#highest, commitNumber);
  }

  look(): void {
    this.#mustCheckAgain = true;
    if (this.#isChecking || this.#isStopped) return;
    clearTimeout(this.#timer);
    void this.#check();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  schedule(): void {
    this.#timer = setTimeout(() => void this.#check(), checkIntervalMs).unref();
  }

  async #check(): Promise<void> {
    this.#isChecking = true;
    this.#mustCheckAgain = false;
    // While PostgreSQL is away nobody commits; uses of the store say so.
    const readChanges = (session: StoreSession) => this.#readChanges(session);
    const state = await this.#pool.with(readChanges, isUsableAfter).catch(() => undefined);
    this.#isChecking = false;
    if (this.#isStopped) return;
    if (state) {
      this.#notice();
      this.#isUnsettled = state.isWriting;
      this.#highest = Math.max(this.#highest, state.last);
    }
    if (this.#mustCheckAgain) void this.#check();
    else this.schedule();
  }

  /** Undefined when there is nothing to notice: the locks of the whole server are looked at only where it matters who writes. */
  async #readChanges(session: StoreSession): Promise<CommitState | undefined> {
    const last = await readLastCommit(session, this.#store);
    const isOwn = last === this.#open && last === this.#highest + 1;
    const isNew = last > this.#highest && !isOwn;
    return isNew || this.#isUnsettled ? { last, isWriting: await hasWriter(session, this.#store) } : undefined;
  }

  #notice(): void {
    this.#version += 1;
    this.#onForeign();
  }
}
