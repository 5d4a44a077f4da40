/** The verdict on a storm finds each broken promise, and nothing where all were kept. */
import t from 'tap';
import type { Run } from '../../src/contract/api.ts';
import { createTestRun } from '../console/test-run.ts';
import { StormRecord } from './storm-record.ts';
import { judgeStorm, type StormEnd } from './verdict.ts';

const [firstId, secondId] = ['20260101T000000001', '20260101T000000002'] as const;

const createRun = (runId: string, changes: Partial<Run> = {}): Run =>
  createTestRun(1, { run_id: runId, correlation_id: `tr-${runId}-x`, instance: 'north', ...changes });

type Scene = {
  readonly record: StormRecord;
  readonly end: { runs: Map<string, Run>; rows: string[]; late: Set<string> };
};

/** Two runs that passed and one call that was answered. */
function createScene(): Scene {
  const record = new StormRecord();
  const runIds = [firstId, secondId];
  const request = { input: { kind: 'request', count: 2 }, output: { runIds }, calledAtMs: 0, returnedAtMs: 5 } as const;
  record.add(record.queues, 'north', request);
  record.add(record.keys, 'key', { input: { count: 2 }, output: runIds, calledAtMs: 0, returnedAtMs: 5 });
  for (const id of runIds) {
    record.acknowledged.set(id, { instance: 'north', correlationId: `tr-${id}-x` });
    record.arrivals.push(`tr-${id}-x`);
    record.reports.set(id, 'passed');
  }
  record.add(record.calls, 'c0-1', { input: { kind: 'call' }, output: { rows: 1 }, calledAtMs: 0, returnedAtMs: 5 });
  record.upstreamCalls.push('c0-1');
  const rows = [JSON.stringify({ seq: 1, arguments: '{"nonce":"c0-1"}' })];
  return { record, end: { runs: new Map(runIds.map((id) => [id, createRun(id)])), rows, late: new Set() } };
}

function judge({ record, end: { runs, rows, late } }: Scene) {
  const end: StormEnd = { runs, lateReports: late, auditRows: rows };
  return judgeStorm(record, end);
}

t.test('a storm in which every promise held', async (t) => {
  const verdict = judge(createScene());
  t.same(verdict.problems, []);
  t.match(verdict, { acknowledged: 2, lost: 0, doubled: 0, stuck: 0, operations: 3, outcomes: { passed: 2 } });
});

/** What breaks a promise, and the problem that must be found. */
const broken: Record<string, readonly [(scene: Scene) => unknown, RegExp]> = {
  'a run is lost': [({ end }) => end.runs.delete(secondId), /acknowledged and is lost/],
  'a run has another identity': [
    ({ end }) => end.runs.set(firstId, createRun(firstId, { correlation_id: 'tr-other' })),
    /another correlation id/,
  ],
  'a run never ends': [
    ({ end }) => end.runs.set(secondId, createRun(secondId, { state: 'queued' })),
    /stuck in queued/,
  ],
  'a request is sent twice': [({ record }) => record.arrivals.push(`tr-${firstId}-x`), /reached the target twice/],
  'a request of no run is sent': [({ record }) => record.arrivals.push('tr-none'), /is no run/],
  'a run passes without a request': [({ record }) => record.arrivals.pop(), /passed and was never sent/],
  'a run is cancelled by itself': [
    ({ end }) => end.runs.set(firstId, createRun(firstId, { state: 'cancelled' })),
    /cancelled by no caller/,
  ],
  'a report is lost': [({ record }) => record.reports.set(firstId, 'failed'), /the report failed was acknowledged/],
  'there is a run that nobody requested': [
    ({ end }) => end.runs.set('20260101T000000003', createRun('20260101T000000003')),
    /never acknowledged/,
  ],
  'a call has no row': [({ end }) => end.rows.pop(), /answered and has 0 rows/],
  'a call has two rows': [({ end }) => end.rows.push(end.rows[0] ?? ''), /2 rows/],
  'a call is sent twice': [({ record }) => record.upstreamCalls.push('c0-1'), /reached the server twice/],
  'a history has no order': [
    ({ record }) =>
      record.add(record.queues, 'north', {
        input: { kind: 'status' },
        output: { running: null, queued: 3 },
        calledAtMs: 10,
        returnedAtMs: 11,
      }),
    /instance north is not linearizable/,
  ],
  'a key gets other runs': [
    ({ record }) =>
      record.add(record.keys, 'key', {
        input: { count: 2 },
        output: [secondId, firstId],
        calledAtMs: 10,
        returnedAtMs: 11,
      }),
    /idempotency key key is not linearizable/,
  ],
  'a process ends by itself': [({ record }) => record.addProblem('it ended by itself'), /ended by itself/],
};

for (const [name, [damage, expected]] of Object.entries(broken)) {
  t.test(name, async (t) => {
    const scene = createScene();
    damage(scene);
    t.match(judge(scene).problems.join('\n'), expected);
  });
}

t.test('a report that came after its run was lost is not a problem', async (t) => {
  const scene = createScene();
  const lost = { state: 'failed', failure_kind: 'executor_lost' } as const;
  scene.end.runs.set(firstId, createRun(firstId, lost));
  t.match(judge(scene).problems, [/without a late report/]);
  scene.end.late.add(firstId);
  t.same(judge(scene).problems, []);
});
