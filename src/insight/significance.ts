/** Whether two samples differ by more than chance. All p-values are one-sided. */
import { getPercentileRank } from './percentile.ts';

/** The upper tail of the standard normal distribution; the error is below 1.5e-7 (Abramowitz and Stegun, 7.1.26). */
export function getNormalTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const u = 1 / (1 + 0.3275911 * x);
  const series = u * (0.254829592 + u * (-0.284496736 + u * (1.421413741 + u * (-1.453152027 + u * 1.061405429))));
  const tail = (series * Math.exp(-x * x)) / 2;
  return z >= 0 ? tail : 1 - tail;
}

/**
 * The Mann-Whitney U test: the probability of samples at least this far apart if `head` were not larger than `base`; both are
 * ascending. It compares ranks, so that single slow responses decide nothing. By the normal approximation with corrections for
 * ties and continuity, which is accurate from about eight values on each side.
 */
export function computeMannWhitneyP(base: ArrayLike<number>, head: ArrayLike<number>): number {
  const count = base.length + head.length;
  let [baseIndex, headIndex, headRankSum, tieSum] = [0, 0, 0, 0];
  while (baseIndex + headIndex < count) {
    const value = Math.min(base[baseIndex] ?? Number.POSITIVE_INFINITY, head[headIndex] ?? Number.POSITIVE_INFINITY);
    const [baseEnd, headEnd] = [skipEqual(base, baseIndex, value), skipEqual(head, headIndex, value)];
    const [before, end] = [baseIndex + headIndex, baseEnd + headEnd];
    // Equal values share the mean of their ranks.
    headRankSum += ((before + 1 + end) / 2) * (headEnd - headIndex);
    tieSum += (end - before) ** 3 - (end - before);
    [baseIndex, headIndex] = [baseEnd, headEnd];
  }
  const pairs = base.length * head.length;
  const u = headRankSum - (head.length * (head.length + 1)) / 2;
  const variance = (pairs / 12) * (count + 1 - tieSum / (count * (count - 1)));
  if (!(variance > 0)) return 1;
  return getNormalTail((u - pairs / 2 - 0.5) / Math.sqrt(variance));
}

/** The first index from `start` whose value is another one. */
function skipEqual(values: ArrayLike<number>, start: number, value: number): number {
  let end = start;
  while (end < values.length && values[end] === value) end += 1;
  return end;
}

/** Returns the logarithm of how many ways there are to choose `chosen` of up to `maxCount`. */
function createLogChoose(maxCount: number): (count: number, chosen: number) => number {
  const logs = new Float64Array(maxCount + 1);
  for (let factor = 2; factor <= maxCount; factor += 1) logs[factor] = (logs[factor - 1] ?? 0) + Math.log(factor);
  return (count, chosen) => (logs[count] ?? 0) - (logs[chosen] ?? 0) - (logs[count - chosen] ?? 0);
}

/**
 * The exceedance test of a percentile: the probability that at least as many values of `head` were above this percentile of
 * `base` if both came from one distribution, whichever that is; both are ascending. Exact, by counting: in every order of all
 * values that is possible, so many of `head` come after the value of `base` at the rank of the percentile. Equal values count
 * as not above it, which makes the probability larger, never smaller.
 */
export function computeExceedanceP(base: ArrayLike<number>, head: ArrayLike<number>, share: number): number {
  const rank = getPercentileRank(base.length, share);
  const percentile = base[rank - 1];
  if (percentile === undefined || head.length === 0) return 1;
  let above = 0;
  while (above < head.length && (head[head.length - 1 - above] ?? percentile) > percentile) above += 1;
  const logChoose = createLogChoose(base.length + head.length);
  const all = logChoose(base.length + head.length, head.length);
  let probability = 0;
  for (let count = above; count <= head.length; count += 1) {
    const orders =
      logChoose(count + base.length - rank, count) + logChoose(head.length - count + rank - 1, head.length - count);
    probability += Math.exp(orders - all);
  }
  return Math.min(1, probability);
}

export type Tally = { readonly passed: number; readonly failed: number };

/** Fisher's exact test: the probability of at least as many failures in `head` if both sides failed equally often. */
export function testFailsMoreOften(base: Tally, head: Tally): number {
  const headRuns = head.passed + head.failed;
  const runs = base.passed + base.failed + headRuns;
  const failures = base.failed + head.failed;
  const logChoose = createLogChoose(runs);
  const all = logChoose(runs, failures);
  let probability = 0;
  for (let failed = head.failed; failed <= Math.min(headRuns, failures); failed += 1)
    if (failures - failed <= runs - headRuns)
      probability += Math.exp(logChoose(headRuns, failed) + logChoose(runs - headRuns, failures - failed) - all);
  return Math.min(1, probability);
}

/**
 * Which of several p-values are significant together (Holm's method): the probability that any of them is by chance is at
 * most `level`.
 */
export function selectSignificant(pValues: readonly number[], level: number): readonly boolean[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const firstInsignificant = order.findIndex(({ p }, rank) => p > level / (order.length - rank));
  const significant = new Set(
    order.slice(0, firstInsignificant === -1 ? order.length : firstInsignificant).map(({ index }) => index),
  );
  return pValues.map((_, index) => significant.has(index));
}
