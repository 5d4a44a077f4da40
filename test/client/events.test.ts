import t, { type Test } from 'tap';
import { createClient } from '../../src/client/client.ts';
import type { Fetch } from '../../src/client/transport.ts';
import type { ChangeEvent } from '../../src/contract/api.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import type { VpError } from '../../src/errors/vp-error.ts';
import { type Listening, listen } from '../../src/http/listen.ts';
import { keptLog } from '../http/kept-log.ts';
import { register, type Served, served } from '../server/served.ts';

const quick = { minGapMs: 5, heartbeatMs: 60_000 };

/** A listener that can be closed and opened again at its port. */
async function restartable(t: Test, api: Served) {
  const open = (port: number): Promise<Listening> =>
    listen({
      host: '127.0.0.1',
      port,
      handler: (request, env) => api.fetch(request, env),
      clock: systemClock,
      random: systemRandom,
      log: keptLog().log,
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

function nameOf(change: ChangeEvent | undefined): string | undefined {
  if (!change) return undefined;
  return change.type === 'instance' ? change.instance.instance_id : change.type;
}

t.test('changes come once and in order, across a restart of the listener', async (t) => {
  const api = await served(t, { events: quick });
  const listener = await restartable(t, api);
  const { events } = createClient({ baseUrl: listener.url, token: api.owner, fetch, pause: async () => undefined });
  const states: string[] = [];
  const connected = Promise.withResolvers<void>();
  const onConnection = (problem: VpError | undefined): void => {
    states.push(problem?.code ?? 'connected');
    connected.resolve();
  };
  const leaving = new AbortController();
  const changes = events({ signal: leaving.signal, onConnection });
  const first = changes.next();
  await connected.promise;
  await register(api, 'one');
  t.equal(nameOf((await first).value), 'one');
  const second = changes.next();
  await listener.close();
  await register(api, 'two');
  await register(api, 'three');
  await listener.open();
  t.equal(nameOf((await second).value), 'two');
  t.equal(nameOf((await changes.next()).value), 'three');
  t.equal(states[0], 'connected');
  t.equal(states.at(-1), 'connected');
  const last = changes.next();
  leaving.abort();
  t.same(await last, { done: true, value: undefined });
});

t.test('a listener begins where it is told to', async (t) => {
  const api = await served(t, { events: quick });
  await register(api, 'before');
  const listener = await restartable(t, api);
  const { events } = createClient({ baseUrl: listener.url, token: api.owner, fetch });
  for await (const change of events({ sinceSeq: 0 })) {
    t.equal(nameOf(change), 'before');
    break;
  }
});

t.test('leaving the iteration frees the place on the other side', async (t) => {
  const api = await served(t, { events: { ...quick, maxStreams: 1 } });
  await register(api, 'one');
  const listener = await restartable(t, api);
  const { events } = createClient({ baseUrl: listener.url, token: api.owner, fetch, pause: async () => undefined });
  for (let round = 0; round < 5; round += 1) {
    for await (const change of events({ sinceSeq: 0 })) {
      t.equal(nameOf(change), 'one');
      break;
    }
  }
});

t.test('what no repetition mends is thrown', async (t) => {
  const api = await served(t);
  const listener = await restartable(t, api);
  const of = (token: string) => createClient({ baseUrl: listener.url, token, fetch });
  await t.rejects(of('vpo_wrong').events().next(), { code: 'CREDENTIAL_INVALID' });
  await t.rejects(of(api.owner).events({ instance: 'nobody' }).next(), { code: 'INSTANCE_UNKNOWN' });
});

t.test('nobody there is told and tried again, with growing pauses, until the caller leaves', async (t) => {
  const pauses: number[] = [];
  const problems: (string | undefined)[] = [];
  const leaving = new AbortController();
  const refuse: Fetch = async () => {
    throw Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
  };
  const pause = async (delayMs: number): Promise<void> => {
    pauses.push(delayMs);
    if (pauses.length === 8) leaving.abort();
  };
  const client = createClient({ baseUrl: 'http://localhost', token: 'x', fetch: refuse, pause });
  const onConnection = (problem: VpError | undefined): void => void problems.push(problem?.code);
  t.same(await client.events({ signal: leaving.signal, onConnection }).next(), { done: true, value: undefined });
  t.same(pauses, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  t.same([...new Set(problems)], ['CONTROL_PLANE_UNREACHABLE']);
});

t.test('a stream that falls silent is opened again; what is not understood is skipped', async (t) => {
  let opened = 0;
  const change = { seq: 7, type: 'gone', instance: 'x' };
  const texts = ['id: 6\ndata: {"seq": 6, "type": "of the future"}\n\n', `id: 7\ndata: ${JSON.stringify(change)}\n\n`];
  const asked: (string | undefined)[] = [];
  const silent: Fetch = async (_url, { headers }) => {
    asked.push(headers['last-event-id']);
    const text = texts[opened++] ?? '';
    return new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) }),
    );
  };
  const client = createClient({ baseUrl: 'http://localhost', token: 'x', fetch: silent, pause: async () => undefined });
  const changes = client.events({ silenceMs: 20 });
  t.same((await changes.next()).value, change);
  t.same(asked, [undefined, '6']);
  await changes.return(undefined);
});

t.test('an event that is no JSON is no control plane', async (t) => {
  const odd: Fetch = async () => new Response('data: hello\n\n');
  const client = createClient({ baseUrl: 'http://localhost', token: 'x', fetch: odd });
  await t.rejects(client.events().next(), { code: 'CONTROL_PLANE_ANSWER_UNEXPECTED' });
});
