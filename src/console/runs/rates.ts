import type { Statistics, StatisticsBucket } from '../../contract/statistics-api.ts';

/** What a share is made of. */
export type Counts = Pick<StatisticsBucket, 'passed' | 'failed' | 'not_judged'>;

/** Share of passed among ended runs, 0 to 1; undefined where there were none. Cancelled runs say nothing. */
export function passRate({ passed, failed, not_judged }: Counts): number | undefined {
  const ended = passed + failed + not_judged;
  return ended === 0 ? undefined : passed / ended;
}

/** `98.2 %`; never rounds a failure away. */
export function rateText(rate: number): string {
  const percent = Math.floor(rate * 1000) / 10;
  return `${percent === 100 ? '100' : percent.toFixed(1)} %`;
}

/** The counts of the stretches that begin at or after `fromMs`, together. */
export function countsSince({ buckets }: Pick<Statistics, 'buckets'>, fromMs: number): Counts {
  const counts = { passed: 0, failed: 0, not_judged: 0 };
  for (const bucket of buckets) {
    if (Date.parse(bucket.start) < fromMs) continue;
    counts.passed += bucket.passed;
    counts.failed += bucket.failed;
    counts.not_judged += bucket.not_judged;
  }
  return counts;
}

/** The last midnight of the reader's own zone. */
export function midnightMs(nowMs: number): number {
  return new Date(nowMs).setHours(0, 0, 0, 0);
}
