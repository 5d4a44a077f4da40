import t, { type Test } from 'tap';
import type { ChangeEvent } from '../../../src/contract/api.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { createScenarioText } from '../../control/report-fixture.ts';
import { eventually } from '../../eventually.ts';
import { startListener } from '../../http/test-listener.ts';
import { createApiKey, inviteMember, setUpOwner } from '../test-browser.ts';
import { createVariantServer, registerInstance, startTestServer, type TestServer } from '../test-server.ts';
import { type EventBlock, openEventReader } from './event-reader.ts';

const quick = { minGapMs: 20, heartbeatMs: 60_000 };

async function request(api: TestServer, count = 1): Promise<void> {
  const scenarios = Array.from({ length: count }, () => ({ text: createScenarioText() }));
  await api.ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios });
}

function parseChange({ data = '' }: EventBlock): ChangeEvent {
  const change: ChangeEvent = JSON.parse(data);
  return change;
}

/** A clock whose pauses end one by one, as the test says. */
function createPauseGate() {
  const pauseEnds: (() => void)[] = [];
  const sleep = (_delayMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      pauseEnds.push(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  /** Ends the oldest pause, once it has started. */
  const endPause = async (): Promise<void> =>
    (await eventually(() => pauseEnds.shift(), { description: 'a pause between two sends' }))();
  return { clock: { ...systemClock, sleep }, endPause };
}

/** Opens a stream; it is left at the end of the test. */
async function stream(t: Test, api: TestServer, query = '', headers: Record<string, string> = {}) {
  const response = await api.ask('GET', `/api/v1/events${query}`, undefined, api.owner, headers);
  if (response.status !== 200) throw new Error(await response.text());
  t.equal(response.headers.get('content-type'), 'text/event-stream');
  const blocks = openEventReader(response);
  t.teardown(() => blocks.cancel());
  return blocks;
}

t.test('a stream starts with its position and sends changes with their number as id', async (t) => {
  const api = await startTestServer(t, { events: quick });
  const events = await stream(t, api);
  t.match(await events.next(), { id: /^\d+$/, retry: '2000' });
  await registerInstance(api);
  const block = await events.next();
  const change = parseChange(block);
  t.match(change, { type: 'instance', instance: { instance_id: 'sign-dev' } });
  t.match(block, { id: String(change.seq), event: 'instance' });
  await request(api);
  t.match(parseChange(await events.next()), { type: 'run', run: { state: 'queued' } });
});

t.test('a stream resumes after the last event, by header or by query', async (t) => {
  const api = await startTestServer(t, { events: quick });
  await registerInstance(api);
  await request(api, 3);
  const all = await stream(t, api, '?since=0');
  await all.next();
  const receivedChanges = [await all.next(), await all.next(), await all.next()];
  const third = receivedChanges[2]?.id ?? '';
  const rest = await stream(t, api, '?since=0', { 'last-event-id': third });
  t.equal((await rest.next()).id, third, 'the header of a browser that comes back wins');
  t.ok(Number((await rest.next()).id) > Number(third));
  const again = await stream(t, api, `?since=${third}`);
  t.equal((await again.next()).id, third);
});

t.test('a position beyond the head starts with the next change', async (t) => {
  const api = await startTestServer(t, { events: quick });
  const events = await stream(t, api, '?since=123456789');
  const { id } = await events.next();
  t.ok(Number(id) < 123456789);
  await registerInstance(api);
  t.equal(parseChange(await events.next()).type, 'instance');
});

t.test('changes within a gap are merged into the newest state of each item', async (t) => {
  const { clock, endPause } = createPauseGate();
  const api = createVariantServer(await startTestServer(t), { clock, events: quick });
  await registerInstance(api);
  const events = await stream(t, api);
  await events.next();
  await endPause();
  await request(api);
  const first = parseChange(await events.next());
  const runId = first.type === 'run' ? first.run.run_id : '';
  await api.ask('PUT', '/api/v1/instances/sign-dev/scenarios/RT-A', { text: createScenarioText('RT-A') });
  await api.ask('PUT', '/api/v1/instances/sign-dev/scenarios/RT-A', {
    text: createScenarioText('RT-A', 'body has count'),
  });
  await api.ask('POST', `/api/v1/runs/${runId}/cancel`);
  await endPause();
  const rest = [parseChange(await events.next()), parseChange(await events.next())];
  t.match(
    rest.find(({ type }) => type === 'scenario'),
    { scenario_id: 'RT-A', revision: 2, deleted: false },
  );
  t.match(
    rest.find(({ type }) => type === 'run'),
    { run: { run_id: runId, state: 'cancelled' } },
  );
});

t.test('changes above the batch limit follow in the next send', async (t) => {
  const api = await startTestServer(t, { events: { ...quick, batch: 2 } });
  await registerInstance(api);
  await request(api, 7);
  const events = await stream(t, api, '?since=0');
  await events.next();
  const runs = new Set<string>();
  while (runs.size < 7) {
    const change = parseChange(await events.next());
    if (change.type === 'run') runs.add(change.run.run_id);
  }
  t.equal(runs.size, 7);
});

t.test('a stream of one instance has no changes of others', async (t) => {
  const api = await startTestServer(t, { events: quick });
  await registerInstance(api);
  await registerInstance(api, 'other');
  const events = await stream(t, api, '?instance=other');
  await events.next();
  await request(api);
  await api.ask('DELETE', '/api/v1/instances/other');
  const receivedChanges: ChangeEvent[] = [];
  while (receivedChanges.at(-1)?.type !== 'gone') receivedChanges.push(parseChange(await events.next()));
  t.match(receivedChanges.pop(), { type: 'gone', instance: 'other' });
  // A removal takes several steps, which may be separate changes.
  for (const change of receivedChanges) t.match(change, { type: 'instance', instance: { instance_id: 'other' } });
});

t.test('a heartbeat is sent during silence and advances the last event id', async (t) => {
  const api = await startTestServer(t, { events: { minGapMs: 5, heartbeatMs: 15 } });
  const events = await stream(t, api);
  const { id } = await events.next();
  t.same(await events.next(), { comment: 'heartbeat' });
  t.same(await events.next(), { id });
});

t.test('a stream ends when its credential is revoked, also between changes', async (t) => {
  const real = await startTestServer(t);
  let known = true;
  const holds = async () => known;
  const api = createVariantServer(real, {
    identity: { ...real.identity, isCredentialValid: holds },
    events: { minGapMs: 5, heartbeatMs: 15 },
  });
  const events = openEventReader(await api.ask('GET', '/api/v1/events', undefined, api.owner));
  await events.next();
  known = false;
  await events.waitForEnd();
});

t.test('a stream ends at once when its session, key or person is removed', async (t) => {
  const api = await startTestServer(t, { events: quick });
  const ana = await setUpOwner(api);
  const [max, eve] = [await inviteMember(api, ana, 'Max', 'member'), await inviteMember(api, ana, 'Eve', 'viewer')];
  const key = await createApiKey(ana, 'viewer');
  const streams = [await max.ask('GET', '/api/v1/events'), await eve.ask('GET', '/api/v1/events')].map(openEventReader);
  const byKey = openEventReader(await api.ask('GET', '/api/v1/events', undefined, key));
  await Promise.all([...streams, byKey].map((events) => events.next()));
  await max.ask('DELETE', '/api/v1/session');
  await streams[0]?.waitForEnd();
  const { items: people } = await (await ana.ask('GET', '/api/v1/people')).json();
  const { person_id: id } = people.find(({ name }: { name: string }) => name === 'Eve');
  await ana.ask('DELETE', `/api/v1/people/${id}`);
  await streams[1]?.waitForEnd();
  const { items: keys } = await (await ana.ask('GET', '/api/v1/api-keys')).json();
  await ana.ask('DELETE', `/api/v1/api-keys/${keys[0].key_id}`);
  await byKey.waitForEnd();
});

t.test('the number of streams is limited, and a slot is released when its reader disconnects', async (t) => {
  const api = await startTestServer(t, { events: { ...quick, maxStreams: 1 } });
  const first = await stream(t, api);
  await first.next();
  const refused = await api.ask('GET', '/api/v1/events');
  t.equal(refused.status, 429);
  t.match(await refused.json(), { code: 'RATE_LIMITED' });
  await first.cancel();
  const isFree = ({ status }: Response): boolean => status === 200;
  const next = await eventually(() => api.ask('GET', '/api/v1/events'), { until: isFree });
  t.equal(next.status, 200);
  await next.body?.cancel();
});

t.test('HEAD takes no slot', async (t) => {
  const api = await startTestServer(t, { events: { ...quick, maxStreams: 1 } });
  for (let round = 0; round < 3; round += 1) t.equal((await api.ask('HEAD', '/api/v1/events')).status, 200);
  await (await stream(t, api)).next();
});

t.test('an unknown instance and an invalid number are refused', async (t) => {
  const api = await startTestServer(t);
  t.equal((await api.ask('GET', '/api/v1/events?instance=nobody')).status, 404);
  t.equal((await api.ask('GET', '/api/v1/events?since=-1')).status, 400);
  t.equal((await api.ask('GET', '/api/v1/events', undefined, api.owner, { 'last-event-id': 'x' })).status, 400);
});

t.test('an error of the store ends the stream and is logged', async (t) => {
  const real = await startTestServer(t);
  const list = async () => {
    throw new Error('the disk is gone');
  };
  const changes = { ...real.control.changes, list };
  const api = createVariantServer(real, { control: { ...real.control, changes }, events: quick });
  const events = openEventReader(await api.ask('GET', '/api/v1/events', undefined, api.owner));
  await events.waitForEnd();
  t.match(api.lines, [{ message: 'an event stream failed' }]);
});

t.test(
  'over a socket: events arrive as they happen, a disconnecting reader releases the slot, closing ends the rest',
  async (t) => {
    const api = await startTestServer(t, { events: { ...quick, maxStreams: 2 } });
    const listener = await startListener(t, (request, env) => api.fetch(request, env));
    const open = (signal: AbortSignal) => {
      const headers = { authorization: `Bearer ${api.owner}` };
      return fetch(`${listener.url}/api/v1/events`, { headers, signal });
    };
    const controller = new AbortController();
    const left = openEventReader(await open(controller.signal));
    const stays = openEventReader(await open(new AbortController().signal));
    await Promise.all([left.next(), stays.next()]);
    await registerInstance(api);
    t.equal(parseChange(await stays.next()).type, 'instance');
    controller.abort();
    await t.rejects(left.waitForEnd());
    const next = await readFirstSeq(() => open(new AbortController().signal));
    await next.next();
    const closed = listener.close();
    await Promise.all([stays.waitForEnd(), next.waitForEnd()]);
    await closed;
    t.same(api.lines, []);
  },
);

/** The server learns a moment later that a reader has left. */
async function readFirstSeq(open: () => Promise<Response>) {
  for (;;) {
    const response = await open();
    if (response.status === 200) return openEventReader(response);
    await response.body?.cancel();
  }
}
