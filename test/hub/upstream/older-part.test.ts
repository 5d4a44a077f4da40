/** A server of both eras is called in the one whose questions the client can answer. */
import type { Client } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { createRawServer, createTextResult, createTool } from '../fixtures/raw-server.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const capabilities = { elicitation: {} };

/** Its newest part cannot ask, and has the tool `newer` beside those of the older part. */
async function startBothParts(t: Test, { hasOlderPart = true } = {}) {
  const older = createReferenceServer('older');
  const calls = { newest: 0, initialize: 0 };
  const newest = createRawServer({
    tools: () => ['ask', 'newer'].map((name) => createTool(name)),
    call() {
      calls.newest += 1;
      return createTextResult('from the newest part');
    },
  });
  const upstream = await startTestServer(
    t,
    async (request) => {
      if (request.headers.get('mcp-protocol-version') === '2026-07-28') return newest(request);
      return hasOlderPart ? older.handle(request) : new Response('only the newest', { status: 400 });
    },
    0,
    (_headers, { method }) => {
      if (method === 'initialize') calls.initialize += 1;
    },
  );
  const gateway = await startTestGateway(t, [createConnection('both', upstream.url)]);
  const callTool = async (client: Client, name: string): Promise<unknown> => {
    const { content } = await client.callTool({ name: `both__${name}`, arguments: {} });
    return Object(Array.isArray(content) ? content[0] : undefined).text;
  };
  return { older, calls, gateway, callTool };
}

function answerForms(client: Client): void {
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ann' } }));
}

t.test('a client of an older revision is asked by the older part', async (t) => {
  const { older, calls, gateway, callTool } = await startBothParts(t);
  const [ann, max] = [await gateway.client('ann', { capabilities }), await gateway.client('max', { capabilities })];
  answerForms(ann);
  max.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Max' } }));
  t.strictSame(await Promise.all([callTool(ann, 'ask'), callTool(max, 'ask')]), ['hello Ann', 'hello Max']);
  t.equal(await callTool(ann, 'ask'), 'hello Ann');
  t.equal(older.sessions(), 2, 'each person has a session');
  t.equal(await callTool(ann, 'newer'), 'from the newest part', 'what the older part does not have');
  older.forgetSessions();
  t.equal(await callTool(ann, 'ask'), 'hello Ann', 'in a new session');
  t.equal(calls.newest, 1);
});

t.test('a client that cannot be asked, or is of the newest revision, is served by the newest part', async (t) => {
  const { calls, gateway, callTool } = await startBothParts(t);
  t.equal(await callTool(await gateway.client('ann', {}), 'ask'), 'from the newest part');
  const newest = await gateway.client('max', { ...modernClient, capabilities });
  answerForms(newest);
  t.equal(await callTool(newest, 'ask'), 'from the newest part');
  t.equal(calls.initialize, 0);
});

t.test('a server without an older part is not tried with each call', async (t) => {
  const { calls, gateway, callTool } = await startBothParts(t, { hasOlderPart: false });
  const client = await gateway.client('ann', { capabilities });
  answerForms(client);
  for (let count = 0; count < 3; count += 1) t.equal(await callTool(client, 'ask'), 'from the newest part');
  t.equal(calls.initialize, 1);
  t.strictSame(gateway.states, ['c-both connected']);
});

t.test('a resource is watched in the older part where the newest reports no changes', async (t) => {
  const older = createReferenceServer('older');
  const lists: Readonly<Record<string, object>> = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {}, resources: {} } },
    'resources/list': { resources: [{ uri: 'note://one', name: 'one' }] },
    'resources/templates/list': { resourceTemplates: [] },
  };
  const newest = createRawServer({
    any: (_request, method) =>
      lists[method] &&
      Response.json({
        jsonrpc: '2.0',
        id: 0,
        result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...lists[method] },
      }),
  });
  const upstream = await startTestServer(t, async (request) => {
    if (request.headers.get('mcp-protocol-version') !== '2026-07-28') return older.handle(request);
    const { id, method } = Object(request.method === 'POST' ? await request.clone().json() : {});
    const response = await newest(request);
    if (!lists[method]) return response;
    return Response.json({ ...Object(await response.json()), id });
  });
  const gateway = await startTestGateway(t, [createConnection('both', upstream.url)]);
  const client = await gateway.client('ann', {});
  const updates: unknown[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params));
  await client.subscribeResource({ uri: 'hub.both+note://one' });
  t.ok(
    await eventually(() => {
      older.resourceUpdated('note://one');
      return updates.length > 0;
    }),
  );
  t.match(updates[0], { uri: 'hub.both+note://one' });
});
