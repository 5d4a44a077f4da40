/** Servers that restart or forget their sessions: what is watched is watched again, and no call is sent twice. */
import { connect, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { quickClock } from '../fixtures/quick-clock.ts';
import { createReferenceMcpServer, createReferenceServer, type ReferenceServer } from '../fixtures/reference-server.ts';
import { createSseServer } from '../fixtures/sse-server.ts';
import { createConnection, modernClient, startTestGateway, type TestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const uri = 'hub.good+note://one';
const echo = { name: 'good__echo', arguments: { text: 'one' } };
const getPort = (url: string): number => Number(new URL(url).port);

/** A client that watches a resource; `updates` counts the updates it gets. */
async function watchResource(gateway: TestGateway) {
  const client = await gateway.client('ann', {});
  const listener = { updates: 0 };
  client.setNotificationHandler('notifications/resources/updated', () => {
    listener.updates += 1;
  });
  await client.subscribeResource({ uri });
  return listener;
}

async function assertUpdate(t: Test, listener: { updates: number }, server: ReferenceServer): Promise<void> {
  const before = listener.updates;
  t.ok(
    await eventually(() => {
      server.resourceUpdated('note://one');
      return listener.updates > before;
    }),
  );
}

for (const era of ['newest', 'older'] as const)
  t.test(`a resource is watched again after a server of the ${era} era was restarted`, async (t) => {
    const first = createReferenceServer(era);
    const firstServer = await startTestServer(t, first.handle);
    const gateway = await startTestGateway(t, [createConnection('good', firstServer.url)], { clock: quickClock });
    const listener = await watchResource(gateway);
    await assertUpdate(t, listener, first);
    await firstServer.stop();
    const second = createReferenceServer(era);
    await startTestServer(t, second.handle, getPort(firstServer.url));
    const before = listener.updates;
    t.ok(await eventually(() => listener.updates > before), 'what may have been missed is reported');
    await assertUpdate(t, listener, second);
  });

t.test('a resource is watched again after a server forgot its sessions', async (t) => {
  const server = createReferenceServer('older');
  const upstream = await startTestServer(t, server.handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)], { clock: quickClock });
  const listener = await watchResource(gateway);
  server.forgetSessions();
  t.ok(await eventually(() => server.sessions() > 0));
  await assertUpdate(t, listener, server);
});

/** Forwards bytes until it is paused, when it swallows those of open connections without closing them. */
async function startStallingProxy(t: Test, port: number) {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (!stalled.has(from)) to.write(bytes);
      });
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  });
  const stalled = new Set<Socket>();
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = proxy.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    stall: () => {
      for (const socket of sockets) stalled.add(socket);
    },
  };
}

t.test('a stream whose network went silent is replaced', async (t) => {
  const server = createReferenceServer('older');
  const sse = createSseServer(() => createReferenceMcpServer(server, 'older'));
  const upstream = await startTestServer(t, sse.handle);
  const proxy = await startStallingProxy(t, getPort(upstream.url));
  const url = `http://127.0.0.1:${proxy.port}/mcp`;
  // The ping that gets no answer ends after this time, which `quickClock` does not shorten.
  const times = { clock: quickClock, connectMs: 15_000 };
  const gateway = await startTestGateway(t, [createConnection('good', url, { kind: 'sse' })], times);
  await watchResource(gateway);
  t.equal(sse.streams, 1);
  proxy.stall();
  t.ok(await eventually(() => sse.streams > 1));
});

for (const era of ['newest', 'older'] as const)
  t.test(`a call that a restart of the ${era} era cuts fails, and is not sent again`, async (t) => {
    const first = createReferenceServer(era);
    const firstServer = await startTestServer(t, first.handle);
    const gateway = await startTestGateway(t, [createConnection('good', firstServer.url)]);
    const client = await gateway.client('ann', modernClient);
    const call = client.callTool({ name: 'good__slow', arguments: { ms: 3000 } });
    call.catch(() => {});
    await eventually(() => first.calls === 1);
    await firstServer.stop();
    const second = createReferenceServer(era);
    await startTestServer(t, second.handle, getPort(firstServer.url));
    await t.rejects(call, /cannot be reached/);
    t.match(gateway.audit.at(-1), { outcome: 'failed', reason: 'UPSTREAM_UNREACHABLE' });
    t.match(await eventually(() => client.callTool(echo)), { content: [{ text: 'one' }] });
    t.equal(second.calls, 1);
  });

/** Refuses the session of so many calls of `echo`, as a server that forgot it. */
function refuseSessions(server: ReferenceServer, refusals: { count: number }) {
  return async (request: Request): Promise<Response> => {
    const isEcho = request.method === 'POST' && (await request.clone().text()).includes('"name":"echo"');
    if (!isEcho || refusals.count === 0) return server.handle(request);
    refusals.count -= 1;
    const error = { code: -32001, message: 'Session not found' };
    return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
  };
}

t.test('a lost session is started again once, while the call in flight goes on in its own', async (t) => {
  const server = createReferenceServer('older');
  const refusals = { count: 0 };
  const upstream = await startTestServer(t, refuseSessions(server, refusals));
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const client = await gateway.client('ann', modernClient);
  const slow = client.callTool({ name: 'good__slow', arguments: { ms: 500 } });
  await eventually(() => server.calls === 1);
  refusals.count = 1;
  t.match(await client.callTool(echo), { content: [{ text: 'one' }] });
  t.match(await slow, { content: [{ text: 'slept' }] });
  t.equal(server.calls, 2, 'neither call was sent twice');
});

t.test('a server that refuses the new session too is not asked a third time', async (t) => {
  const server = createReferenceServer('older');
  const refusals = { count: 3 };
  const upstream = await startTestServer(t, refuseSessions(server, refusals));
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const client = await gateway.client('ann', modernClient);
  await t.rejects(client.callTool(echo), /HTTP 404/);
  t.equal(refusals.count, 1);
});
