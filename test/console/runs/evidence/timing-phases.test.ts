import t from 'tap';
import { toTimingPhases } from '../../../../src/console/runs/evidence/timing-phases.ts';

t.test('phases are consecutive from the request to the verdict', async (t) => {
  const timings = { queued_ms: 10, connect_ms: 2, first_byte_ms: 30, body_ms: 31, total_ms: 33, evidence_ms: null };
  t.same(toTimingPhases(timings), [
    { name: 'queued', startMs: 0, endMs: 10 },
    { name: 'connect', startMs: 10, endMs: 12 },
    { name: 'first byte', startMs: 12, endMs: 40 },
    { name: 'body', startMs: 40, endMs: 41 },
    { name: 'judged', startMs: 41, endMs: 43 },
  ]);
});

t.test('the wait for log and database is a phase', async (t) => {
  const timings = { queued_ms: 10, connect_ms: 2, first_byte_ms: 30, body_ms: 31, total_ms: 33, evidence_ms: 500 };
  t.same(toTimingPhases(timings).at(-1), { name: 'log and database', startMs: 43, endMs: 543 });
});

t.test('phases that were not reached are omitted', async (t) => {
  const timings = {
    queued_ms: 5,
    connect_ms: null,
    first_byte_ms: null,
    body_ms: null,
    total_ms: 20,
    evidence_ms: null,
  };
  t.same(
    toTimingPhases(timings).map(({ name, endMs }) => [name, endMs]),
    [
      ['queued', 5],
      ['judged', 25],
    ],
  );
});
