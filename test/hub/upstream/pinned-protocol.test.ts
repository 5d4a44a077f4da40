/** A server of several eras is called in the one that the owner of its connection has chosen. */
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import t, { type Test } from 'tap';
import { createRawServer } from '../fixtures/raw-server.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

type Protocol = 'auto' | 'newest' | 'older';

/** Both eras at one address, and the methods that were received. */
async function startBothEras(t: Test) {
  const methods: string[] = [];
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'both', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', async () => ({
      tools: [{ name: 'echo', inputSchema: { type: 'object' as const } }],
    }));
    server.setRequestHandler('tools/call', async () => ({ content: [] }));
    return server;
  });
  const { url } = await startTestServer(
    t,
    (request) => handler.fetch(request),
    0,
    (_headers, { method }) => void methods.push(String(method)),
  );
  return { url, methods };
}

async function callPinned(t: Test, url: string, protocol: Protocol): Promise<void> {
  const gateway = await startTestGateway(t, [createConnection('good', url, { protocol })]);
  const client = await gateway.client('ann', modernClient);
  await client.callTool({ name: 'good__echo', arguments: {} });
}

t.test('without a choice the newest era is used', async (t) => {
  const { url, methods } = await startBothEras(t);
  await callPinned(t, url, 'auto');
  t.ok(methods.includes('server/discover'));
  t.notOk(methods.includes('initialize'));
});

t.test('pinned to older revisions, the server is not asked for the newest', async (t) => {
  const { url, methods } = await startBothEras(t);
  await callPinned(t, url, 'older');
  t.notOk(methods.includes('server/discover'));
  t.ok(methods.includes('initialize'));
});

t.test('pinned to the newest revision, a server that has only older ones is not called', async (t) => {
  const older = await startTestServer(t, createReferenceServer('older').handle);
  const gateway = await startTestGateway(t, [createConnection('good', older.url, { protocol: 'newest' })]);
  const client = await gateway.client('ann', modernClient);
  const { _meta } = await client.listTools();
  t.match(_meta, { 'vp/missing_connections': [{ connection: 'good' }] });
  const { url, methods } = await startBothEras(t);
  await callPinned(t, url, 'newest');
  t.notOk(methods.includes('initialize'));
});

t.test('a pinned server that forgets its sessions is called in the same era again', async (t) => {
  const older = createReferenceServer('older');
  const methods: string[] = [];
  const upstream = await startTestServer(
    t,
    older.handle,
    0,
    (_headers, { method }) => void methods.push(String(method)),
  );
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url, { protocol: 'older' })]);
  const client = await gateway.client('ann', modernClient);
  const call = { name: 'good__echo', arguments: { text: 'a' } };
  await client.callTool(call);
  older.forgetSessions();
  t.match(await client.callTool(call), { content: [{ type: 'text' }] });
  t.notOk(methods.includes('server/discover'));
});

t.test('a server whose newest part has no tools serves them in the older era', async (t) => {
  const older = createReferenceServer('older');
  const newest = createRawServer({ tools: () => [] });
  const upstream = await startTestServer(t, (request) =>
    request.headers.get('mcp-protocol-version') === '2026-07-28' ? newest(request) : older.handle(request),
  );
  await t.rejects(callPinned(t, upstream.url, 'auto'), /good__echo/);
  await callPinned(t, upstream.url, 'older');
  t.equal(older.calls, 1);
});
