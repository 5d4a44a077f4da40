/** A target database that remembers whether it was reachable at its last use. */
import type { Clock } from '../../environment/clock.ts';
import type { TargetDatabase } from './target-database.ts';

/** `isReachable` is undefined until the database was used once. */
export type MonitoredDatabase = TargetDatabase & { isReachable(): boolean | undefined };

/** Maximum age of the remembered result before `isReachable` starts a check in the background. */
const staleAfterMs = 60_000;

/**
 * When the database was not used for a minute, `isReachable` starts a check in the background and returns the old
 * value.
 */
export function monitorDatabase(database: TargetDatabase, clock: Pick<Clock, 'monotonicMs'>): MonitoredDatabase {
  let isReachable: boolean | undefined;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  const recordResult = async <T>(request: Promise<T>): Promise<T> => {
    checkedAtMs = clock.monotonicMs();
    try {
      const result = await request;
      isReachable = true;
      return result;
    } catch (error) {
      isReachable = false;
      throw error;
    }
  };
  return {
    async query(query, options) {
      const result = await database.query(query, options);
      // A query that was refused before it was sent, or cancelled, says nothing about the database.
      if (result.kind === 'unavailable' && (result.isFinal || options?.signal?.aborted)) return result;
      checkedAtMs = clock.monotonicMs();
      isReachable = result.kind === 'rows';
      return result;
    },
    describe: () => recordResult(database.describe()),
    grants: () => recordResult(database.grants()),
    close: () => database.close(),
    isReachable() {
      if (clock.monotonicMs() - checkedAtMs >= staleAfterMs)
        void recordResult(database.grants()).catch(() => undefined);
      return isReachable;
    },
  };
}
