import type { Clock } from '../environment/clock.ts';
import type { Database } from './database.ts';
import type { Sql } from './sql.ts';

/** Returns the cached result for `key`, or reads it. Undefined results are not cached. */
export type CachedReader<T> = (key: string, operation: (sql: Sql) => T | undefined) => Promise<T | undefined>;

/** Another process (a command beside the server) writes rarely: its commits are noticed within this time. */
const checkIntervalMs = 50;

/**
 * Caches results of reads until this process or another one commits. Holds at most `maxEntries`; beyond that the cache is
 * emptied.
 */
export function createCachedReader<T>(
  { read, onCommit, getForeignVersion }: Pick<Database, 'read' | 'onCommit' | 'getForeignVersion'>,
  clock: Pick<Clock, 'monotonicMs'>,
  maxEntries: number,
): CachedReader<T> {
  const cache = new Map<string, T>();
  let lastVersion: number | undefined;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  const clearIfChanged = (): void => {
    if (clock.monotonicMs() - checkedAtMs < checkIntervalMs) return;
    checkedAtMs = clock.monotonicMs();
    const currentVersion = getForeignVersion();
    if (currentVersion !== lastVersion) cache.clear();
    lastVersion = currentVersion;
  };
  onCommit(() => cache.clear());
  return (key, operation) =>
    read((sql) => {
      clearIfChanged();
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const value = operation(sql);
      if (cache.size >= maxEntries) cache.clear();
      if (value !== undefined) cache.set(key, value);
      return value;
    });
}
