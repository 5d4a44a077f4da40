import t, { type Test } from 'tap';
import { createClient } from '../../src/client/client.ts';
import type { Fetch } from '../../src/client/transport/transport.ts';
import type { ChangeEvent } from '../../src/contract/api.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import type { VpError } from '../../src/errors/vp-error.ts';
import { type HttpListener, listen } from '../../src/http/listener/listen.ts';
import { createMemoryLog } from '../http/memory-log.ts';
import { registerInstance, startTestServer, type TestServer } from '../server/test-server.ts';

const fastEvents = { minGapMs: 5, heartbeatMs: 60_000 };

/** A listener that can be closed and opened again at its port. */
async function restartable(t: Test, api: TestServer) {
  const open = (port: number): Promise<HttpListener> =>
    listen({
      host: '127.0.0.1',
      port,
      handler: (request, env) => api.fetch(request, env),
      clock: systemClock,
      random: systemRandom,
      log: createMemoryLog().log,
    });
  let listener = await open(0);
  t.teardown(() => listener.close(0));
  const { url } = listener;
  return {
    url,
    close: () => listener.close(0),
    async open() {
      listener = await open(Number(new URL(url).port));
    },
  };
}

function getChangeName(change: ChangeEvent | undefined): string | undefined {
  if (!change) return undefined;
  return change.type === 'instance' ? change.instance.instance_id : change.type;
}

t.test('changes arrive once and in order, across a restart of the listener', async (t) => {
  const api = await startTestServer(t, { events: fastEvents });
  const listener = await restartable(t, api);
  const { events } = createClient({ baseUrl: listener.url, token: api.owner, fetch, pause: async () => undefined });
  const states: string[] = [];
  const connected = Promise.withResolvers<void>();
  const onConnection = (problem: VpError | undefined): void => {
    states.push(problem?.code ?? 'connected');
    connected.resolve();
  };
  const controller = new AbortController();
  const changes = events({ signal: controller.signal, onConnection });
  const first = changes.next();
  await connected.promise;
  await registerInstance(api, 'one');
  t.equal(getChangeName((await first).value), 'one');
  const second = changes.next();
  await listener.close();
  await registerInstance(api, 'two');
  await registerInstance(api, 'three');
  await listener.open();
  t.equal(getChangeName((await second).value), 'two');
  t.equal(getChangeName((await changes.next()).value), 'three');
  t.equal(states[0], 'connected');
  t.equal(states.at(-1), 'connected');
  const last = changes.next();
  controller.abort();
  t.same(await last, { done: true, value: undefined });
});

t.test('a stream starts at the given position', async (t) => {
  const api = await startTestServer(t, { events: fastEvents });
  await registerInstance(api, 'before');
  const listener = await restartable(t, api);
  const { events } = createClient({ baseUrl: listener.url, token: api.owner, fetch });
  for await (const change of events({ sinceSeq: 0 })) {
    t.equal(getChangeName(change), 'before');
    break;
  }
});

t.test('ending the iteration releases the slot on the server', async (t) => {
  const api = await startTestServer(t, { events: { ...fastEvents, maxStreams: 1 } });
  await registerInstance(api, 'one');
  const listener = await restartable(t, api);
  const { events } = createClient({ baseUrl: listener.url, token: api.owner, fetch, pause: async () => undefined });
  for (let round = 0; round < 5; round += 1) {
    for await (const change of events({ sinceSeq: 0 })) {
      t.equal(getChangeName(change), 'one');
      break;
    }
  }
});

t.test('permanent errors are thrown', async (t) => {
  const api = await startTestServer(t);
  const listener = await restartable(t, api);
  const connect = (token: string) => createClient({ baseUrl: listener.url, token, fetch });
  await t.rejects(connect('vpo_wrong').events().next(), { code: 'CREDENTIAL_INVALID' });
  await t.rejects(connect(api.owner).events({ instance: 'nobody' }).next(), { code: 'INSTANCE_UNKNOWN' });
});

t.test('an unreachable server is reported and retried, with growing pauses, until the caller aborts', async (t) => {
  const pauses: number[] = [];
  const problems: (string | undefined)[] = [];
  const controller = new AbortController();
  const refuse: Fetch = async () => {
    throw Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
  };
  const pause = async (delayMs: number): Promise<void> => {
    pauses.push(delayMs);
    if (pauses.length === 8) controller.abort();
  };
  const client = createClient({ baseUrl: 'http://localhost', token: 'x', fetch: refuse, pause });
  const onConnection = (problem: VpError | undefined): void => void problems.push(problem?.code);
  t.same(await client.events({ signal: controller.signal, onConnection }).next(), { done: true, value: undefined });
  t.same(pauses, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  t.same([...new Set(problems)], ['CONTROL_PLANE_UNREACHABLE']);
});

t.test('a silent stream is reconnected; unknown changes are skipped', async (t) => {
  let opened = 0;
  const change = { seq: 7, type: 'gone', instance: 'x' };
  const texts = ['id: 6\ndata: {"seq": 6, "type": "of the future"}\n\n', `id: 7\ndata: ${JSON.stringify(change)}\n\n`];
  const requestedIds: (string | undefined)[] = [];
  const silent: Fetch = async (_url, { headers }) => {
    requestedIds.push(headers['last-event-id']);
    const text = texts[opened++] ?? '';
    return new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) }),
    );
  };
  const client = createClient({ baseUrl: 'http://localhost', token: 'x', fetch: silent, pause: async () => undefined });
  const changes = client.events({ silenceMs: 20 });
  t.same((await changes.next()).value, change);
  t.same(requestedIds, [undefined, '6']);
  await changes.return(undefined);
});

t.test('an event that is not JSON is refused', async (t) => {
  const invalidFetch: Fetch = async () => new Response('data: hello\n\n');
  const client = createClient({ baseUrl: 'http://localhost', token: 'x', fetch: invalidFetch });
  await t.rejects(client.events().next(), { code: 'CONTROL_PLANE_ANSWER_UNEXPECTED' });
});
