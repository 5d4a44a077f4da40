import t from 'tap';
import { statisticsOf } from '../../src/control/statistics.ts';
import type { RunInShort } from '../../src/store/control/statistics.ts';
import { openedWithApp } from './opened.ts';

const nowMs = Date.parse('2026-11-20T14:30:12.345Z');
const hourMs = 3_600_000;

function run(agoMs: number, parts: Partial<RunInShort> = {}): RunInShort {
  return { id: nowMs - agoMs, state: 'passed', failure_kind: null, duration_ms: 40, ...parts };
}

t.test('buckets follow each other without a gap, empty ones too', async (t) => {
  const statistics = statisticsOf([run(0), run(3 * hourMs)], nowMs - 24 * hourMs, nowMs, 100);
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

t.test('a failure without an answer to judge is told apart from a failing check', async (t) => {
  const runs = [
    run(1, { state: 'failed', failure_kind: 'body_mismatch' }),
    run(2, { state: 'failed', failure_kind: 'timeout' }),
    run(3, { state: 'cancelled', duration_ms: null }),
    run(4, { state: 'queued', duration_ms: null }),
    run(5),
  ];
  t.match(statisticsOf(runs, nowMs - hourMs, nowMs, 100).totals, { passed: 1, failed: 1, not_judged: 1, cancelled: 1 });
});

t.test('percentiles are of the runs that have a duration', async (t) => {
  const runs = Array.from({ length: 100 }, (_, index) => run(index, { duration_ms: index + 1 }));
  t.match(statisticsOf([...runs, run(200, { duration_ms: null })], nowMs - hourMs, nowMs, 200).totals, {
    p50_ms: 51,
    p95_ms: 96,
  });
  t.match(statisticsOf([], nowMs - hourMs, nowMs, 100).totals, { p50_ms: null, p95_ms: null });
});

t.test('when there are more runs than are looked at, it says from where they count', async (t) => {
  const runs = [run(0), run(1000), run(2000)];
  t.match(statisticsOf(runs, nowMs - hourMs, nowMs, 3), { complete: false, covered_since: '2026-11-20T14:30:10.345Z' });
  t.match(statisticsOf(runs, nowMs - hourMs, nowMs, 4), { complete: true, covered_since: '2026-11-20T13:30:00.000Z' });
});

t.test('the longest time still has few buckets', async (t) => {
  t.ok(statisticsOf([], nowMs - 90 * 24 * hourMs, nowMs, 3).buckets.length <= 50);
  t.ok(statisticsOf([], nowMs, nowMs, 3).buckets.length === 1);
});

t.test('an answer is given again for a moment, then made anew', async (t) => {
  const { control, clock } = await openedWithApp(t);
  const sinceMs = clock.nowMs() - hourMs;
  const first = await control.statistics.of('app', sinceMs);
  const [requested] = await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'ana' });
  await control.runs.cancel(requested?.run_id ?? '');
  t.equal((await control.statistics.of('app', sinceMs)).totals.cancelled, first.totals.cancelled);
  clock.advance(2_001);
  t.equal((await control.statistics.of('app', sinceMs)).totals.cancelled, 1);
});

t.test('an unknown instance has none', async (t) => {
  const { control } = await openedWithApp(t);
  await t.rejects(control.statistics.of('apq', 0), { code: 'INSTANCE_UNKNOWN' });
});
