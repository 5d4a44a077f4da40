import t from 'tap';
import { createScenarioText, createTestReport } from '../../control/report-fixture.ts';
import { helloMessage, registerInstance, startHttpExecutor, startTestServer, type TestServer } from '../test-server.ts';

async function withQueue(api: TestServer, runs: number): Promise<string> {
  const { executor_key } = await registerInstance(api);
  await api.ask('PUT', '/api/v1/instances/sign-dev/scenarios/RT-GET-document', { text: createScenarioText() });
  const scenarios = Array.from({ length: runs }, () => ({ id: 'RT-GET-document' }));
  await api.ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios });
  return executor_key;
}

t.test(
  'an executor says hello, leases a run, renews the lease and completes it with the next run in the response',
  async (t) => {
    const api = await startTestServer(t);
    const executor = await startHttpExecutor(api, await withQueue(api, 2));
    const first = await executor.poll();
    t.match(first, { scenario_text: createScenarioText(), fence: 1, cancel_requested: false });
    const { epoch } = executor;
    const pulse = await executor.call('heartbeat', { epoch, run_id: first.run_id, fence: first.fence });
    t.match(await pulse.json(), { cancel_requested: false, lease_ms: 30_000 });
    const offer = await executor.complete(first, createTestReport(first, 'sign-dev'), true);
    const { lease: second } = await offer.json();
    t.not(second.run_id, first.run_id);
    const back = await executor.call('give-back', { epoch, run_id: second.run_id, fence: second.fence });
    t.equal(back.status, 204);
    t.equal((await executor.poll()).run_id, second.run_id);
  },
);

t.test('an executor acts for its own instance only', async (t) => {
  const api = await startTestServer(t);
  await withQueue(api, 1);
  const { executor_key: other } = await registerInstance(api, 'other');
  const executor = await startHttpExecutor(api, other);
  const nothing = await executor.call('poll', { epoch: executor.epoch, in_hand: null, wait_ms: 0 });
  t.match(await nothing.json(), { lease: null });
});

t.test('an older start is superseded', async (t) => {
  const api = await startTestServer(t);
  const key = await withQueue(api, 1);
  const older = await startHttpExecutor(api, key);
  await startHttpExecutor(api, key);
  const refused = await older.call('poll', { epoch: older.epoch, in_hand: null, wait_ms: 0 });
  t.match(await refused.json(), { code: 'EXECUTOR_SUPERSEDED', status: 409 });
});

t.test('the wait for log and database is what the report says, whatever came before the request', async (t) => {
  const api = await startTestServer(t);
  const executor = await startHttpExecutor(api, await withQueue(api, 2));
  const first = await executor.poll();
  const report = createTestReport(first, 'sign-dev');
  const timings = { ...report.timings, before_ms: 5000, total_ms: 3, evidence_ms: 40.4 };
  const finished_at = '2026-11-20T14:30:17.388Z';
  const offer = await executor.complete(first, { ...report, timings, finished_at }, true);
  const { lease: second } = await offer.json();
  const without = { ...createTestReport(second, 'sign-dev'), finished_at };
  await executor.complete(second, without, false);
  const { items } = await (await api.ask('GET', '/api/v1/runs')).json();
  t.match(items, [
    { run_id: second.run_id, evidence_ms: 0 },
    { run_id: first.run_id, duration_ms: 3, evidence_ms: 40.4 },
  ]);
});

t.test('a direct run is stored with its origin', async (t) => {
  const api = await startTestServer(t);
  const executor = await startHttpExecutor(api, await withQueue(api, 0));
  const run = {
    run_id: '20261120T143012345',
    correlation_id: 'tr-20261120T143012345-abc',
    scenario_id: 'RT-GET-document',
  };
  const report = { ...createTestReport(run, 'sign-dev'), origin: 'direct' };
  const storedRun = await executor.call('direct-run', {
    epoch: executor.epoch,
    scenario_text: createScenarioText(),
    report,
  });
  t.equal(storedRun.status, 204);
  const { items } = await (await api.ask('GET', '/api/v1/runs')).json();
  t.match(items, [{ origin: 'direct', state: 'passed' }]);
});

t.test('invalid messages are refused with the location', async (t) => {
  const api = await startTestServer(t);
  const executor = await startHttpExecutor(api, await withQueue(api, 1));
  const lease = await executor.poll();
  const report = {
    ...createTestReport(lease, 'sign-dev'),
    timings: { queued_ms: -1 },
    exchange: { request: null, response: 1 },
  };
  const refused = await executor.call('complete', { epoch: 1, run_id: lease.run_id, fence: 0, more: false, report });
  t.equal(refused.status, 400);
  const { diagnostics } = await refused.json();
  const positions = diagnostics.map(({ where }: { where: string }) => where);
  t.match(positions, ['body.fence', 'body.report.exchange.response', 'body.report.timings'], 'each place is named');
  const unspoken = await api.ask('POST', '/api/v1/executor/hello', { ...helloMessage, store_id: 1 }, api.owner);
  t.equal(unspoken.status, 403, 'who may call comes before what is said');
});

t.test('a report of 12 MB is accepted, a larger one refused', async (t) => {
  const api = await startTestServer(t);
  const executor = await startHttpExecutor(api, await withQueue(api, 1));
  const lease = await executor.poll();
  const report = createTestReport(lease, 'sign-dev');
  const withBody = (size: number) => ({
    ...report,
    exchange: {
      request: null,
      response: { status: 200, headers: [], body: { text: 'x'.repeat(size), size_bytes: size, truncated: false } },
    },
  });
  const huge = await executor.complete(lease, withBody(13_000_000));
  t.match(await huge.json(), { code: 'BODY_TOO_LARGE', values: { limit_bytes: 12_582_912 } });
  t.equal((await executor.complete(lease, withBody(12_000_000))).status, 200);
});
