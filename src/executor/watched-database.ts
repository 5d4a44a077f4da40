/** A target's database of which is remembered whether it could be read when it was last asked. */
import type { Clock } from '../environment/clock.ts';
import type { TargetDatabase } from './database/target-database.ts';

/** `isUp` is undefined until it has been asked. */
export type WatchedDatabase = TargetDatabase & { isUp(): boolean | undefined };

/** Whoever wants to know is told what was found out so long ago at most, or when nobody asked since, a call later. */
const staleMs = 60_000;

/** `database`, watched. Asking `isUp` where nobody asked the database for a minute makes it be asked, in the background. */
export function watchedDatabase(database: TargetDatabase, clock: Pick<Clock, 'monotonicMs'>): WatchedDatabase {
  let isUp: boolean | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const noting = async <T>(asked: Promise<T>): Promise<T> => {
    askedAtMs = clock.monotonicMs();
    try {
      const answer = await asked;
      isUp = true;
      return answer;
    } catch (error) {
      isUp = false;
      throw error;
    }
  };
  return {
    async query(query, options) {
      const answer = await database.query(query, options);
      // What was refused before it was sent, or given up, says nothing of the database.
      if (answer.kind === 'unavailable' && (answer.isFinal || options?.signal?.aborted)) return answer;
      askedAtMs = clock.monotonicMs();
      isUp = answer.kind === 'rows';
      return answer;
    },
    describe: () => noting(database.describe()),
    grants: () => noting(database.grants()),
    close: () => database.close(),
    isUp() {
      if (clock.monotonicMs() - askedAtMs >= staleMs) void noting(database.grants()).catch(() => undefined);
      return isUp;
    },
  };
}
