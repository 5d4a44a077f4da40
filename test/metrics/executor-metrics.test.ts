import t from 'tap';
import {
  createExecutorMetrics,
  type EvidenceAvailability,
  type ExecutedRun,
  type ExecutorSource,
  maxScenarios,
} from '../../src/metrics/executor-metrics.ts';
import { openMetrics } from '../../src/metrics/metrics.ts';

const run: ExecutedRun = { scenarioId: 'S-1', textKey: 'one', result: 'passed', durationMs: 40 };

async function opened(instance: string | undefined = 'shop') {
  const metrics = await openMetrics();
  const totals: ReturnType<ExecutorSource['runTotals']> = undefined;
  const state = { instance, connected: true, reportsWaiting: 2, nowMs: 0, runTotals: totals };
  const witnesses: EvidenceAvailability[] = [];
  const monotonicMs = () => state.nowMs;
  const runs = createExecutorMetrics(metrics, {
    status: async () => state,
    evidenceSources: () => witnesses,
    runTotals: () => state.runTotals,
    monotonicMs,
  });
  const has = async (line: string) => (await metrics.text()).split('\n').includes(line);
  const ended = (more: Partial<ExecutedRun> = {}) => runs.startRun()({ ...run, ...more });
  await metrics.text();
  return { metrics, state, witnesses, runs, has, ended };
}

t.test('everything except scenarios starts at 0', async (t) => {
  const { has } = await opened();
  for (const line of [
    'vp_executor_runs_total{instance_id="shop",result="not_judged"} 0',
    'vp_executor_run_duration_seconds_count{instance_id="shop"} 0',
    'vp_executor_busy_seconds_total{instance_id="shop"} 0',
    'vp_executor_connected{instance_id="shop"} 1',
    'vp_executor_reports_waiting{instance_id="shop"} 2',
  ])
    t.ok(await has(line), line);
});

t.test('the evidence sources of the target are exposed by name, if there are any', async (t) => {
  const { metrics, witnesses, has } = await opened();
  t.notMatch(await metrics.text(), /vp_executor_evidence_up\{/);
  witnesses.push({ source: 'log', isUp: true }, { source: 'database', isUp: false });
  t.ok(await has('vp_executor_evidence_up{instance_id="shop",source="log"} 1'));
  t.ok(await has('vp_executor_evidence_up{instance_id="shop",source="database"} 0'));
});

t.test('runs are counted with their duration, and busy time grows during a run', async (t) => {
  const { state, runs, has, ended } = await opened();
  const end = runs.startRun();
  state.nowMs = 500;
  t.ok(await has('vp_executor_busy_seconds_total{instance_id="shop"} 0.5'));
  end(run);
  end(run);
  state.nowMs = 900;
  ended({ result: 'cancelled' });
  for (const line of [
    'vp_executor_busy_seconds_total{instance_id="shop"} 0.5',
    'vp_executor_runs_total{instance_id="shop",result="passed"} 1',
    'vp_executor_runs_total{instance_id="shop",result="cancelled"} 1',
    'vp_executor_run_duration_seconds_sum{instance_id="shop"} 0.04',
    'vp_scenario_runs_total{instance_id="shop",scenario_id="S-1",result="passed"} 1',
    'vp_scenario_run_seconds_total{instance_id="shop",scenario_id="S-1"} 0.04',
  ])
    t.ok(await has(line), line);
});

t.test('a changed result is counted while the text is the same', async (t) => {
  const { has, ended } = await opened();
  const changes = (count: number) =>
    has(`vp_scenario_result_changes_total{instance_id="shop",scenario_id="S-1"} ${count}`);
  ended();
  ended({ result: 'failed' });
  t.ok(await changes(1));
  ended({ result: 'not_judged' });
  ended({ result: 'failed' });
  t.ok(await changes(1), 'a target that was away says nothing about the scenario');
  ended({ textKey: 'two' });
  t.ok(await changes(1), 'nor does a new text');
  ended({ textKey: 'two', result: 'failed' });
  t.ok(await changes(2));
});

t.test('scenarios above the limit are counted together', async (t) => {
  const { metrics, ended } = await opened();
  for (let index = 0; index < maxScenarios + 50; index += 1) ended({ scenarioId: `S-${index}` });
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('vp_scenario_runs_total{'));
  t.equal(lines.length, maxScenarios + 1);
  t.ok(lines.includes('vp_scenario_runs_total{instance_id="shop",scenario_id="other",result="passed"} 50'));
});

t.test('the runs of the instance are what the control plane counts', async (t) => {
  const { metrics, state, has, ended } = await opened();
  t.notMatch(await metrics.text(), /^vp_instance_runs_total\{/m, 'nothing is claimed before it has answered');
  const runTotals = { passed: 25, failed: 1, not_judged: 0, cancelled: 2, registered_at_ms: 1_700_000_000_000 };
  Object.assign(state, { runTotals });
  ended();
  t.ok(await has('vp_instance_runs_total{instance_id="shop",result="passed"} 25'));
  t.ok(await has('vp_instance_runs_total{instance_id="shop",result="not_judged"} 0'));
  t.ok(await has('vp_instance_registered_timestamp_seconds{instance_id="shop"} 1700000000'));
});

t.test('runs that end before the instance is known are counted when it is', async (t) => {
  const { metrics, state, has, ended } = await opened('');
  Object.assign(state, { instance: undefined });
  const early = await openMetrics();
  const runs = createExecutorMetrics(early, {
    status: async () => state,
    evidenceSources: () => [],
    runTotals: () => undefined,
    monotonicMs: () => 0,
  });
  runs.startRun()(run);
  t.notMatch(await early.text(), /^vp_executor_runs_total\{/m);
  Object.assign(state, { instance: 'late' });
  const first = await early.text();
  t.match(first, /^vp_executor_runs_total\{instance_id="late",result="passed"\} 1$/m);
  t.match(
    first,
    /^vp_executor_runs_total\{instance_id="late",result="failed"\} 0$/m,
    'the first scrape has the rest at 0',
  );
  ended();
  t.ok(await has('vp_executor_connected{instance_id="late"} 1'));
  t.ok(metrics);
});
