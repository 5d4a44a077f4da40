import t from 'tap';
import { getPercentile, sortNumbers } from '../../src/insight/percentile.ts';
import {
  computeExceedanceP,
  computeMannWhitneyP,
  getNormalTail,
  selectSignificant,
  testFailsMoreOften,
} from '../../src/insight/significance.ts';

import { createRandom } from './random.ts';

const isNear = (actual: number, expected: number, tolerance: number): boolean =>
  Math.abs(actual - expected) <= tolerance;

t.test('a percentile is the nearest rank: always one of the values', async (t) => {
  const hundred = sortNumbers(Array.from({ length: 100 }, (_, index) => 100 - index));
  t.same(
    [0, 0.5, 0.95, 1].map((share) => getPercentile(hundred, share)),
    [1, 50, 95, 100],
  );
  t.equal(getPercentile(sortNumbers([7]), 0.95), 7);
  t.equal(getPercentile(sortNumbers([1, 2]), 0.5), 1);
  t.equal(getPercentile([], 0.5), null);
});

t.test('the normal tail agrees with tables', async (t) => {
  for (const [z, p] of [
    [0, 0.5],
    [1.6449, 0.05],
    [2.3263, 0.01],
    [-1.96, 0.975],
  ] as const)
    t.ok(isNear(getNormalTail(z), p, 1e-5), `${z}`);
});

t.test('the Mann-Whitney test agrees with its definition', async (t) => {
  // As SciPy: in 54 of 64 pairs the second is larger, z = (54 - 32 - 0.5) / sqrt(64 / 12 * 17).
  const base = [1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.7, 8.8];
  const larger = [5, 6, 7, 8, 9, 10, 11, 12];
  t.ok(isNear(computeMannWhitneyP(base, larger), 0.0119743, 1e-6), `${computeMannWhitneyP(base, larger)}`);
  t.ok(computeMannWhitneyP(larger, base) > 0.98);
  t.equal(computeMannWhitneyP([3, 3, 3, 3, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3, 3, 3]), 1, 'equal values differ by nothing');
  t.equal(computeMannWhitneyP([], []), 1);
  const random = createRandom(1947);
  for (let round = 0; round < 200; round += 1) {
    const sample = (length: number) => sortNumbers(Array.from({ length }, () => Math.round(10 * random())));
    const [first, second] = [sample(8 + (round % 5)), sample(9 + (round % 3))];
    t.ok(isNear(computeMannWhitneyP(first, second), computeByPairs(first, second), 1e-12), `round ${round}`);
  }
});

/** By its definition: of each pair of values which one is larger, and of all values how many are equal. */
function computeByPairs(base: Float64Array, head: Float64Array): number {
  let u = 0;
  for (const before of base) for (const after of head) u += after > before ? 1 : after === before ? 0.5 : 0;
  const all = [...base, ...head];
  const ties = [...Map.groupBy(all, (value) => value).values()].reduce(
    (sum, { length }) => sum + length ** 3 - length,
    0,
  );
  const pairs = base.length * head.length;
  const variance = (pairs / 12) * (all.length + 1 - ties / (all.length * (all.length - 1)));
  return variance > 0 ? getNormalTail((u - pairs / 2 - 0.5) / Math.sqrt(variance)) : 1;
}

t.test('the exceedance test of a percentile agrees with every order of the values', async (t) => {
  const random = createRandom(1968);
  for (const [baseCount, headCount, share] of [
    [8, 8, 0.95],
    [9, 5, 0.95],
    [6, 8, 0.75],
    [7, 6, 0.5],
  ] as const) {
    const values = Array.from({ length: baseCount + headCount }, (_, index) => index + random() / 2);
    const all = listExceedances(values, baseCount, share);
    for (const above of [0, 1, 2, headCount - 1, headCount]) {
      const [base, head] = createSides(baseCount, headCount, share, above);
      const expected = all.filter((count) => count >= above).length / all.length;
      t.ok(isNear(computeExceedanceP(base, head, share), expected, 1e-12), `${above} of ${headCount}, ${share}`);
    }
  }
  t.ok(isNear(computeExceedanceP([1, 2, 3, 4, 5, 6, 7, 8], [11, 12, 13, 14, 15, 16, 17, 18], 0.95), 1 / 12_870, 1e-12));
  t.equal(computeExceedanceP([], [1], 0.95), 1);
  t.equal(computeExceedanceP([1], [], 0.95), 1);
});

