/**
 * Checkpoints of a write-ahead log in another thread. One within a commit stops everything while the disk syncs what it copied:
 * of 29 ms for 16 MB copying takes 5, and while others use the disk it takes up to a second.
 *
 * The log begins anew with a commit that finds all of it in the file. While commits go on it always has newer pages, so a second
 * checkpoint follows for which commits wait, and nothing else: it copies little, but only a checkpoint that finds no newer pages
 * syncs the file. A slow disk or a reader in another process lets the log grow; then SQLite checkpoints within a commit again
 * (`wal_autocheckpoint`), unless the thread is in the middle of a checkpoint.
 */
import { statSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { vpError } from '../../errors/vp-error.ts';
import { CheckpointThread } from './checkpoint-thread.ts';
import type { CheckpointResult } from './checkpoint-worker.ts';
import type { GroupCommit } from './group-commit.ts';

/** Reading the size of the log takes some 5 µs. */
const commitsPerMeasurement = 16;
/** On a disk that takes longer, commits go on and the log grows. */
const maxHoldMs = 50;

export type LogCheckpointsOptions = {
  readonly sqlite: Sqlite.Database;
  readonly file: string;
  readonly group: Pick<GroupCommit, 'hold' | 'onCommit'>;
  /** The log that is moved to the file. */
  readonly minPages: number;
  /** Called once, when no checkpoint follows any more. */
  readonly onFailure: (error: unknown) => void;
  readonly startThread?: ((file: string) => Pick<CheckpointThread, 'checkpoint' | 'close'>) | undefined;
};

type Thread = Pick<CheckpointThread, 'checkpoint' | 'close'>;

function readFileIdentity(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.dev}:${stats.ino}` : '-';
}

export class LogCheckpoints {
  readonly #options: LogCheckpointsOptions;
  readonly #identity: string;
  readonly #measurement: Sqlite.Statement;
  readonly #stopListening: () => void;
  /** Started for the first checkpoint: most processes never need one, and it takes memory. */
  #thread: Thread | undefined;
  #current: Promise<void> | undefined;
  #isClosing = false;
  #commits = 0;
  /** What the log had after the last checkpoints, until it begins anew. */
  #remainingPages = 0;

  constructor(options: LogCheckpointsOptions) {
    this.#options = options;
    this.#identity = readFileIdentity(options.file);
    this.#measurement = options.sqlite.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#stopListening = options.group.onCommit(() => this.#onCommit());
  }

  /** Resolves when the thread does nothing. Never rejects. */
  async finish(): Promise<void> {
    await this.#current;
  }

  /**
   * Resolves when the thread has ended. Never rejects, and reports no failure any more: a log that was not moved is complete, and
   * closing the file moves it.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopListening();
    await this.#current;
    await this.#thread?.close();
    this.#thread = undefined;
  }

  #onCommit(): void {
    this.#commits += 1;
    if (this.#current || this.#commits % commitsPerMeasurement !== 0) return;
    this.#current = this.#moveLogIfDue().finally(() => {
      this.#current = undefined;
    });
  }

  /** Never rejects. */
  async #moveLogIfDue(): Promise<void> {
    try {
      if (this.#isDue()) await this.#moveLog();
    } catch (error) {
      this.#stopListening();
      if (!this.#isClosing) this.#options.onFailure(error);
    }
  }

  /** What a reader in another process needs stays in the log: it is tried again when the log is a quarter longer. */
  #isDue(): boolean {
    const { minPages } = this.#options;
    const { log } = this.#measure();
    if (log < this.#remainingPages) this.#remainingPages = 0;
    return log >= Math.max(minPages, this.#remainingPages + minPages / 4);
  }

  #measure(): CheckpointResult {
    return this.#measurement.get() as CheckpointResult;
  }

  async #moveLog(): Promise<void> {
    this.#thread ??= this.#startThread();
    const { log, checkpointed } = await this.#thread.checkpoint();
    if (checkpointed === log && this.#measure().log > log) await this.#moveRest(this.#thread);
    this.#remainingPages = this.#measure().log;
  }

  /** Another file in the place of the open one would get the pages of its log. */
  #startThread(): Thread {
    const { file, startThread = (name) => new CheckpointThread(name) } = this.#options;
    if (readFileIdentity(file) !== this.#identity)
      throw vpError('STORE_UNWRITABLE', { file }, { detail: 'the file was removed or exchanged while it is open' });
    return startThread(file);
  }

  async #moveRest(thread: Thread): Promise<void> {
    const release = this.#options.group.hold(maxHoldMs);
    try {
      await thread.checkpoint();
    } finally {
      release();
    }
  }
}
