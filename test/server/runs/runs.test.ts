import t from 'tap';
import type { Run } from '../../../src/contract/api.ts';
import { createScenarioText, createTestReport } from '../../control/report-fixture.ts';
import { registerInstance, startHttpExecutor, startTestServer, type TestServer } from '../test-server.ts';

const runsPath = '/api/v1/instances/sign-dev/runs';

async function withScenario(api: TestServer): Promise<string> {
  const { executor_key } = await registerInstance(api);
  await api.ask('PUT', '/api/v1/instances/sign-dev/scenarios/RT-GET-document', { text: createScenarioText() });
  return executor_key;
}

async function request(api: TestServer, count = 1, headers: Record<string, string> = {}): Promise<Run[]> {
  const scenarios = Array.from({ length: count }, () => ({ id: 'RT-GET-document' }));
  const response = await api.ask('POST', runsPath, { scenarios }, api.owner, headers);
  if (response.status !== 202) throw new Error(await response.text());
  return (await response.json()).runs;
}

t.test('runs are requested in order, by id or by text', async (t) => {
  const api = await startTestServer(t);
  await withScenario(api);
  const scenarios = [{ id: 'RT-GET-document' }, { text: createScenarioText('RT-OTHER') }];
  const response = await api.ask('POST', runsPath, { scenarios });
  const { runs } = await response.json();
  t.match(runs, [
    { scenario_id: 'RT-GET-document', state: 'queued', requested_by: 'owner', queue_position: 0, revision: 1 },
    { scenario_id: 'RT-OTHER', state: 'queued', queue_position: 1 },
  ]);
  t.match(await (await api.ask('GET', `/api/v1/runs/${runs[0].run_id}`)).json(), { ...runs[0], report: null });
});

t.test('a repeated Idempotency-Key requests nothing new, and is refused for another request', async (t) => {
  const api = await startTestServer(t);
  await withScenario(api);
  const headers = { 'idempotency-key': 'push-42' };
  const [first] = await request(api, 1, headers);
  const [again] = await request(api, 1, headers);
  t.equal(again?.run_id, first?.run_id);
  const scenarios = [{ text: createScenarioText() }];
  const other = await api.ask('POST', runsPath, { scenarios }, api.owner, headers);
  t.match(await other.json(), { code: 'REQUEST_KEY_REUSED', status: 409 });
  const invalidQueries = await api.ask('POST', runsPath, { scenarios }, api.owner, { 'idempotency-key': 'two words' });
  t.match(await invalidQueries.json(), { code: 'REQUEST_INVALID', detail: /^header idempotency-key/ });
});

t.test('a request without scenarios, with too many, or with an unknown one is refused as a whole', async (t) => {
  const api = await startTestServer(t);
  await withScenario(api);
  const many = Array.from({ length: 1001 }, () => ({ id: 'RT-GET-document' }));
  for (const scenarios of [[], many, [{}], [{ id: 'no such id' }], 'RT-GET-document']) {
    const refused = await api.ask('POST', runsPath, { scenarios });
    t.equal((await refused.json()).code, 'REQUEST_INVALID');
  }
  const unknown = await api.ask('POST', runsPath, {
    scenarios: [{ id: 'RT-GET-document' }, { id: 'RT-GET-documnt' }],
  });
  t.match(await unknown.json(), { code: 'SCENARIO_UNKNOWN', detail: /did you mean RT-GET-document/ });
  t.same((await (await api.ask('GET', '/api/v1/runs')).json()).items, []);
});

t.test('runs are listed newest first and filtered by instance, scenario, states and time', async (t) => {
  const api = await startTestServer(t);
  await withScenario(api);
  const runs = await request(api, 3);
  const [oldest, cancelled, newest] = runs.map(({ run_id }) => run_id);
  await api.ask('POST', `/api/v1/runs/${cancelled}/cancel`);
  const listed = async (path: string): Promise<string[]> => {
    const { items } = await (await api.ask('GET', path)).json();
    return items.map(({ run_id }: Run) => run_id);
  };
  t.same(await listed('/api/v1/runs'), [newest, cancelled, oldest]);
  t.same(await listed(`${runsPath}?state=queued`), [newest, oldest]);
  t.same(await listed('/api/v1/runs?state=queued&state=cancelled&limit=2'), [newest, cancelled]);
  t.same(await listed('/api/v1/runs?instance=sign-dev&scenario=RT-OTHER'), []);
  t.same(await listed('/api/v1/runs?since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z'), []);
  t.same(await listed('/api/v1/runs?since=2020-01-01T00:00:00%2B02:00'), [newest, cancelled, oldest]);
  t.equal((await api.ask('GET', '/api/v1/runs?instance=nobody')).status, 404);
});