/** Of each way to divide `values` into two sides: how many of the second are above the percentile of the first. */
function listExceedances(values: readonly number[], baseCount: number, share: number): number[] {
  return Array.from({ length: 2 ** values.length }, (_, mask) => mask).flatMap((mask) => {
    const base = values.filter((_, index) => (mask >> index) & 1);
    if (base.length !== baseCount) return [];
    const percentile = getPercentile(sortNumbers(base), share) ?? 0;
    return values.filter((value, index) => !((mask >> index) & 1) && value > percentile).length;
  });
}

/** Two sides of which `above` values of the second are above the percentile of the first. */
function createSides(baseCount: number, headCount: number, share: number, above: number): [Float64Array, Float64Array] {
  const base = sortNumbers(Array.from({ length: baseCount }, (_, index) => index));
  const percentile = getPercentile(base, share) ?? 0;
  const head = Array.from({ length: headCount }, (_, index) => (index < above ? percentile + 0.5 : percentile - 0.5));
  return [base, sortNumbers(head)];
}

t.test('values that equal the percentile say nothing against it', async (t) => {
  const equal = Array.from({ length: 20 }, () => 40);
  t.equal(computeExceedanceP(equal, equal, 0.95), 1);
  t.ok(computeExceedanceP(equal, [...equal.slice(1), 41], 0.95) > 0.1, 'one that is larger decides nothing');
});

t.test('the exceedance test finds a slow tail, and no more of equal samples than it says', async (t) => {
  const random = createRandom(1950);
  const sample = (count: number, slowShare: number) =>
    sortNumbers(Array.from({ length: count }, () => (random() < slowShare ? 90 : 40) * (1 + random() / 10)));
  const [base, head] = [sample(300, 0.01), sample(300, 0.12)];
  t.ok(computeExceedanceP(base, head, 0.95) < 1e-3, 'the tail');
  t.ok(computeExceedanceP(head, base, 0.95) > 0.9, 'and not the other way');
  const noise = (count: number) =>
    sortNumbers(Array.from({ length: count }, () => Math.round(50 - 20 * Math.log(random()))));
  for (const [baseCount, headCount] of [
    [30, 30],
    [200, 40],
    [12, 300],
  ] as const) {
    const significant = Array.from({ length: 2000 }, () =>
      computeExceedanceP(noise(baseCount), noise(headCount), 0.95),
    ).filter((p) => p < 0.01).length;
    t.ok(significant <= 40, `${significant} of 2000 with ${baseCount} and ${headCount}`);
  }
});

t.test('of equal samples about one in a hundred is significant at 0.01', async (t) => {
  const random = createRandom(4711);
  const sample = () => sortNumbers(Array.from({ length: 30 }, () => Math.round(50 - 20 * Math.log(random()))));
  const significant = Array.from({ length: 2000 }, () => computeMannWhitneyP(sample(), sample())).filter(
    (p) => p < 0.01,
  );
  t.ok(significant.length >= 5 && significant.length <= 40, `${significant.length} of 2000`);
});

t.test('the exact test of Fisher agrees with its definition', async (t) => {
  // phyper(2, 5, 15, 10, lower.tail = FALSE): at least 3 of 5 failures among 10 of 20 runs.
  const probability = testFailsMoreOften({ passed: 8, failed: 2 }, { passed: 7, failed: 3 });
  t.ok(isNear(probability, 0.5, 1e-9), `${probability}`);
  t.ok(isNear(testFailsMoreOften({ passed: 3, failed: 0 }, { passed: 0, failed: 3 }), 1 / 20, 1e-9));
  t.equal(testFailsMoreOften({ passed: 5, failed: 0 }, { passed: 5, failed: 0 }), 1);
  t.ok(testFailsMoreOften({ passed: 10_000, failed: 0 }, { passed: 9_900, failed: 100 }) < 1e-20, 'large samples');
});

t.test('several tests are significant together by the method of Holm', async (t) => {
  t.same(selectSignificant([0.001, 0.02, 0.004], 0.01), [true, false, true]);
  t.same(selectSignificant([0.004, 0.004, 0.004], 0.01), [false, false, false]);
  t.same(selectSignificant([], 0.01), []);
});
