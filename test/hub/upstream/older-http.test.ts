/** Servers with the oldest HTTP transport, and servers that restart: reconnected within the next call. */
import t, { type Test } from 'tap';
import { createGuardedFetch } from '../../../src/outbound/guarded-fetch.ts';
import { eventually } from '../../eventually.ts';
import { createReferenceMcpServer, createReferenceServer } from '../fixtures/reference-server.ts';
import { createSseServer } from '../fixtures/sse-server.ts';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

async function startSseGateway(t: Test) {
  const referenceServer = createReferenceServer('older');
  const legacyServer = createSseServer(() => createReferenceMcpServer(referenceServer, 'older'));
  const upstream = await startTestServer(t, legacyServer.handle);
  const credential = { kind: 'header', header: 'Authorization' } as const;
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url, { kind: 'sse', credential })]);
  return {
    referenceServer,
    legacyServer,
    upstream,
    gateway,
    client: await gateway.client('ann', modernClient),
  };
}

const echo = { name: 'good__echo', arguments: { text: 'one' } };

t.test('tools, resources and prompts of a server on HTTP with SSE are available, in both eras', async (t) => {
  const { gateway, upstream } = await startSseGateway(t);
  for (const options of [modernClient, {}]) {
    const client = await gateway.client('ann', options);
    t.equal((await client.listTools()).tools.length, 8);
    t.match(await client.callTool(echo), { content: [{ text: 'one' }] });
    const { resources } = await client.listResources();
    t.match(await client.readResource({ uri: resources[0]?.uri ?? '' }), {
      contents: [{ text: 'text of note://one' }],
    });
    t.match(await client.getPrompt({ name: 'good__greet', arguments: { whom: 'Ann' } }), {
      messages: [{ content: { text: 'Greet Ann' } }],
    });
  }
  t.ok(upstream.receivedHeaders.every((headers) => headers.get('authorization') === 'Bearer upstream-secret'));
  t.match(gateway.states.at(-1), 'c-good connected');
});

t.test('progress precedes the result, and a cancelled call is cancelled at the server', async (t) => {
  const { client, referenceServer } = await startSseGateway(t);
  const progressValues: unknown[] = [];
  await client.callTool(
    { name: 'good__logs', arguments: {} },
    { onprogress: ({ progress }) => void progressValues.push(progress) },
  );
  t.same(progressValues, [1, 2, 3]);
  const controller = new AbortController();
  const callCount = referenceServer.calls;
  const call = client.callTool({ name: 'good__slow', arguments: { ms: 20_000 } }, { signal: controller.signal });
  await eventually(() => referenceServer.calls > callCount);
  controller.abort();
  await t.rejects(call);
  await eventually(() => referenceServer.cancelled.length > 0);
  t.same(referenceServer.cancelled, ['slow']);
});

t.test('an ended stream is opened again within the next call', async (t) => {
  const { client, legacyServer } = await startSseGateway(t);
  t.match(await client.callTool(echo), { content: [{ text: 'one' }] });
  const streamCount = legacyServer.streams;
  await legacyServer.closeStreams();
  t.match(await client.callTool(echo), { content: [{ text: 'one' }] });
  t.ok(legacyServer.streams > streamCount);
});

t.test('a stream that names another server to post to gets neither request nor credential there', async (t) => {
  const { legacyServer, gateway, client } = await startSseGateway(t);
  const thiefServer = await startTestServer(t, () => new Response('thanks', { status: 202 }));
  legacyServer.endpoint = `${thiefServer.url}?session=x`;
  const { _meta } = await client.listTools();
  t.match(_meta, { 'vp/missing_connections': [{ connection: 'good' }] });
  t.same(thiefServer.receivedHeaders, []);
  t.match(gateway.states.at(-1), /c-good failing/);
});

t.test('after a restart of a server no call is lost, in either era', async (t) => {
  for (const era of ['newest', 'older'] as const) {
    const firstServer = await startTestServer(t, createReferenceServer(era).handle);
    const gateway = await startTestGateway(t, [createConnection('good', firstServer.url)]);
    for (const options of [modernClient, {}]) {
      const client = await gateway.client('ann', options);
      t.match(await client.callTool(echo), { content: [{ text: 'one' }] }, era);
    }
    await firstServer.stop();
    const secondServer = await startTestServer(
      t,
      createReferenceServer(era).handle,
      Number(new URL(firstServer.url).port),
    );
    const clients = await Promise.all([gateway.client('ann', modernClient), gateway.client('bob', {})]);
    for (const client of clients) t.match(await client.callTool(echo), { content: [{ text: 'one' }] }, era);
    t.ok(secondServer.receivedHeaders.length > 0);
  }
});

t.test('a server that returns with another era is detected again', async (t) => {
  const firstServer = await startTestServer(t, createReferenceServer('older').handle);
  const gateway = await startTestGateway(t, [createConnection('good', firstServer.url)]);
  const client = await gateway.client('ann', modernClient);
  t.match(await client.callTool(echo), { content: [{ text: 'one' }] });
  await firstServer.stop();
  await startTestServer(t, createReferenceServer('newest').handle, Number(new URL(firstServer.url).port));
  const result = await eventually(() => client.callTool(echo));
  t.match(result, { content: [{ text: 'one' }] });
});

t.test('an address that is refused is named as that, over HTTP with SSE as over Streamable HTTP', async (t) => {
  const guarded = createGuardedFetch({ allowPrivate: false, extraRoots: [], variables: {}, answerLimitBytes: 100_000 });
  t.teardown(() => guarded.close());
  const connections = (['sse', 'http'] as const).map((kind) =>
    createConnection(kind, 'http://169.254.169.254/latest/sse', { kind }),
  );
  const gateway = await startTestGateway(t, connections, { request: guarded.request, fetch: guarded.fetch });
  const client = await gateway.client('ann', modernClient);
  for (const kind of ['sse', 'http']) {
    const error = await client.callTool({ name: `${kind}__echo`, arguments: {} }).catch((caught: unknown) => caught);
    t.match(Object(error).data, { code: 'UPSTREAM_ADDRESS_REFUSED', message: /169\.254\.169\.254/ }, kind);
  }
});
