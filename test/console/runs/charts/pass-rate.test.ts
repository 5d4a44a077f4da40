import t from 'tap';
import { calculatePassRate, formatRate } from '../../../../src/console/runs/charts/pass-rate.ts';

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
