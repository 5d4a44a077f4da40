import t from 'tap';
import {
  calculatePassRate,
  formatRate,
  getMidnightMs,
  sumCountsSince,
} from '../../../../src/console/runs/charts/pass-rate.ts';

const createBucket = (start: string, passed: number, failed = 0) => ({
  start,
  passed,
  failed,
  not_judged: 1,
  cancelled: 5,
  p50_ms: null,
  p95_ms: null,
});

t.test('the rate is of ended runs without cancelled ones', async (t) => {
  t.equal(calculatePassRate({ passed: 3, failed: 1, not_judged: 0 }), 0.75);
  t.equal(calculatePassRate({ passed: 0, failed: 0, not_judged: 0 }), undefined);
});

t.test('a failure among thousands is not rounded away', async (t) => {
  t.equal(formatRate(1), '100 %');
  t.equal(formatRate(9_999 / 10_000), '99.9 %');
  t.equal(formatRate(0.982), '98.2 %');
  t.equal(formatRate(0), '0.0 %');
});

t.test('counts of today exclude yesterday', async (t) => {
  const buckets = [createBucket('2026-11-19T23:30:00.000Z', 5), createBucket('2026-11-20T00:00:00.000Z', 2, 1)];
  t.same(sumCountsSince({ buckets }, Date.parse('2026-11-20T00:00:00.000Z')), { passed: 2, failed: 1, not_judged: 1 });
  const midnight = new Date(getMidnightMs(Date.parse('2026-11-20T14:30:12.345Z')));
  t.equal(midnight.getHours() + midnight.getMinutes() + midnight.getMilliseconds(), 0);
});
