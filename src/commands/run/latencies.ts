/**
 * A histogram of durations in constant space: bucket bounds grow by one per cent, so a percentile is accurate to within
 * that. Storing every duration of a million runs would take 8 MB, and sorting them longer than running them.
 */

const growth = 1.01;
const finestMs = 0.001;

export type LatencyHistogram = {
  add(ms: number): void;
  /** The percentile for `share` (0 to 1) in milliseconds; 0 without durations. */
  percentile(share: number): number;
  /** The exact maximum. */
  readonly slowestMs: number;
};

export function createLatencies(): LatencyHistogram {
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
      let remaining = Math.ceil(share * count);
      for (const [bucket, bucketCount] of buckets.entries()) {
        remaining -= bucketCount;
        if (remaining <= 0 && count > 0) return Math.min(slowestMs, finestMs * growth ** bucket);
      }
      return 0;
    },
    get slowestMs() {
      return slowestMs;
    },
  };
}
