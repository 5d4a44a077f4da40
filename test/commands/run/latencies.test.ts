import t from 'tap';
import { createLatencies } from '../../../src/commands/run/latencies.ts';

t.test('percentiles are accurate to within one per cent, and never above the maximum', async (t) => {
  const times = createLatencies();
  for (let ms = 1; ms <= 1000; ms += 1) times.add(ms);
  for (const [share, expected] of [
    [0.5, 500],
    [0.95, 950],
    [0.99, 990],
  ] as const) {
    const percentileMs = times.percentile(share);
    t.ok(percentileMs >= expected && percentileMs <= expected * 1.011, `${share}: ${percentileMs}`);
  }
  t.equal(times.percentile(1), 1000);
  t.equal(times.slowestMs, 1000);
});

t.test('very short and very long durations are counted', async (t) => {
  const times = createLatencies();
  for (const ms of [0, 0.0001, 600_000]) times.add(ms);
  t.ok(times.percentile(0.3) <= 0.001);
  t.ok(Math.abs(times.percentile(1) - 600_000) < 1);
});

t.test('without durations everything is 0', async (t) => {
  t.equal(createLatencies().percentile(0.5), 0);
  t.equal(createLatencies().slowestMs, 0);
});
