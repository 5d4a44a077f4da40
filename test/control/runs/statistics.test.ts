import t from 'tap';
import { computeStatistics } from '../../../src/control/runs/statistics.ts';
import type { RunSummaryRow } from '../../../src/store/control/runs/run-summaries.ts';
import { openTestControlWithApp } from '../control-fixture.ts';

const nowMs = Date.parse('2026-11-20T14:30:12.345Z');
const hourMs = 3_600_000;

function run(agoMs: number, overrides: Partial<RunSummaryRow> = {}): RunSummaryRow {
  return { id: nowMs - agoMs, state: 'passed', failure_kind: null, duration_ms: 40, ...overrides };
}

t.test('buckets are contiguous, including empty ones', async (t) => {
  const statistics = computeStatistics([run(0), run(3 * hourMs)], nowMs - 24 * hourMs, nowMs, 100);
  t.equal(statistics.bucket_ms, 1_800_000);
  t.equal(statistics.since, '2026-11-19T14:30:00.000Z');
  t.equal(statistics.buckets.length, 49);
  const starts = statistics.buckets.map(({ start }) => Date.parse(start));
  t.ok(starts.every((start, index) => index === 0 || start - (starts[index - 1] ?? 0) === 1_800_000));
  t.equal(statistics.buckets.at(-1)?.passed, 1);
  t.same(statistics.buckets[20], {
    start: '2026-11-20T00:30:00.000Z',
    passed: 0,
    failed: 0,
    not_judged: 0,
    cancelled: 0,
    p50_ms: null,
    p95_ms: null,
  });
});

t.test('failures without a response to judge are counted separately from failing checks', async (t) => {
  const runs = [
    run(1, { state: 'failed', failure_kind: 'body_mismatch' }),
    run(2, { state: 'failed', failure_kind: 'timeout' }),
    run(3, { state: 'cancelled', duration_ms: null }),
    run(4, { state: 'queued', duration_ms: null }),
    run(5),
  ];
  t.match(computeStatistics(runs, nowMs - hourMs, nowMs, 100).totals, {
    passed: 1,
    failed: 1,
    not_judged: 1,
    cancelled: 1,
  });
});

t.test('of one outcome only its runs are counted, with their durations', async (t) => {
  const runs = [
    run(1, { state: 'failed', failure_kind: 'body_mismatch', duration_ms: 70 }),
    run(2, { state: 'failed', failure_kind: 'timeout', duration_ms: 5000 }),
    run(3),
  ];
  const read = (outcome: 'failed' | 'broken') => computeStatistics(runs, nowMs - hourMs, nowMs, 3, outcome);
  t.match(read('failed').totals, { passed: 0, failed: 1, not_judged: 0, p50_ms: 70 });
  t.match(read('broken').totals, { passed: 0, failed: 0, not_judged: 1, p50_ms: 5000 });
  t.equal(read('broken').complete, false, 'the limit is that of all runs read');
});

t.test('percentiles include only runs with a duration', async (t) => {
  const runs = Array.from({ length: 100 }, (_, index) => run(index, { duration_ms: index + 1 }));
  t.match(computeStatistics([...runs, run(200, { duration_ms: null })], nowMs - hourMs, nowMs, 200).totals, {
    p50_ms: 50,
    p95_ms: 95,
  });
  t.match(computeStatistics([], nowMs - hourMs, nowMs, 100).totals, { p50_ms: null, p95_ms: null });
});

t.test('when there are more runs than the limit, covered_since says where they start', async (t) => {
  const runs = [run(0), run(1000), run(2000)];
  t.match(computeStatistics(runs, nowMs - hourMs, nowMs, 3), {
    complete: false,
    covered_since: '2026-11-20T14:30:10.345Z',
  });
  t.match(computeStatistics(runs, nowMs - hourMs, nowMs, 4), {
    complete: true,
    covered_since: '2026-11-20T13:30:00.000Z',
  });
});

t.test('the longest range has at most 50 buckets', async (t) => {
  t.ok(computeStatistics([], nowMs - 90 * 24 * hourMs, nowMs, 3).buckets.length <= 50);
  t.ok(computeStatistics([], nowMs, nowMs, 3).buckets.length === 1);
});

t.test('statistics are cached for a moment', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const sinceMs = clock.nowMs() - hourMs;
  const first = await control.statistics.read('app', sinceMs);
  const [requested] = await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'ana' });
  await control.runs.cancel(requested?.run_id ?? '');
  t.equal((await control.statistics.read('app', sinceMs)).totals.cancelled, first.totals.cancelled);
  clock.advance(2_001);
  t.equal((await control.statistics.read('app', sinceMs)).totals.cancelled, 1);
});

t.test('an unknown instance is refused', async (t) => {
  const { control } = await openTestControlWithApp(t);
  await t.rejects(control.statistics.read('apq', 0), { code: 'INSTANCE_UNKNOWN' });
});
