/** Whether responses became slower or faster. */
import { getPercentile } from './percentile.ts';
import { computeExceedanceP, computeMannWhitneyP } from './significance.ts';

/** `not_tested`: too few passed runs on a side. */
export const speedChanges = ['slower', 'faster', 'same', 'not_tested'] as const;
export type SpeedChange = (typeof speedChanges)[number];

/** Below it the normal approximation of the test of medians is not accurate. */
const minTimedRuns = 8;
/** Smaller differences are not worth a word, however certain. */
const minDifferenceMs = 1;

/** Each percentile that is compared, and its test: how certain it is that those of `head` are larger. */
const speedTests = {
  p50: { share: 0.5, computeP: computeMannWhitneyP },
  p95: {
    share: 0.95,
    computeP: (base: ArrayLike<number>, head: ArrayLike<number>) => computeExceedanceP(base, head, 0.95),
  },
} as const;
export type TestedPercentile = keyof typeof speedTests;

/** `isLarge`: the difference is worth a word, if it is certain. */
export type SpeedTest = { readonly direction: 'slower' | 'faster'; readonly p: number; readonly isLarge: boolean };

/**
 * Undefined where a side has too few durations; both are ascending. The direction of the percentiles decides which way is
 * tested; a difference below `minShare` of the smaller one is not large.
 */
export function testSpeedDifference(
  percentile: TestedPercentile,
  baseMs: ArrayLike<number>,
  headMs: ArrayLike<number>,
  minShare: number,
): SpeedTest | undefined {
  if (Math.min(baseMs.length, headMs.length) < minTimedRuns) return undefined;
  const { share, computeP } = speedTests[percentile];
  const [before, after] = [getPercentile(baseMs, share) ?? 0, getPercentile(headMs, share) ?? 0];
  const isSlower = after >= before;
  const difference = Math.abs(after - before);
  return {
    direction: isSlower ? 'slower' : 'faster',
    p: isSlower ? computeP(baseMs, headMs) : computeP(headMs, baseMs),
    isLarge: difference >= minDifferenceMs && difference >= minShare * Math.min(before, after),
  };
}

/** `isSignificant` is decided over all scenarios. */
export function toSpeedChange(test: SpeedTest | undefined, isSignificant: boolean): SpeedChange {
  if (!test) return 'not_tested';
  return isSignificant && test.isLarge ? test.direction : 'same';
}
