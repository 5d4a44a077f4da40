import t, { type Test } from 'tap';
import { openTestControlWithApp } from '../control-fixture.ts';
import { createScenarioText, createTestReport } from '../report-fixture.ts';
import { completeRun } from '../runs/run-history.ts';

const ana = { name: 'ana' };
const id = 'RT-GET-document';
const dayMs = 86_400_000;

async function open(t: Test) {
  const { control, clock } = await openTestControlWithApp(t);
  const quarantine = (days: number, scenario = id, owner?: string) =>
    control.quarantines.set(
      'app',
      scenario,
      {
        ...{ until: new Date(clock.nowMs() + days * dayMs).toISOString(), reason: 'the index is rebuilt' },
        ...(owner === undefined ? {} : { owner }),
      },
      ana,
    );
  const fail = (scenario = id) => completeRun(control, { scenario, result: 'failed', nowMs: clock.nowMs() });
  return { control, clock, quarantine, fail };
}

t.test('a failed run in quarantine is stored as what it is, with the quarantine of that moment', async (t) => {
  const { control, clock, quarantine, fail } = await open(t);
  const before = await fail();
  const set = await quarantine(14);
  t.match(set, { scenario_id: id, days_left: 14, owner: 'ana', created_by: 'ana', reason: 'the index is rebuilt' });
  t.same(await control.quarantines.list('app'), [set]);
  const during = await fail();
  const { until, reason, owner } = set;
  t.match(await control.runs.get(during), {
    ...{ state: 'failed', outcome: 'failed', quarantine: { until, reason, owner } },
    report: { result: 'failed', quarantine: { until, reason, owner } },
  });
  const passed = await completeRun(control);
  t.match(await control.runs.get(passed), { outcome: 'passed', quarantine: { until } });
  clock.advance(14 * dayMs + 1);
  t.same(await control.quarantines.list('app'), [], 'it has come back by itself');
  const after = await fail();
  t.notOk((await control.runs.get(after)).quarantine);
  t.notOk((await control.runs.get(before)).quarantine, 'what was judged before stays');
  t.match(await control.runs.get(during), { quarantine: { until } }, 'what was judged in it stays too');
});

t.test('released, extended and given another owner, it applies to the runs judged from then on', async (t) => {
  const { control, quarantine, fail } = await open(t);
  await quarantine(3);
  const first = await fail();
  t.match(await quarantine(20, id, 'ben'), { days_left: 20, owner: 'ben' });
  t.match(await control.runs.get(await fail()), { quarantine: { owner: 'ben' } });
  t.match(await control.runs.get(first), { quarantine: { owner: 'ana' } });
  await control.quarantines.release('app', id);
  t.notOk((await control.runs.get(await fail())).quarantine);
  await t.rejects(control.quarantines.release('app', id), { code: 'QUARANTINE_ABSENT' });
});

t.test('the owner is the one that the scenario names, where none is given', async (t) => {
  const { control, quarantine } = await open(t);
  const text = createScenarioText().replace('- Tags: http', '- Tags: http\n- Owner: search team');
  await control.catalogue.write('app', id, { text }, ana);
  t.match(await quarantine(1), { owner: 'search team' });
});

t.test(
  'ends that are past, too late or no time, no reason, and scenarios that are not there are refused',
  async (t) => {
    const { control, clock, quarantine } = await open(t);
    const set = (until: string, reason = 'x') => control.quarantines.set('app', id, { until, reason }, ana);
    await t.rejects(quarantine(-1), { code: 'QUARANTINE_INVALID', message: /is in the past/ });
    await t.rejects(quarantine(92), { code: 'QUARANTINE_INVALID', message: /more than 90 days ahead/ });
    await t.rejects(set('2026-12-31T23:59:60Z'), { code: 'QUARANTINE_INVALID', message: /not a valid time/ });
    await t.rejects(set(new Date(clock.nowMs() + dayMs).toISOString(), ' \n'), { code: 'QUARANTINE_INVALID' });
    await t.rejects(quarantine(1, 'RT-OTHER'), { code: 'SCENARIO_UNKNOWN' });
    await t.rejects(control.quarantines.release('app', 'RT-OTHER'), { code: 'SCENARIO_UNKNOWN' });
    await t.rejects(control.quarantines.list('other'), { code: 'INSTANCE_UNKNOWN' });
    const lastDay = new Date(clock.nowMs() + 90 * dayMs).toISOString().slice(0, 10);
    t.match(await set(`${lastDay}T23:59:59.999Z`), { days_left: 91 }, 'the whole ninetieth day');
  },
);

