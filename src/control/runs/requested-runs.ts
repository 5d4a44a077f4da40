/**
 * Runs that this process has queued, and whose end it has not announced. Who waits for one of them need not look at the store first. It is
 * a hint and may be wrong: an end may have been announced before the run was added.
 */
export type RequestedRuns = {
  add(runMs: number): void;
  has(runMs: number): boolean;
  remove(runMs: number): void;
};

/** Beyond that the oldest are forgotten: their waits look at the store at once. */
const maxRuns = 10_000;

export function createRequestedRuns(): RequestedRuns {
  const runs = new Set<number>();
  return {
    add(runMs) {
      const [oldest] = runs;
      if (runs.size >= maxRuns && oldest !== undefined) runs.delete(oldest);
      runs.add(runMs);
    },
    has: (runMs) => runs.has(runMs),
    remove: (runMs) => void runs.delete(runMs),
  };
}
