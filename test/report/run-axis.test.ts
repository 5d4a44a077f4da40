import t from 'tap';
import type { Report, ReportStep } from '../../src/report/report.ts';
import {
  buildRunAxis,
  formatOffset,
  fromAxisPosition,
  isQueueShortened,
  type RunAxis,
  toAxisPosition,
} from '../../src/report/run-axis.ts';
import { passed } from './report-fixtures.ts';

const timings = { queued_ms: 10, connect_ms: 2, first_byte_ms: 30, body_ms: 31, total_ms: 33, evidence_ms: null };

/** Tracks with their periods, rounded to microseconds. */
function listPeriods({ tracks }: RunAxis) {
  const round = (ms: number) => Math.round(ms * 1000) / 1000;
  return tracks.map(({ name, marks }) => [name, ...marks.map(({ startMs, endMs }) => [round(startMs), round(endMs)])]);
}

const axisOf = (more: Partial<Report>) => buildRunAxis({ ...passed(), log: null, queries: [], timings, ...more });

function createStep(name: string, more: Partial<ReportStep> = {}): ReportStep {
  return {
    ...{ name, line: 9, outcome: 'passed', problem: null, cure: null, checks: [], attempts: null, total_ms: 4 },
    exchange: { request: null, response: null },
    ...more,
  };
}

t.test('phases are consecutive, and the queue is before the start of the run', async (t) => {
  const axis = axisOf({});
  t.same(listPeriods(axis), [
    ['queued', [-10, 0]],
    ['connect', [0, 2]],
    ['first byte', [2, 30]],
    ['body', [30, 31]],
    ['judged', [31, 33]],
  ]);
  t.match(axis, { startMs: -10, endMs: 33 });
});

t.test('phases that were not reached are omitted, and the wait for evidence is one', async (t) => {
  const unreached = { queued_ms: 0, connect_ms: null, first_byte_ms: null, body_ms: null, total_ms: 20 };
  t.same(listPeriods(axisOf({ timings: { ...unreached, evidence_ms: 500 } })), [
    ['judged', [0, 20]],
    ['log and database', [20, 520]],
  ]);
});

t.test('steps and the cleanup are where they were sent, and the phases follow the steps', async (t) => {
  const steps = [createStep('sign in', { at_ms: 1 }), createStep('pay', { at_ms: 6, outcome: 'failed', total_ms: 3 })];
  const cleanup = [createStep('remove', { at_ms: 70 }), createStep('unsent', { total_ms: null, outcome: 'not_sent' })];
  const axis = axisOf({ steps, cleanup, timings: { ...timings, before_ms: 20 } });
  t.same(listPeriods(axis).slice(1, 3), [
    ['steps', [1, 5], [6, 9]],
    ['connect', [20, 22]],
  ]);
  t.same(listPeriods(axis).at(-1), ['cleanup', [70, 74]]);
  t.equal(axis.endMs, 74);
  t.match(axis.tracks[1]?.marks, [
    { label: 'step sign in', isFailed: false },
    { label: 'step pay', isFailed: true },
  ]);
});

t.test('reports of older executors and earlier attempts and cases have their time too', async (t) => {
  const before = { ...timings, before_ms: 20 };
  t.same(listPeriods(axisOf({ steps: [createStep('old')], timings: before }))[1], ['earlier steps', [0, 20]]);
  t.same(listPeriods(axisOf({ attempts: 3, timings: before }))[1], ['earlier attempts', [0, 20]]);
  const both = axisOf({ attempts: 2, steps: [createStep('new', { at_ms: 1 })], timings: before });
  t.same(listPeriods(both).slice(1, 3), [
    ['steps', [1, 5]],
    ['earlier attempts', [5, 20]],
  ]);
  t.same(listPeriods(axisOf({ attempts: 2, cases: [], timings: before }))[1], ['earlier cases and attempts', [0, 20]]);
  const cases = axisOf({ cases: [], steps: [createStep('of the second', { at_ms: 12 })], timings: before });
  t.same(listPeriods(cases).slice(1, 3), [
    ['earlier cases', [0, 12]],
    ['steps', [12, 16]],
  ]);
  t.same(listPeriods(axisOf({ cases: [], timings: before }))[1], ['earlier cases', [0, 20]]);
});

t.test('log lines are moments, and queries periods; what has no time has no place', async (t) => {
  const line = { text: 'x'.repeat(300), level: null, error: true, saga_event: false };
  const query = { name: 'rows', line: 3, sql: '', columns: [], rows: [], row_count: 0, truncated: false, cure: null };
  const axis = axisOf({
    log: {
      ...{ line_count: 2, error_count: 1, saga_event_count: 0, problem: null, cure: null, waited_ms: 1 },
      lines: [{ ...line, at_ms: 12.5 }, line],
    },
    queries: [
      { ...query, duration_ms: 2, problem: null, at_ms: 40 },
      { ...query, name: 'old', duration_ms: 2, problem: null },
    ],
  });
  t.same(listPeriods(axis).slice(-2), [
    ['log lines', [12.5, 12.5]],
    ['query rows', [40, 42]],
  ]);
  t.match(axis.tracks.at(-2)?.marks, [{ label: 'x'.repeat(200), isFailed: true }]);
});

t.test('a long wait in the queue takes a small part of the axis, and positions lead back to times', async (t) => {
  const short = axisOf({ timings: { ...timings, queued_ms: 3 } });
  const long = axisOf({ timings: { ...timings, queued_ms: 60_000 } });
  t.equal(isQueueShortened(short), false);
  t.equal(isQueueShortened(long), true);
  t.equal(toAxisPosition(long, 0), 0.15);
  t.equal(toAxisPosition(short, 0), 3 / 36);
  for (const axis of [short, long, axisOf({ timings: { ...timings, queued_ms: 0 } })])
    for (const atMs of [axis.startMs, axis.startMs / 2, 0, 12.5, axis.endMs])
      t.ok(Math.abs(fromAxisPosition(axis, toAxisPosition(axis, atMs)) - atMs) < 1e-6, `${atMs} of ${axis.startMs}`);
  t.equal(toAxisPosition(short, 1e9), 1);
});

t.test('a run that took no time has an axis', async (t) => {
  const nothing = {
    queued_ms: 0,
    connect_ms: null,
    first_byte_ms: null,
    body_ms: null,
    total_ms: 0,
    evidence_ms: null,
  };
  const axis = axisOf({ timings: nothing });
  t.equal(toAxisPosition(axis, 0), 0);
  t.equal(fromAxisPosition(axis, 0), 0);
});

t.test('offsets have a sign, and are exact where lines are close', async (t) => {
  t.equal(formatOffset(0), '+0 ms');
  t.equal(formatOffset(12.34), '+12.3 ms');
  t.equal(formatOffset(1.26), '+1.3 ms');
  t.equal(formatOffset(1250), '+1.25 s');
  t.equal(formatOffset(-2000), '−2 s');
});
