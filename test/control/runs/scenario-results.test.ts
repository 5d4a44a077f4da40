import t from 'tap';
import type { Control } from '../../../src/control/control.ts';
import type { ReportCheck } from '../../../src/report/report.ts';
import { openControlStore } from '../../../src/store/control/control-store.ts';
import { findFailedSeries } from '../../../src/store/control/runs/scenario-results.ts';
import { openStoresUnderTest } from '../../store/engine-under-test.ts';
import { openTestControlWithApp } from '../control-fixture.ts';
import { createTestReport } from '../report-fixture.ts';

const ana = { name: 'ana' };
const scenario = 'RT-GET-document';
const runRequest = { scenarios: [{ id: scenario }] };
const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };

const failingCheck: ReportCheck = {
  ...{ text: 'body has count equals 1', kind: 'equals', line: 19, column: 3, outcome: 'failed', looks_at: 'response' },
  ...{ counted: true, expected: '1', actual: '10', pointer: '/count' },
} as const;

/** Requests and completes one run; returns its id. */
async function complete(control: Control, result: 'passed' | 'failed', failed = 1, id = scenario): Promise<string> {
  const [run] = await control.runs.request('app', { scenarios: [{ id }] }, ana);
  const port = control.executorPort('app');
  const { epoch } = await port.hello(hello);
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  if (!lease || !run) throw new Error('no lease');
  const report = createTestReport(lease, 'app', result);
  if (result === 'failed') report.checks.push(...Array.from({ length: failed }, () => failingCheck));
  await port.complete({ epoch, run_id: run.run_id, fence: lease.fence, more: false, report });
  return run.run_id;
}

t.test('each scenario has its newest result, and since when it has been failing', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  t.match(await control.runs.listScenarioResults('app'), [
    { scenario_id: scenario, last_run: null, failing_since: null, failed_runs: 0 },
  ]);
  await complete(control, 'failed');
  clock.advance(60_000);
  const passed = await complete(control, 'passed');
  t.match(await control.runs.listScenarioResults('app'), [
    { last_run: { run_id: passed, state: 'passed' }, failing_since: null, failed_runs: 0 },
  ]);
  clock.advance(60_000);
  const failingSince = new Date(clock.nowMs()).toISOString();
  await complete(control, 'failed');
  clock.advance(60_000);
  const last = await complete(control, 'failed');
  await control.runs.request('app', runRequest, ana);
  t.match(
    await control.runs.listScenarioResults('app'),
    [{ last_run: { run_id: last, state: 'failed' }, failing_since: failingSince, failed_runs: 2 }],
    'the passed run ended the first series, and a queued one is no result',
  );
  await t.rejects(control.runs.listScenarioResults('apq'), { code: 'INSTANCE_UNKNOWN' });
});

t.test('a renamed scenario keeps its results and its series of failures', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const rename = (id: string, newId: string) => control.catalogue.rename('app', id, { new_id: newId }, ana);
  await complete(control, 'passed');
  clock.advance(60_000);
  const failingSince = new Date(clock.nowMs()).toISOString();
  const first = await complete(control, 'failed');
  await rename(scenario, 'RT-second');
  t.match(
    await control.runs.listScenarioResults('app'),
    [{ scenario_id: 'RT-second', former_ids: [scenario], last_run: { run_id: first }, failing_since: failingSince }],
    'before the first run under the new id',
  );
  clock.advance(60_000);
  await complete(control, 'failed', 1, 'RT-second');
  await rename('RT-second', 'RT-third');
  clock.advance(60_000);
  const last = await complete(control, 'failed', 1, 'RT-third');
  const [result, ...others] = await control.runs.listScenarioResults('app');
  t.match(result, { last_run: { run_id: last }, failing_since: failingSince, failed_runs: 3 });
  t.same(result?.former_ids.toSorted(), [scenario, 'RT-second']);
  t.same(others, []);
  clock.advance(60_000);
  await complete(control, 'passed', 1, 'RT-third');
  t.match(await control.runs.listScenarioResults('app'), [{ failing_since: null, failed_runs: 0 }]);
});

t.test('a long series is counted up to a limit, and its first run is known', async (t) => {
  const folder = t.testdir();
  const store = (await openStoresUnderTest(t, folder))?.control ?? (await openControlStore({ folder, pid: 1 }));
  t.teardown(() => store.close());
  const statement = `INSERT INTO runs (id, instance_id, scenario_id, revision_id, correlation_id, state, origin, requested_by,
    requested_at_ms, seq) VALUES (?, ?, ?, 1, ?, ?, 'queue', 'ana', 1, ?)`;
  await store.database.write((sql) => {
    for (let id = 1; id <= 60; id += 1) {
      const state = id === 11 ? 'passed' : 'failed';
      const [instance, name] = id % 3 === 0 ? ['bank', scenario] : ['app', id % 2 === 0 ? 'RT-former' : scenario];
      sql.execute(statement, id, instance ?? '', name ?? '', `tr-${id}`, state, id);
    }
  });
  const find = (ids: readonly string[], afterId: number, max: number) =>
    store.database.read((sql) => findFailedSeries(sql, 'app', ids, afterId, max));
  t.same(await find([scenario, 'RT-former'], 11, 1000), { firstId: 13, count: 32 });
  t.same(await find([scenario], 11, 1000), { firstId: 13, count: 16 }, 'not the runs of the other id');
  t.same(await find([scenario, 'RT-former'], 11, 5), { firstId: 13, count: 5 });
  t.same(await find([scenario], 60, 5), { firstId: null, count: 0 });
});

t.test('the summary of a failure counts the further failing checks', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const one = await complete(control, 'failed', 1);
  t.equal((await control.runs.get(one)).failure_summary, 'body has count equals 1: got 10');
  const four = await complete(control, 'failed', 4);
  t.equal((await control.runs.get(four)).failure_summary, 'body has count equals 1: got 10 (+3)');
});

t.test('all queued runs are cancelled at once, and the running one goes on', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const scenarios = Array.from({ length: 5 }, () => ({ id: scenario }));
  const [running] = await control.runs.request('app', { scenarios }, ana);
  const port = control.executorPort('app');
  const { epoch } = await port.hello(hello);
  await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  t.equal(await control.runs.cancelQueued('app', 'RT-OTHER'), 0);
  t.equal(await control.runs.cancelQueued('app'), 4);
  const { items } = await control.runs.list({ instance: 'app' }, { limit: 10 });
  t.same(
    items.map(({ state }) => state),
    ['cancelled', 'cancelled', 'cancelled', 'cancelled', 'in_progress'],
  );
  t.equal(items.at(-1)?.run_id, running?.run_id);
  t.match(await control.instances.get('app'), { queued: 0 });
  await t.rejects(control.runs.cancelQueued('apq'), { code: 'INSTANCE_UNKNOWN' });
});

t.test('statistics of one scenario count its runs only, since exactly the given time', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  await complete(control, 'passed');
  clock.advance(600_000);
  const sinceMs = clock.nowMs();
  await complete(control, 'failed');
  t.match(await control.statistics.read('app', sinceMs), { totals: { passed: 0, failed: 1 } });
  t.match(await control.statistics.read('app', sinceMs - 3_600_000, { scenario }), {
    totals: { passed: 1, failed: 1 },
  });
  t.match(await control.statistics.read('app', sinceMs - 3_600_000, { scenario: 'RT-OTHER' }), {
    totals: { passed: 0, failed: 0 },
  });
});
