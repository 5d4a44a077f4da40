import t, { type Test } from 'tap';
import type { ChangeEvent } from '../../src/contract/api.ts';
import { aScenario } from '../control/a-report.ts';
import { listening } from '../http/listening.ts';
import { apiKey, invite, setUp } from './browser.ts';
import { register, type Served, served, servedAgain } from './served.ts';
import { type Block, blocksOf } from './sse.ts';

const quick = { minGapMs: 20, heartbeatMs: 60_000 };

async function request(api: Served, count = 1): Promise<void> {
  const scenarios = Array.from({ length: count }, () => ({ text: aScenario() }));
  await api.ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios });
}

function changeOf({ data = '' }: Block): ChangeEvent {
  const change: ChangeEvent = JSON.parse(data);
  return change;
}

/** Opens a stream; it is left at the end of the test. */
async function stream(t: Test, api: Served, query = '', headers: Record<string, string> = {}) {
  const response = await api.ask('GET', `/api/v1/events${query}`, undefined, api.owner, headers);
  if (response.status !== 200) throw new Error(await response.text());
  t.equal(response.headers.get('content-type'), 'text/event-stream');
  const blocks = blocksOf(response);
  t.teardown(() => blocks.leave());
  return blocks;
}

t.test('a stream begins with where it stands and tells what changes, with its number as id', async (t) => {
  const api = await served(t, { events: quick });
  const events = await stream(t, api);
  t.match(await events.next(), { id: /^\d+$/, retry: '2000' });
  await register(api);
  const block = await events.next();
  const change = changeOf(block);
  t.match(change, { type: 'instance', instance: { instance_id: 'sign-dev' } });
  t.match(block, { id: String(change.seq), event: 'instance' });
  await request(api);
  t.match(changeOf(await events.next()), { type: 'run', run: { state: 'queued' } });
});

t.test('a stream resumes behind the last event it knows, by header or by query', async (t) => {
  const api = await served(t, { events: quick });
  await register(api);
  await request(api, 3);
  const all = await stream(t, api, '?since=0');
  await all.next();
  const seen = [await all.next(), await all.next(), await all.next()];
  const third = seen[2]?.id ?? '';
  const rest = await stream(t, api, '?since=0', { 'last-event-id': third });
  t.equal((await rest.next()).id, third, 'the header of a browser that comes back wins');
  t.ok(Number((await rest.next()).id) > Number(third));
  const again = await stream(t, api, `?since=${third}`);
  t.equal((await again.next()).id, third);
});

t.test('a number from another life of the store begins with now', async (t) => {
  const api = await served(t, { events: quick });
  const events = await stream(t, api, '?since=123456789');
  const { id } = await events.next();
  t.ok(Number(id) < 123456789);
  await register(api);
  t.equal(changeOf(await events.next()).type, 'instance');
});

t.test('changes within a gap come merged, the newest state of each thing only', async (t) => {
  const api = await served(t, { events: { ...quick, minGapMs: 150 } });
  await register(api);
  const events = await stream(t, api);
  await events.next();
  await request(api);
  const first = changeOf(await events.next());
  const runId = first.type === 'run' ? first.run.run_id : '';
  await api.ask('PUT', '/api/v1/instances/sign-dev/scenarios/RT-A', { text: aScenario('RT-A') });
  await api.ask('PUT', '/api/v1/instances/sign-dev/scenarios/RT-A', { text: aScenario('RT-A', 'body has count') });
  await api.ask('POST', `/api/v1/runs/${runId}/cancel`);
  const rest = [changeOf(await events.next()), changeOf(await events.next())];
  t.match(
    rest.find(({ type }) => type === 'scenario'),
    { scenario_id: 'RT-A', revision: 2, deleted: false },
  );
  t.match(
    rest.find(({ type }) => type === 'run'),
    { run: { run_id: runId, state: 'cancelled' } },
  );
});

t.test('more than one send holds follows in the next', async (t) => {
  const api = await served(t, { events: { ...quick, batch: 2 } });
  await register(api);
  await request(api, 7);
  const events = await stream(t, api, '?since=0');
  await events.next();
  const runs = new Set<string>();
  while (runs.size < 7) {
    const change = changeOf(await events.next());
    if (change.type === 'run') runs.add(change.run.run_id);
  }
  t.equal(runs.size, 7);
});

t.test('a stream of one instance tells of no other', async (t) => {
  const api = await served(t, { events: quick });
  await register(api);
  await register(api, 'other');
  const events = await stream(t, api, '?instance=other');
  await events.next();
  await request(api);
  await api.ask('DELETE', '/api/v1/instances/other');
  const seen: ChangeEvent[] = [];
  while (seen.at(-1)?.type !== 'gone') seen.push(changeOf(await events.next()));
  t.match(seen.pop(), { type: 'gone', instance: 'other' });
  // A removal takes several steps, which may be told one by one.
  for (const change of seen) t.match(change, { type: 'instance', instance: { instance_id: 'other' } });
});

