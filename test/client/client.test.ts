import t from 'tap';
import { executorPort } from '../../src/client/executor-port.ts';
import { waitForRun } from '../../src/client/wait-for-run.ts';
import { aReport, aScenario } from '../control/a-report.ts';
import { aHello, served } from '../server/served.ts';
import { clientOf } from './client-of.ts';

t.test('instances are created, listed, read, given a new key and removed', async (t) => {
  const { instances } = clientOf(await served(t));
  const { instance, executor_key } = await instances.create({ instance_id: 'sign-dev' });
  t.same(await instances.list(), [instance]);
  t.same(await instances.get('sign-dev'), instance);
  t.not((await instances.rotateKey('sign-dev')).executor_key, executor_key);
  await instances.remove('sign-dev');
  t.same(await instances.list(), []);
});

t.test('scenarios are written, read by revision, listed over pages and removed', async (t) => {
  const { instances, scenarios } = clientOf(await served(t));
  await instances.create({ instance_id: 'sign-dev' });
  const written = await scenarios.write('sign-dev', 'RT-A', { text: aScenario('RT-A') });
  await scenarios.write('sign-dev', 'RT-A', { text: aScenario('RT-A', 'body has count'), if_revision: 1 });
  t.same(await scenarios.get('sign-dev', 'RT-A', 1), written);
  t.equal((await scenarios.get('sign-dev', 'RT-A')).revision, 2);
  t.equal((await scenarios.revisions('sign-dev', 'RT-A')).length, 2);
  await scenarios.write('sign-dev', 'RT-B', { text: aScenario('RT-B') });
  const first = await scenarios.list('sign-dev', { limit: 1 });
  t.ok(first.next_cursor);
  const all = await scenarios.all('sign-dev');
  t.same(
    all.map(({ scenario_id }) => scenario_id),
    ['RT-A', 'RT-B'],
  );
  await scenarios.remove('sign-dev', 'RT-B');
  await t.rejects(scenarios.get('sign-dev', 'RT-B'), { code: 'SCENARIO_UNKNOWN' });
});

t.test('a run is requested, taken by its executor, waited for and read in every format', async (t) => {
  const api = await served(t);
  const { instances, runs, pause } = clientOf(api);
  const { executor_key } = await instances.create({ instance_id: 'sign-dev' });
  const executor = executorPort(clientOf(api, executor_key));
  const { epoch } = await executor.hello(aHello);
  const [run] = await runs.request('sign-dev', { scenarios: [{ text: aScenario() }] }, { idempotencyKey: 'k' });
  const runId = run?.run_id ?? '';
  const waiting = waitForRun({ runs, pause }, runId);
  const { lease } = await executor.poll({ epoch, in_hand: null, wait_ms: 1000 });
  if (!lease) throw new Error('nothing was offered');
  const { fence } = lease;
  t.match(await executor.heartbeat({ epoch, run_id: runId, fence }), { cancel_requested: false });
  await executor.giveBack({ epoch, run_id: runId, fence });
  const again = await executor.poll({ epoch, in_hand: null, wait_ms: 1000 });
  const report = aReport(lease, 'sign-dev');
  const next = { epoch, run_id: runId, fence: again.lease?.fence ?? 0, more: true, report };
  t.same(await executor.complete(next), { lease: null });
  t.match(await waiting, { state: 'passed', report });
  t.same(await runs.report(runId), report);
  t.match(await runs.reportAs(runId, 'junit'), /<testsuite/);
  t.same((await runs.list({ states: ['passed', 'failed'], instance: 'sign-dev' })).items.length, 1);
  await t.rejects(runs.cancel(runId), { code: 'RUN_FINAL' });
  await executor.directRun({
    epoch,
    scenario_text: aScenario(),
    report: { ...aReport({ ...lease, run_id: '20261120T143012345' }, 'sign-dev'), origin: 'direct' },
  });
  t.equal((await runs.list({ limit: 1 })).items.length, 1);
});

t.test('names are escaped, so that none leads elsewhere', async (t) => {
  const { instances, runs } = clientOf(await served(t));
  await t.rejects(instances.get('../runs'), { code: 'INSTANCE_UNKNOWN', values: { instance: '../runs' } });
  await t.rejects(runs.get('a/b?c#d'), { code: 'RUN_UNKNOWN', values: { run: 'a/b?c#d' } });
});

t.test('a refusal is the error that it was on the other side', async (t) => {
  const { instances, scenarios } = clientOf(await served(t));
  await instances.create({ instance_id: 'sign-dev' });
  await t.rejects(instances.create({ instance_id: 'sign-dev' }), {
    name: 'VpError',
    code: 'INSTANCE_ID_TAKEN',
    message: 'the instance id sign-dev is taken',
    cure: /^use sign-dev-v1/,
    values: { proposal: 'sign-dev-v1' },
  });
  const refused = scenarios.write('sign-dev', 'RT-A', { text: '# Scenario: x' });
  await t.rejects(refused, { code: 'SCENARIO_REFUSED', diagnostics: [{ code: /^SCENARIO_/ }, {}] });
});

t.test('without a credential, or with a wrong one, every call says so', async (t) => {
  const api = await served(t);
  await t.rejects(clientOf(api, '').instances.list(), { code: 'CREDENTIAL_INVALID' });
  await t.rejects(clientOf(api, 'vpo_wrong').runs.list(), { code: 'CREDENTIAL_INVALID' });
  await t.rejects(executorPort(clientOf(api)).hello(aHello), { code: 'CREDENTIAL_INSUFFICIENT' });
});
