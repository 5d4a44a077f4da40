/** A store on PostgreSQL. Reads run side by side, each at one moment; writes one after another (write-queue.ts). */

import { vpError } from '../../errors/vp-error.ts';
import { Listeners } from '../../listeners/listeners.ts';
import type { Database } from '../database.ts';
import type { Sql } from '../sql.ts';
import type { CommitAnnouncer } from './commit-hint.ts';
import { type CommitNumbers, createCommitNumbers } from './commit-numbers.ts';
import { isPlanOutdated, isRetryable, toStoreError } from './errors.ts';
import { type CommitState, watchForeignCommits } from './foreign-commits.ts';
import { runWithoutStatements } from './operation.ts';
import { readOnce } from './read.ts';
import type { StoreAccess } from './store-access.ts';
import { WriteQueue } from './write-queue.ts';

export type PostgresDatabase = Database & {
  readonly numbers: CommitNumbers;
  /** Somebody says that another process has committed. */
  lookForCommits(): void;
};

const maxReadAttempts = 3;

/** The pool stays open: other stores of the same database use it too. */
export function createPostgresDatabase(
  options: StoreAccess,
  initialCommits: CommitState,
  announcer?: CommitAnnouncer,
): PostgresDatabase {
  const { store, pool } = options;
  const numbers = createCommitNumbers();
  const listeners = new Listeners();
  const foreign = watchForeignCommits(pool, store, initialCommits, listeners.notify);
  let isClosed = false;
  const queue = new WriteQueue({
    ...options,
    numbers,
    onOpen: (commitNumber) => foreign.noteOpen(commitNumber),
    onCommitted(commitNumber, hasWritten) {
      if (commitNumber !== undefined) foreign.noteOwn(commitNumber);
      if (!hasWritten) return;
      listeners.notify();
      announcer?.announce();
    },
  });
  const read: Database['read'] = async (operation) => {
    if (isClosed) throw vpError('STORE_CLOSED', {});
    // What a cache answers needs no connection.
    const immediate = runWithoutStatements(operation);
    return immediate ? immediate.value : await readRepeatedly(options, operation);
  };
  return {
    file: options.label,
    numbers,
    lookForCommits: () => foreign.look(),
    write: (operation) => queue.write(operation),
    async writeAndRead(operation, reading) {
      const { value, answer } = await queue.writeAndRead(operation, reading);
      return { value, read: () => answer?.catch(() => read(reading)) ?? read(reading) };
    },
    read,
    readExclusively: (operation) => queue.read(operation),
    onCommit: listeners.add,
    countCommits: () => undefined,
    getForeignVersion: () => foreign.version,
    shrink: () => false,
    async ping() {
      await read((sql) => sql.get('SELECT 1 AS alive'));
    },
    async close() {
      await queue.close();
      isClosed = true;
      foreign.stop();
      await announcer?.close();
    },
  };
}

/** A connection that broke while it was idle says so at its next use. */
async function readRepeatedly<T>(options: StoreAccess, operation: (sql: Sql) => T): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readOnce(options, operation);
    } catch (thrown) {
      // Each connection may have the outdated plan, and is closed.
      const maxAttempts = isPlanOutdated(thrown) ? options.pool.maxConnections + 1 : maxReadAttempts;
      if (attempt >= maxAttempts || !isRetryable(thrown)) throw toStoreError(thrown, options.describe);
    }
  }
}
