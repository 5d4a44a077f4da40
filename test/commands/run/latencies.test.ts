import t from 'tap';
import { latencies } from '../../../src/commands/run/latencies.ts';

t.test('percentiles are right to within one per cent, and never above the slowest', async (t) => {
  const times = latencies();
  for (let ms = 1; ms <= 1000; ms += 1) times.add(ms);
  for (const [share, expected] of [
    [0.5, 500],
    [0.95, 950],
    [0.99, 990],
  ] as const) {
    const found = times.percentile(share);
    t.ok(found >= expected && found <= expected * 1.011, `${share}: ${found}`);
  }
  t.equal(times.percentile(1), 1000);
  t.equal(times.slowestMs, 1000);
});

t.test('very short and very long times have their place', async (t) => {
  const times = latencies();
  for (const ms of [0, 0.0001, 600_000]) times.add(ms);
  t.ok(times.percentile(0.3) <= 0.001);
  t.ok(Math.abs(times.percentile(1) - 600_000) < 1);
});

t.test('without times everything is 0', async (t) => {
  t.equal(latencies().percentile(0.5), 0);
  t.equal(latencies().slowestMs, 0);
});
