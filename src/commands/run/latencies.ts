/**
 * Times of any number of runs in constant space: buckets that grow by one per cent, so a percentile is right to within
 * that. Kept as they come, a million runs would take 8 MB and sorting them longer than running them.
 */

const growth = 1.01;
const finestMs = 0.001;

/** Counts times; reads percentiles. */
export type Latencies = {
  add(ms: number): void;
  /** The time that `share` (0 to 1) of the runs took at most, in milliseconds; 0 when there were none. */
  percentile(share: number): number;
  /** The longest, as it was. */
  readonly slowestMs: number;
};

/** No times yet. */
export function latencies(): Latencies {
  const buckets: number[] = [];
  let count = 0;
  let slowestMs = 0;
  return {
    add(ms) {
      const bucket = ms <= finestMs ? 0 : Math.ceil(Math.log(ms / finestMs) / Math.log(growth));
      while (buckets.length <= bucket) buckets.push(0);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      count += 1;
      slowestMs = Math.max(slowestMs, ms);
    },
    percentile(share) {
      let left = Math.ceil(share * count);
      for (const [bucket, held] of buckets.entries()) {
        left -= held;
        if (left <= 0 && count > 0) return Math.min(slowestMs, finestMs * growth ** bucket);
      }
      return 0;
    },
    get slowestMs() {
      return slowestMs;
    },
  };
}