t.test('silence is broken by a heartbeat that moves the last event id', async (t) => {
  const api = await served(t, { events: { minGapMs: 5, heartbeatMs: 15 } });
  const events = await stream(t, api);
  const { id } = await events.next();
  t.same(await events.next(), { comment: 'heartbeat' });
  t.same(await events.next(), { id });
});

t.test('a stream ends when its credential does, also between changes', async (t) => {
  const real = await served(t);
  let known = true;
  const holds = async () => known;
  const api = servedAgain(real, { identity: { ...real.identity, holds }, events: { minGapMs: 5, heartbeatMs: 15 } });
  const events = blocksOf(await api.ask('GET', '/api/v1/events', undefined, api.owner));
  await events.next();
  known = false;
  await events.ended();
});

t.test('a stream ends at once when its session, its key or its person does', async (t) => {
  const api = await served(t, { events: quick });
  const ana = await setUp(api);
  const [max, eve] = [await invite(api, ana, 'Max', 'member'), await invite(api, ana, 'Eve', 'viewer')];
  const key = await apiKey(ana, 'viewer');
  const streams = [await max.ask('GET', '/api/v1/events'), await eve.ask('GET', '/api/v1/events')].map(blocksOf);
  const byKey = blocksOf(await api.ask('GET', '/api/v1/events', undefined, key));
  await Promise.all([...streams, byKey].map((events) => events.next()));
  await max.ask('DELETE', '/api/v1/session');
  await streams[0]?.ended();
  const { items: people } = await (await ana.ask('GET', '/api/v1/people')).json();
  const { person_id: id } = people.find(({ name }: { name: string }) => name === 'Eve');
  await ana.ask('DELETE', `/api/v1/people/${id}`);
  await streams[1]?.ended();
  const { items: keys } = await (await ana.ask('GET', '/api/v1/api-keys')).json();
  await ana.ask('DELETE', `/api/v1/api-keys/${keys[0].key_id}`);
  await byKey.ended();
});

t.test('streams are bounded, and a place is free again when its reader leaves', async (t) => {
  const api = await served(t, { events: { ...quick, maxStreams: 1 } });
  const first = await stream(t, api);
  await first.next();
  const refused = await api.ask('GET', '/api/v1/events');
  t.equal(refused.status, 429);
  t.match(await refused.json(), { code: 'RATE_LIMITED' });
  await first.leave();
  await new Promise((resolve) => setImmediate(resolve));
  await (await stream(t, api)).next();
});

t.test('HEAD takes no place', async (t) => {
  const api = await served(t, { events: { ...quick, maxStreams: 1 } });
  for (let round = 0; round < 3; round += 1) t.equal((await api.ask('HEAD', '/api/v1/events')).status, 200);
  await (await stream(t, api)).next();
});

t.test('an unknown instance and a number that is none are refused', async (t) => {
  const api = await served(t);
  t.equal((await api.ask('GET', '/api/v1/events?instance=nobody')).status, 404);
  t.equal((await api.ask('GET', '/api/v1/events?since=-1')).status, 400);
  t.equal((await api.ask('GET', '/api/v1/events', undefined, api.owner, { 'last-event-id': 'x' })).status, 400);
});

t.test('a fault of the store ends the stream and is logged', async (t) => {
  const real = await served(t);
  const since = async () => {
    throw new Error('the disk is gone');
  };
  const changes = { ...real.control.changes, since };
  const api = servedAgain(real, { control: { ...real.control, changes }, events: quick });
  const events = blocksOf(await api.ask('GET', '/api/v1/events', undefined, api.owner));
  await events.ended();
  t.match(api.lines, [{ message: 'an event stream broke' }]);
});

t.test(
  'over a socket: events arrive as they happen, a reader who leaves frees the place, closing ends the rest',
  async (t) => {
    const api = await served(t, { events: { ...quick, maxStreams: 2 } });
    const listener = await listening(t, (request, env) => api.fetch(request, env));
    const open = (signal: AbortSignal) => {
      const headers = { authorization: `Bearer ${api.owner}` };
      return fetch(`${listener.url}/api/v1/events`, { headers, signal });
    };
    const leaving = new AbortController();
    const left = blocksOf(await open(leaving.signal));
    const stays = blocksOf(await open(new AbortController().signal));
    await Promise.all([left.next(), stays.next()]);
    await register(api);
    t.equal(changeOf(await stays.next()).type, 'instance');
    leaving.abort();
    await t.rejects(left.ended());
    const next = await firstPlace(() => open(new AbortController().signal));
    await next.next();
    const closed = listener.close();
    await Promise.all([stays.ended(), next.ended()]);
    await closed;
    t.same(api.lines, []);
  },
);

/** The server learns a moment later that a reader has left. */
async function firstPlace(open: () => Promise<Response>) {
  for (;;) {
    const response = await open();
    if (response.status === 200) return blocksOf(response);
    await response.body?.cancel();
  }
}