t.test('runs are searched by scenario and by what failed', async (t) => {
  const api = await startTestServer(t);
  const key = await withScenario(api);
  const executor = await startHttpExecutor(api, key);
  const [run] = await request(api);
  const lease = await executor.poll();
  await executor.complete(lease, createTestReport(lease, 'sign-dev', 'failed'));
  const search = async (query: string): Promise<unknown> => (await api.ask('GET', `${runsPath}?${query}`)).json();
  for (const query of ['text=no&text=document', 'path=/api/v2', 'text=/api/v2/doc', 'tag=http', 'text=BODY_MISMATCH'])
    t.match(await search(query), { items: [{ run_id: run?.run_id }], next_cursor: null }, query);
  for (const query of ['text=absent', 'path=/v2', 'tag=htt', 'owner=ana', 'branch=main', 'failure=0123456789abcdef'])
    t.same(await search(query), { items: [], next_cursor: null }, query);
  const words = Array.from({ length: 9 }, () => 'text=a').join('&');
  for (const query of [
    'text=',
    'text=%00',
    'path=api',
    'failure=x',
    'target_version=',
    `tag=${'a'.repeat(201)}`,
    words,
  ])
    t.match(await search(query), { code: 'REQUEST_INVALID' }, query);
});

t.test('invalid filters are refused', async (t) => {
  const api = await startTestServer(t);
  await withScenario(api);
  for (const query of ['state=done', 'since=yesterday', 'since=2026-11-20', 'until=2016-12-31T23:59:60Z']) {
    t.match(await (await api.ask('GET', `/api/v1/runs?${query}`)).json(), { code: 'REQUEST_INVALID' }, query);
  }
  t.match(await (await api.ask('GET', '/api/v1/runs?cursor=nonsense')).json(), { code: 'CURSOR_INVALID' });
  t.equal((await api.ask('GET', `${runsPath}?instance=sign-dev`)).status, 400, 'the path names it already');
});

t.test('waiting for a run ends when it does, with its report', async (t) => {
  const api = await startTestServer(t);
  const key = await withScenario(api);
  const executor = await startHttpExecutor(api, key);
  const [run] = await request(api);
  const waiting = api.ask('GET', `/api/v1/runs/${run?.run_id}?wait_ms=60000`);
  const lease = await executor.poll();
  await executor.complete(lease, createTestReport(lease, 'sign-dev', 'passed'));
  t.match(await (await waiting).json(), { state: 'passed', result: 'passed', report: { result: 'passed' } });
});

t.test('waiting ends after its time with the current state', async (t) => {
  const api = await startTestServer(t);
  await withScenario(api);
  const [run] = await request(api);
  t.match(await (await api.ask('GET', `/api/v1/runs/${run?.run_id}?wait_ms=20`)).json(), { state: 'queued' });
  t.equal((await api.ask('GET', `/api/v1/runs/${run?.run_id}?wait_ms=60001`)).status, 400);
  t.equal((await api.ask('GET', '/api/v1/runs/20260101T000000000?wait_ms=20')).status, 404);
});

t.test('a queued run is cancelled at once, and a second cancellation is refused', async (t) => {
  const api = await startTestServer(t);
  await withScenario(api);
  const [run] = await request(api);
  const cancelled = await api.ask('POST', `/api/v1/runs/${run?.run_id}/cancel`);
  t.match(await cancelled.json(), { state: 'cancelled', result: null });
  const again = await api.ask('POST', `/api/v1/runs/${run?.run_id}/cancel`);
  t.match(await again.json(), { code: 'RUN_FINAL', status: 409 });
});

t.test('an invalid run id is reported as unknown', async (t) => {
  const api = await startTestServer(t);
  for (const id of ['nonsense', '20261301T000000000', '%2e%2e%2f', '%F0%9F%92%A9']) {
    t.match(await (await api.ask('GET', `/api/v1/runs/${id}`)).json(), { code: 'RUN_UNKNOWN' }, id);
  }
});
