/**
 * What requests look up of accounts and credentials stays in memory until something of it is written: each request of a caller would
 * otherwise ask the store who that is, which on PostgreSQL takes a round trip.
 */
import type { Clock } from '../environment/clock.ts';
import { Listeners } from '../listeners/listeners.ts';
import { type CachedReader, createCachedReader } from '../store/cached-reader.ts';
import type { Database } from '../store/database.ts';

export type CredentialCaches = {
  /** Each of its writes empties the caches before it is reported, whatever became of it: one that failed may have been committed. */
  readonly database: Pick<Database, 'read' | 'write'>;
  /** For what only `database` writes. A commit of another process is noticed as soon as the store notices it. */
  createCache<T>(): CachedReader<T>;
  /** Calls `listener` when the caches are emptied; the returned function unsubscribes. */
  onWritten(listener: () => void): () => void;
};

const maxCachedCredentials = 1_000;

export function createCredentialCaches(
  { read, write, getForeignVersion }: Pick<Database, 'read' | 'write' | 'getForeignVersion'>,
  clock: Pick<Clock, 'monotonicMs'>,
): CredentialCaches {
  const writes = new Listeners();
  return {
    database: {
      read,
      async write(operation) {
        try {
          return await write(operation);
        } finally {
          writes.notify();
        }
      },
    },
    createCache: () =>
      createCachedReader({ read, getForeignVersion, onCommit: writes.add }, clock, maxCachedCredentials),
    onWritten: writes.add,
  };
}
