/** Whether responses became slower or faster. */
import { getPercentile } from './percentile.ts';
import { computeMannWhitneyP } from './significance.ts';

/** `not_tested`: too few passed runs on a side. */
export const speedChanges = ['slower', 'faster', 'same', 'not_tested'] as const;
export type SpeedChange = (typeof speedChanges)[number];

/** Below it the normal approximation of the test is not accurate. */
const minTimedRuns = 8;
/** Smaller differences of the median are not worth a word, however certain. */
const minDifferenceMs = 1;

/** `isLarge`: the difference is worth a word, if it is certain. */
export type SpeedTest = { readonly direction: 'slower' | 'faster'; readonly p: number; readonly isLarge: boolean };

/**
 * Undefined where a side has too few durations; both are ascending. The direction of the medians decides which way is tested; a
 * difference below `minShare` of the smaller one is not large.
 */
export function testSpeedDifference(
  baseMs: ArrayLike<number>,
  headMs: ArrayLike<number>,
  minShare: number,
): SpeedTest | undefined {
  if (Math.min(baseMs.length, headMs.length) < minTimedRuns) return undefined;
  const [before, after] = [getPercentile(baseMs, 0.5) ?? 0, getPercentile(headMs, 0.5) ?? 0];
  const isSlower = after >= before;
  const difference = Math.abs(after - before);
  return {
    direction: isSlower ? 'slower' : 'faster',
    p: isSlower ? computeMannWhitneyP(baseMs, headMs) : computeMannWhitneyP(headMs, baseMs),
    isLarge: difference >= minDifferenceMs && difference >= minShare * Math.min(before, after),
  };
}

/** `isSignificant` is decided over all scenarios. */
export function toSpeedChange(test: SpeedTest | undefined, isSignificant: boolean): SpeedChange {
  if (!test) return 'not_tested';
  return isSignificant && test.isLarge ? test.direction : 'same';
}
