import t from 'tap';
import { countsSince, midnightMs, passRate, rateText } from '../../../src/console/runs/rates.ts';

const bucket = (start: string, passed: number, failed = 0) => ({
  start,
  passed,
  failed,
  not_judged: 1,
  cancelled: 5,
  p50_ms: null,
  p95_ms: null,
});

t.test('a rate is of ended runs, cancelled ones aside', async (t) => {
  t.equal(passRate({ passed: 3, failed: 1, not_judged: 0 }), 0.75);
  t.equal(passRate({ passed: 0, failed: 0, not_judged: 0 }), undefined);
});

t.test('a failure among thousands is never rounded away', async (t) => {
  t.equal(rateText(1), '100 %');
  t.equal(rateText(9_999 / 10_000), '99.9 %');
  t.equal(rateText(0.982), '98.2 %');
  t.equal(rateText(0), '0.0 %');
});

t.test('counts of today leave yesterday out', async (t) => {
  const buckets = [bucket('2026-11-19T23:30:00.000Z', 5), bucket('2026-11-20T00:00:00.000Z', 2, 1)];
  t.same(countsSince({ buckets }, Date.parse('2026-11-20T00:00:00.000Z')), { passed: 2, failed: 1, not_judged: 1 });
  const midnight = new Date(midnightMs(Date.parse('2026-11-20T14:30:12.345Z')));
  t.equal(midnight.getHours() + midnight.getMinutes() + midnight.getMilliseconds(), 0);
});
