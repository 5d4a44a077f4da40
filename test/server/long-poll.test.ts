import t, { type Test } from 'tap';
import { aReport, aScenario } from '../control/a-report.ts';
import { listening } from '../http/listening.ts';
import { hello, register, type Served, served } from './served.ts';

async function listeningFor(t: Test, api: Served) {
  const listener = await listening(t, (request, env) => api.fetch(request, env));
  const post = (path: string, body: object, key: string, signal?: AbortSignal) =>
    fetch(`${listener.url}/api/v1/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(signal ? { signal } : {}),
    });
  return { listener, post };
}

const aRun = { scenarios: [{ text: aScenario() }] };

t.test('a poll over a socket ends with a run as soon as there is one', async (t) => {
  const api = await served(t);
  const { post } = await listeningFor(t, api);
  const { executor_key: key } = await register(api);
  const { epoch } = await hello(api, key);
  const polling = post('executor/poll', { epoch, in_hand: null, wait_ms: 60_000 }, key);
  await post('instances/sign-dev/runs', aRun, api.owner);
  const { lease } = await (await polling).json();
  const completed = await post(
    'executor/complete',
    { epoch, run_id: lease.run_id, fence: lease.fence, more: false, report: aReport(lease, 'sign-dev') },
    key,
  );
  t.same(await completed.json(), { lease: null });
});

t.test('a poll whose executor has left takes no run', async (t) => {
  const api = await served(t);
  const { post } = await listeningFor(t, api);
  const { executor_key: key } = await register(api);
  const { epoch } = await hello(api, key);
  const leaving = new AbortController();
  const left = post('executor/poll', { epoch, in_hand: null, wait_ms: 60_000 }, key, leaving.signal);
  setTimeout(() => leaving.abort(), 30);
  await t.rejects(left);
  await new Promise((resolve) => setTimeout(resolve, 30));
  await post('instances/sign-dev/runs', aRun, api.owner);
  const { items } = await (await api.ask('GET', '/api/v1/runs')).json();
  t.match(items, [{ state: 'queued' }]);
  t.same(api.lines, []);
});

t.test('closing the listener ends polls and waits at once, and readiness goes first', async (t) => {
  const api = await served(t);
  const { listener, post } = await listeningFor(t, api);
  const { executor_key: key } = await register(api);
  const { epoch } = await hello(api, key);
  const polling = post('executor/poll', { epoch, in_hand: null, wait_ms: 60_000 }, key);
  const { runs } = await (
    await post('instances/sign-dev/runs', { scenarios: [{ text: aScenario() }, { text: aScenario() }] }, api.owner)
  ).json();
  await polling;
  const headers = { authorization: `Bearer ${api.owner}` };
  const waiting = fetch(`${listener.url}/api/v1/runs/${runs[1].run_id}?wait_ms=60000`, { headers });
  const idlePoll = post('executor/poll', { epoch, in_hand: runs[0].run_id, wait_ms: 60_000 }, key);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await listener.close();
  t.match(await (await waiting).json(), { state: 'queued' });
  t.same(await (await idlePoll).json(), { lease: null });
  const closing = AbortSignal.abort();
  t.equal((await api.fetch(new Request('http://localhost/readyz'), { closing })).status, 503);
});
