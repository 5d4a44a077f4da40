/** The policy bounds what a person, and a hub, keeps open: streams of notifications and watched resources. */
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { origin } from '../../server/test-server.ts';
import { createToken } from '../fixtures/hub-people.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { modernClient } from '../fixtures/test-gateway.ts';
import { startTestHub } from '../fixtures/test-hub.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const path = '/api/v1/hubs/acme';

async function startLimitedHub(t: Test, listeners: object) {
  const hub = await startTestHub(t);
  const upstream = await startTestServer(t, createReferenceServer('older').handle);
  await hub.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url });
  const saved = await hub.ana.ask('PUT', `${path}/policy`, { document: { listeners }, if_revision: 0 });
  t.equal(saved.status, 200, await saved.clone().text());
  const [max, vic] = [(await createToken(hub.max, 'acme')).token, (await createToken(hub.vic, 'acme')).token];
  return { hub, max, vic };
}

const watched = 'hub.good+note://one';

t.test('a person watches as many resources as the policy allows, in all sessions, and others still can', async (t) => {
  const { hub, max, vic } = await startLimitedHub(t, { resources_per_person: 2, resources_per_hub: 3 });
  const [first, second] = [await hub.client(max, {}), await hub.client(max, {})];
  await first.subscribeResource({ uri: watched });
  await second.subscribeResource({ uri: watched });
  const third = await hub.client(max, {});
  await t.rejects(third.subscribeResource({ uri: watched }), {
    message: /watches at most 2 resources/,
    data: { code: 'HUB_LISTENERS_LIMITED' },
  });
  const other = await hub.client(vic, {});
  await other.subscribeResource({ uri: watched });
  await first.unsubscribeResource({ uri: watched });
  await third.subscribeResource({ uri: watched });
  await t.rejects((await hub.client(vic, {})).subscribeResource({ uri: watched }), { message: /hub .*at most 3/ });
});

t.test('a resource that cannot be watched does not count', async (t) => {
  const { hub, max } = await startLimitedHub(t, { resources_per_person: 1 });
  const client = await hub.client(max, {});
  await t.rejects(client.subscribeResource({ uri: 'hub.good+file:///etc/passwd' }));
  await client.subscribeResource({ uri: watched });
});

t.test('a subscription of the newest revision is refused beyond the limits, and leaves nothing behind', async (t) => {
  const { hub, max } = await startLimitedHub(t, { streams_per_person: 1, resources_per_person: 1 });
  const client = await hub.client(max, modernClient);
  await t.rejects(client.listen({ resourceSubscriptions: [watched, 'hub.good+note://two'] }), /at most 1 resource/);
  const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: [watched] });
  await t.rejects((await hub.client(max, modernClient)).listen({ toolsListChanged: true }), /at most 1 stream/);
  await subscription.close();
  await eventually(async () => {
    const next = await client.listen({ toolsListChanged: true, resourceSubscriptions: [watched] });
    await next.close();
    return true;
  });
});

t.test('the streams of sessions count too; a new stream of a session replaces its last one', async (t) => {
  const { hub, max } = await startLimitedHub(t, { streams_per_person: 1 });
  const start = async (options: ClientOptions = {}) => {
    const headers = { Authorization: `Bearer ${max}` };
    const client = new Client({ name: 'test', version: '1' }, options);
    const streams: Response[] = [];
    const transport = new StreamableHTTPClientTransport(new URL(`${origin}/agent/mcp`), {
      fetch: async (url, init) => {
        // The client's own stream is answered here, so that the test opens the ones that count.
        if (init?.method === 'GET') return new Response(null, { status: 405 });
        return hub.api.fetch(new Request(url, init));
      },
      requestInit: { headers },
    });
    await client.connect(transport);
    t.teardown(() => client.close());
    const listen = async (): Promise<number> => {
      const session = { 'Mcp-Session-Id': transport.sessionId ?? '', Accept: 'text/event-stream', ...headers };
      const response = await hub.api.fetch(new Request(`${origin}/agent/mcp`, { headers: session }));
      streams.push(response);
      return response.status;
    };
    return { listen, leave: async () => Promise.all(streams.map((stream) => stream.body?.cancel().catch(() => {}))) };
  };
  const [first, second] = [await start(), await start()];
  t.equal(await first.listen(), 200);
  t.equal(await first.listen(), 200, 'the same session');
  t.equal(await second.listen(), 429);
  await first.leave();
  await eventually(async () => (await second.listen()) === 200);
  await second.leave();
});
