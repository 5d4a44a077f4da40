import t from 'tap';
import { createHttpControlPort } from '../../src/client/executor-port.ts';
import { waitForRun } from '../../src/client/wait-for-run.ts';
import { createScenarioText, createTestReport } from '../control/report-fixture.ts';
import { helloMessage, startTestServer } from '../server/test-server.ts';
import { createTestClient } from './test-client.ts';

t.test('instances are created, listed, read, re-keyed and removed', async (t) => {
  const { instances } = createTestClient(await startTestServer(t));
  const { instance, executor_key } = await instances.create({ instance_id: 'sign-dev' });
  t.same(await instances.list(), [instance]);
  t.same(await instances.get('sign-dev'), instance);
  t.not((await instances.rotateKey('sign-dev')).executor_key, executor_key);
  await instances.remove('sign-dev');
  t.same(await instances.list(), []);
});

t.test('scenarios are written, read by revision, listed over pages and removed', async (t) => {
  const { instances, scenarios } = createTestClient(await startTestServer(t));
  await instances.create({ instance_id: 'sign-dev' });
  const written = await scenarios.write('sign-dev', 'RT-A', { text: createScenarioText('RT-A') });
  await scenarios.write('sign-dev', 'RT-A', { text: createScenarioText('RT-A', 'body has count'), if_revision: 1 });
  t.same(await scenarios.get('sign-dev', 'RT-A', 1), written);
  t.equal((await scenarios.get('sign-dev', 'RT-A')).revision, 2);
  t.equal((await scenarios.listRevisions('sign-dev', 'RT-A')).length, 2);
  await scenarios.write('sign-dev', 'RT-B', { text: createScenarioText('RT-B') });
  const first = await scenarios.list('sign-dev', { limit: 1 });
  t.ok(first.next_cursor);
  const all = await scenarios.listAll('sign-dev');
  t.same(
    all.map(({ scenario_id }) => scenario_id),
    ['RT-A', 'RT-B'],
  );
  await t.rejects(scenarios.remove('sign-dev', 'RT-B', { ifRevision: 9 }), { code: 'SCENARIO_CHANGED' });
  await scenarios.remove('sign-dev', 'RT-B');
  await t.rejects(scenarios.get('sign-dev', 'RT-B'), { code: 'SCENARIO_DELETED' });
  t.match(await scenarios.listDeleted('sign-dev'), [{ scenario_id: 'RT-B', deleted_by: 'owner' }]);
  t.match(await scenarios.restore('sign-dev', 'RT-B', { revision: 1 }), { revision: 2, restored_from: 1 });
  t.match(await scenarios.rename('sign-dev', 'RT-B', { new_id: 'RT-C' }), { scenario_id: 'RT-C', revision: 3 });
});

t.test('a catalogue is read at once, and from a control plane that refuses so many in smaller pages', async (t) => {
  const api = await startTestServer(t);
  const limits: (string | null)[] = [];
  const listIds = async (changeLimit: (limit: string) => string): Promise<readonly string[]> => {
    limits.length = 0;
    const fetch = (request: Request) => {
      const url = new URL(request.url);
      const limit = url.searchParams.get('limit');
      limits.push(limit);
      if (limit !== null) url.searchParams.set('limit', changeLimit(limit));
      return api.fetch(new Request(url, request));
    };
    const entries = await createTestClient({ ...api, fetch }).scenarios.listAll('sign-dev');
    return entries.map(({ scenario_id: id }) => id);
  };
  const { instances, scenarios } = createTestClient(api);
  await instances.create({ instance_id: 'sign-dev' });
  for (const id of ['RT-A', 'RT-B']) await scenarios.write('sign-dev', id, { text: createScenarioText(id) });
  t.same(await listIds((limit) => limit), ['RT-A', 'RT-B']);
  t.same(limits, ['1000']);
  t.same(await listIds((limit) => (limit === '1000' ? '1001' : '1')), ['RT-A', 'RT-B'], 'as an earlier version');
  t.same(limits, ['1000', '200', '200']);
});

t.test('a run is requested, leased, awaited and read in every format', async (t) => {
  const api = await startTestServer(t);
  const { instances, runs, pause } = createTestClient(api);
  const { executor_key } = await instances.create({ instance_id: 'sign-dev' });
  const executor = createHttpControlPort(createTestClient(api, executor_key));
  const { epoch } = await executor.hello(helloMessage);
  const [run] = await runs.request(
    'sign-dev',
    { scenarios: [{ text: createScenarioText() }] },
    { idempotencyKey: 'k' },
  );
  const runId = run?.run_id ?? '';
  const waitingRun = waitForRun({ runs, pause }, runId);
  const { lease } = await executor.poll({ epoch, in_hand: null, wait_ms: 1000 });
  if (!lease) throw new Error('nothing was offered');
  const { fence } = lease;
  t.match(await executor.heartbeat({ epoch, run_id: runId, fence }), { cancel_requested: false });
  await executor.giveBack({ epoch, run_id: runId, fence });
  const secondPoll = await executor.poll({ epoch, in_hand: null, wait_ms: 1000 });
  const report = createTestReport(lease, 'sign-dev');
  const completion = { epoch, run_id: runId, fence: secondPoll.lease?.fence ?? 0, more: true, report };
  t.match(await executor.complete(completion), { lease: null, run_totals: { passed: 1 } });
  t.match(await waitingRun, { state: 'passed', report });
  t.same(await runs.getReport(runId), report);
  t.match(await runs.renderReport(runId, 'junit'), /<testsuite/);
  t.same((await runs.list({ states: ['passed', 'failed'], instance: 'sign-dev' })).items.length, 1);
  await t.rejects(runs.cancel(runId), { code: 'RUN_FINAL' });
  await executor.directRun({
    epoch,
    scenario_text: createScenarioText(),
    report: { ...createTestReport({ ...lease, run_id: '20261120T143012345' }, 'sign-dev'), origin: 'direct' },
  });
  t.equal((await runs.list({ limit: 1 })).items.length, 1);
});

t.test('names are escaped, so that they cannot change the path', async (t) => {
  const { instances, runs } = createTestClient(await startTestServer(t));
  await t.rejects(instances.get('../runs'), { code: 'INSTANCE_UNKNOWN', values: { instance: '../runs' } });
  await t.rejects(runs.get('a/b?c#d'), { code: 'RUN_UNKNOWN', values: { run: 'a/b?c#d' } });
});

t.test('a refusal is thrown as the server’s error', async (t) => {
  const { instances, scenarios } = createTestClient(await startTestServer(t));
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

t.test('calls without a valid credential are refused', async (t) => {
  const api = await startTestServer(t);
  await t.rejects(createTestClient(api, '').instances.list(), { code: 'CREDENTIAL_INVALID' });
  await t.rejects(createTestClient(api, 'vpo_wrong').runs.list(), { code: 'CREDENTIAL_INVALID' });
  await t.rejects(createHttpControlPort(createTestClient(api)).hello(helloMessage), {
    code: 'CREDENTIAL_INSUFFICIENT',
  });
});
