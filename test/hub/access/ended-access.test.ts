/** Open streams of a hub end at once with the access that opened them, and a result that is waited for is not given any more. */
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { defaultHubSettings } from '../../../src/hub/context.ts';
import { origin } from '../../server/test-server.ts';
import { createToken } from '../fixtures/hub-people.ts';
import { createMcpHeaders, initialize, jsonHeaders, requestMeta } from '../fixtures/mcp-requests.ts';
import { startTestHub, type TestHub } from '../fixtures/test-hub.ts';
import { createTaskCaller, startHeldTaskHub } from '../tasks/held-task-hub.ts';

/** Without the check that every stream has from time to time. */
const clock = {
  ...systemClock,
  after: (ms: number, run: () => void) => (ms > 10_000 ? () => undefined : systemClock.after(ms, run)),
};

async function readToEnd({ body }: Response): Promise<string> {
  for await (const _chunk of body ?? []);
  return 'over';
}

/** The streams that a client of each revision may have open. */
async function openStreams({ api }: TestHub, token: string): Promise<Promise<string>[]> {
  const send = (method: string, headers: Record<string, string>, message?: object): Promise<Response> => {
    const allHeaders = { ...jsonHeaders, Authorization: `Bearer ${token}`, ...headers };
    const body = message && JSON.stringify(message);
    return api.fetch(new Request(`${origin}/agent/mcp`, { method, headers: allHeaders, ...(body ? { body } : {}) }));
  };
  const started = await send('POST', {}, initialize);
  const session = { 'Mcp-Session-Id': started.headers.get('mcp-session-id') ?? '' };
  await started.text();
  const older = await send('GET', session);
  const params = { notifications: { toolsListChanged: true }, _meta: requestMeta };
  const listen = { jsonrpc: '2.0', id: 2, method: 'subscriptions/listen', params };
  const newest = await send('POST', createMcpHeaders('subscriptions/listen', ''), listen);
  return [older, newest].map(readToEnd);
}

const endings: Readonly<Record<string, (hub: TestHub, tokenId: string) => Promise<Response>>> = {
  'the token is revoked': ({ max }, id) => max.ask('DELETE', `/api/v1/hub-tokens/${id}`),
  'the token is rotated': ({ max }, id) => max.ask('POST', `/api/v1/hub-tokens/${id}/rotate`, {}),
  'the member is removed': ({ ana, ids }) => ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Max}`),
  'the member leaves': ({ max }) => max.ask('POST', '/api/v1/hubs/acme/leave'),
  'the account is removed': ({ ana, ids }) => ana.ask('DELETE', `/api/v1/people/${ids.Max}`),
  'the hub is removed': ({ ana }) => ana.ask('DELETE', '/api/v1/hubs/acme'),
};

for (const [name, end] of Object.entries(endings))
  t.test(`${name}: its streams end at once, and those of others stay open`, async (t: Test) => {
    const hub = await startTestHub(t, {}, [], clock);
    const [own, other] = [await createToken(hub.max, 'acme'), await createToken(hub.vic, 'acme')];
    const streams = await openStreams(hub, own.token);
    const others = await openStreams(hub, other.token);
    const response = await end(hub, own.hub_token.token_id);
    t.ok(response.ok, `${response.status}`);
    t.same(await Promise.all(streams), ['over', 'over']);
    if (name === 'the hub is removed') return;
    t.equal(await Promise.race([...others, Promise.resolve('open')]), 'open');
  });

t.test('a token with many open streams that ends leaves its network the attempts of others', async (t) => {
  const hub = await startTestHub(t, {}, [], clock);
  const own = await createToken(hub.max, 'acme');
  const streams: Promise<string>[] = [];
  while (streams.length <= defaultHubSettings.maxRefusalsPerMinute)
    streams.push(...(await openStreams(hub, own.token)));
  await hub.max.ask('DELETE', `/api/v1/hub-tokens/${own.hub_token.token_id}`);
  await Promise.all(streams);
  t.same(
    hub.api.security.filter(({ event }) => event === 'hub_token_refused'),
    [],
  );
  const headers = { ...jsonHeaders, Authorization: `Bearer ${own.token}` };
  const call = new Request(`${origin}/agent/mcp`, { method: 'POST', headers, body: JSON.stringify(initialize) });
  t.equal((await hub.api.fetch(call)).status, 401, 'a colleague with an old token is refused');
});

t.test('the result of a held call is not given to who waits for it with a token that was revoked', async (t) => {
  const { api, max, waitForPending, decide } = await startHeldTaskHub(t);
  const { token, hub_token: made } = await createToken(max, 'acme');
  const caller = createTaskCaller({ api }, token);
  const taskId = await caller.startOlder();
  const result = caller.older('tasks/result', { taskId });
  const id = await waitForPending();
  await caller.older('tasks/get', { taskId });
  await max.ask('DELETE', `/api/v1/hub-tokens/${made.token_id}`);
  await decide(id, 'approve');
  t.match(await result, { error: { message: /no longer authenticated/ } });
});
