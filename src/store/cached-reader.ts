import type { Clock } from '../environment/clock.ts';
import type { Database } from './database.ts';
import type { Sql } from './sql.ts';

/** Returns the cached result for `key`, or reads it. Undefined results are not cached. */
export type CachedReader<T> = (key: string, operation: (sql: Sql) => T | undefined) => Promise<T | undefined>;

/** Another process (a command beside the server) writes rarely: its commits are noticed within this time. */
const checkIntervalMs = 50;

/**
 * Caches results of reads until this process or another one commits. `onCommit` may be limited to the commits of this process
 * that change what is cached. Holds at most `maxEntries`; beyond that the cache is
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
  let generation = 0;
  const isChecked = (): boolean => clock.monotonicMs() - checkedAtMs < checkIntervalMs;
  const forget = (): void => {
    generation += 1;
    cache.clear();
  };
  const clearIfChanged = (): void => {
    if (isChecked()) return;
    checkedAtMs = clock.monotonicMs();
    const currentVersion = getForeignVersion();
    if (currentVersion !== lastVersion) forget();
    lastVersion = currentVersion;
  };
  onCommit(forget);
  return async (key, operation) => {
    const known = isChecked() ? cache.get(key) : undefined;
    if (known !== undefined) return known;
    const cached = await read(() => {
      clearIfChanged();
      return cache.get(key);
    });
    if (cached !== undefined) return cached;
    const initialGeneration = generation;
    const value = await read(operation);
    // A commit during the read may have changed what it saw.
    if (value === undefined || generation !== initialGeneration) return value;
    if (cache.size >= maxEntries) cache.clear();
    cache.set(key, value);
    return value;
  };
}
