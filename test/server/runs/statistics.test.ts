import t from 'tap';
import { createScenarioText, createTestReport } from '../../control/report-fixture.ts';
import { registerInstance, startHttpExecutor, startTestServer } from '../test-server.ts';

const path = '/api/v1/instances/sign-dev/statistics';

t.test('statistics cover the last day by default', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  const day = await (await api.ask('GET', path)).json();
  t.match(day, { complete: true, totals: { passed: 0 }, bucket_ms: 1_800_000 });
  const since = new Date(Date.now() - 600_000).toISOString();
  t.match(await (await api.ask('GET', `${path}?since=${since}`)).json(), { bucket_ms: 60_000 });
  t.match(await (await api.ask('GET', `${path}?since=yesterday`)).json(), { code: 'REQUEST_INVALID' });
  t.match(await (await api.ask('GET', '/api/v1/instances/other/statistics')).json(), { code: 'INSTANCE_UNKNOWN' });
});

t.test('runs are listed by whether their failure could be judged', async (t) => {
  const api = await startTestServer(t);
  const { executor_key } = await registerInstance(api);
  await api.ask('PUT', '/api/v1/instances/sign-dev/scenarios/RT-GET-document', { text: createScenarioText() });
  const scenarios = [{ id: 'RT-GET-document' }, { id: 'RT-GET-document' }, { id: 'RT-GET-document' }];
  await api.ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios });
  const { epoch } = await startHttpExecutor(api, executor_key);
  for (const kind of ['timeout', 'body_mismatch', undefined]) {
    const pollRequest = { epoch, in_hand: null, wait_ms: 0 };
    const { lease } = await (await api.ask('POST', '/api/v1/executor/poll', pollRequest, executor_key)).json();
    const report = createTestReport(lease, 'sign-dev', kind === undefined ? 'passed' : 'failed');
    if (report.failure && kind !== undefined) report.failure.kind = kind;
    const completion = { epoch, run_id: lease.run_id, fence: lease.fence, more: false, report };
    t.equal((await api.ask('POST', '/api/v1/executor/complete', completion, executor_key)).status, 200);
  }
  const kinds = async (query: string): Promise<(string | null)[]> => {
    const { items } = await (await api.ask('GET', `/api/v1/instances/sign-dev/runs?${query}`)).json();
    return items.map((run: { failure_kind: string | null }) => run.failure_kind);
  };
  t.same(await kinds('state=failed&judged=false'), ['timeout']);
  t.same(await kinds('state=failed&judged=true'), ['body_mismatch']);
  t.same(await kinds('judged=true'), [null, 'body_mismatch']);
  t.match(await (await api.ask('GET', path)).json(), { totals: { passed: 1, failed: 1, not_judged: 1 } });
});