t.test('it goes with a scenario that is renamed, and ends with one that is deleted', async (t) => {
  const { control, quarantine, fail } = await open(t);
  await quarantine(9);
  const [queued] = await control.runs.request('app', { scenarios: [{ id }] }, ana);
  await control.catalogue.rename('app', id, { new_id: 'RT-NEW' }, ana);
  t.match(await control.quarantines.list('app'), [{ scenario_id: 'RT-NEW' }]);
  const port = control.executorPort('app');
  const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
  const { epoch } = await port.hello(hello);
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  if (!lease || !queued) throw new Error('no lease');
  const report = createTestReport(lease, 'app', 'failed');
  await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });
  t.match(await control.runs.get(queued.run_id), { quarantine: { owner: 'ana' } }, 'requested under its former ID');
  await control.catalogue.remove('app', 'RT-NEW', ana);
  t.same(await control.quarantines.list('app'), []);
  await t.rejects(quarantine(1, 'RT-NEW'), { code: 'SCENARIO_DELETED' });
  await control.catalogue.restore('app', 'RT-NEW', { revision: 2 }, ana);
  t.same(await control.quarantines.list('app'), [], 'restored, its failures count');
  t.notOk((await control.runs.get(await fail('RT-NEW'))).quarantine);
});

t.test('an executor cannot put a run in quarantine', async (t) => {
  const { control } = await open(t);
  const [run] = await control.runs.request('app', { scenarios: [{ id }] }, ana);
  const port = control.executorPort('app');
  const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
  const { epoch } = await port.hello(hello);
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  if (!lease || !run) throw new Error('no lease');
  const forged = { until: '2030-01-01T00:00:00Z', reason: 'none', owner: 'nobody' };
  const report = { ...createTestReport(lease, 'app', 'failed'), quarantine: forged };
  await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });
  const document = await control.runs.get(run.run_id);
  t.notOk(document.quarantine);
  t.notOk(document.report?.quarantine);
});

t.test(
  'a suite whose only failures are in quarantine passes, says how many, and has nothing to run again',
  async (t) => {
    const { control, quarantine } = await open(t);
    await control.catalogue.write('app', 'RT-TWO', { text: createScenarioText('RT-TWO') }, ana);
    await quarantine(9);
    const runs = await control.runs.request('app', { scenarios: [{ id }, { id: 'RT-TWO' }] }, ana);
    const suite = runs[0]?.suite ?? '';
    const port = control.executorPort('app');
    const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
    const { epoch } = await port.hello(hello);
    for (const result of ['failed', 'passed'] as const) {
      const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
      if (!lease) throw new Error('no lease');
      const report = createTestReport(lease, 'app', result);
      report.scenario.id = lease.scenario_id;
      await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });
    }
    const expected = { state: 'ended', outcome: 'passed', counts: { failed: 0, quarantined: 1, passed: 1 } };
    t.match(await control.suites.get('app', suite), expected);
    t.match((await control.suites.list({ instance: 'app' }, { limit: 5 })).items, [expected]);
    t.match(await control.suites.readResults('app', suite), { reports: [{ quarantine: { owner: 'ana' } }, {}] });
    await t.rejects(control.suites.rerun('app', suite, {}, ana), { code: 'SUITE_NOTHING_TO_RERUN' });
    t.equal((await control.suites.rerun('app', suite, { only: 'all' }, ana)).runs.length, 2);
    await control.quarantines.release('app', id);
    t.match(await control.suites.get('app', suite), expected, 'its verdict stays');
  },
);

t.test('health, failures and comparison say what is in quarantine, and count on', async (t) => {
  const { control, clock, quarantine } = await open(t);
  const complete = (result: 'passed' | 'failed', version: string) =>
    completeRun(control, { result, version, nowMs: clock.nowMs() });
  await complete('passed', '1.0');
  await quarantine(9);
  clock.advance(1000);
  await complete('failed', '2.0');
  t.match(await control.health.list('app'), { scenarios: [{ failed: 1, quarantine: { days_left: 9 } }] });
  t.match((await control.failures.list({ instance: 'app', state: 'failing' }, { limit: 5 })).items, [
    { failing: true, quarantine: { scenario_id: id } },
  ]);
  const sides = ['1.0', '2.0'].map((version) => ({ kind: 'version', version }) as const);
  const [base, head] = sides;
  if (!base || !head) throw new Error('no sides');
  t.match(await control.comparison.compare('app', base, head), {
    totals: { newly_failing: 1 },
    scenarios: [{ change: 'newly_failing', quarantined: true }],
  });
});

t.test('a run whose executor is lost, and one that was started directly, are in quarantine too', async (t) => {
  const { control, clock, quarantine } = await open(t);
  await quarantine(9);
  const [run] = await control.runs.request('app', { scenarios: [{ id }] }, ana);
  const port = control.executorPort('app');
  const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
  const { epoch } = await port.hello(hello);
  await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  clock.advance(60_000);
  const lost = await control.runs.wait(run?.run_id ?? '', 1000);
  t.match(lost, { outcome: 'broken', failure_kind: 'executor_lost', quarantine: { owner: 'ana' } });
  const report = createTestReport(
    { run_id: '20261120T143012999', correlation_id: 'tr-20261120T143012999-abcd', scenario_id: id },
    'app',
    'failed',
  );
  report.origin = 'direct';
  await port.directRun({ epoch, scenario_text: createScenarioText(), report });
  t.match(await control.runs.get('20261120T143012999'), { quarantine: { owner: 'ana' } });
});
