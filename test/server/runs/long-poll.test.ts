import t, { type Test } from 'tap';
import { createScenarioText, createTestReport } from '../../control/report-fixture.ts';
import { eventually } from '../../eventually.ts';
import { startListener } from '../../http/test-listener.ts';
import { registerInstance, startHttpExecutor, startTestServer, type TestServer } from '../test-server.ts';

async function listeningFor(t: Test, api: TestServer) {
  /** The requests that have arrived. */
  const arrivedRequests: Request[] = [];
  const listener = await startListener(t, (request, env) => {
    arrivedRequests.push(request);
    return api.fetch(request, env);
  });
  const post = (path: string, body: object, key: string, signal?: AbortSignal) =>
    fetch(`${listener.url}/api/v1/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(signal ? { signal } : {}),
    });
  return { listener, post, arrivedRequests };
}

const aRun = { scenarios: [{ text: createScenarioText() }] };

t.test('a poll over a socket ends with a run as soon as there is one', async (t) => {
  const api = await startTestServer(t);
  const { post } = await listeningFor(t, api);
  const { executor_key: key } = await registerInstance(api);
  const { epoch } = await startHttpExecutor(api, key);
  const polling = post('executor/poll', { epoch, in_hand: null, wait_ms: 60_000 }, key);
  await post('instances/sign-dev/runs', aRun, api.owner);
  const { lease } = await (await polling).json();
  const completed = await post(
    'executor/complete',
    { epoch, run_id: lease.run_id, fence: lease.fence, more: false, report: createTestReport(lease, 'sign-dev') },
    key,
  );
  t.match(await completed.json(), { lease: null });
});

t.test('a poll of a disconnected executor leases no run', async (t) => {
  const api = await startTestServer(t);
  const { post, arrivedRequests } = await listeningFor(t, api);
  const { executor_key: key } = await registerInstance(api);
  const { epoch } = await startHttpExecutor(api, key);
  const controller = new AbortController();
  const left = post('executor/poll', { epoch, in_hand: null, wait_ms: 60_000 }, key, controller.signal);
  const rejection = t.rejects(left);
  const request = await eventually(() => arrivedRequests[0]);
  controller.abort();
  await rejection;
  await eventually(() => request.signal.aborted);
  await post('instances/sign-dev/runs', aRun, api.owner);
  const { items } = await (await api.ask('GET', '/api/v1/runs')).json();
  t.match(items, [{ state: 'queued' }]);
  t.same(api.lines, []);
});

t.test('closing the listener ends polls and waits at once, and readiness before that', async (t) => {
  const api = await startTestServer(t);
  const { listener, post, arrivedRequests } = await listeningFor(t, api);
  const { executor_key: key } = await registerInstance(api);
  const { epoch } = await startHttpExecutor(api, key);
  const polling = post('executor/poll', { epoch, in_hand: null, wait_ms: 60_000 }, key);
  const { runs } = await (
    await post(
      'instances/sign-dev/runs',
      { scenarios: [{ text: createScenarioText() }, { text: createScenarioText() }] },
      api.owner,
    )
  ).json();
  await polling;
  const requestCount = arrivedRequests.length;
  const headers = { authorization: `Bearer ${api.owner}` };
  const waiting = fetch(`${listener.url}/api/v1/runs/${runs[1].run_id}?wait_ms=60000`, { headers });
  const idlePoll = post('executor/poll', { epoch, in_hand: runs[0].run_id, wait_ms: 60_000 }, key);
  await eventually(() => arrivedRequests.length === requestCount + 2);
  await listener.close();
  t.match(await (await waiting).json(), { state: 'queued' });
  t.match(await (await idlePoll).json(), { lease: null });
  const closing = AbortSignal.abort();
  t.equal((await api.fetch(new Request('http://localhost/readyz'), { closing })).status, 503);
});
