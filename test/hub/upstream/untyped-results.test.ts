/** Servers of the newest era that omit `resultType` can be used, and their connection says so. */
import t from 'tap';
import type { HubConnection } from '../../../src/contract/hubs/hubs-api.ts';
import { eventually } from '../../eventually.ts';
import { readJson } from '../fixtures/hub-people.ts';
import { createEventStream, createRawServer, createTextResult, createTool } from '../fixtures/raw-server.ts';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestHub } from '../fixtures/test-hub.ts';
import { startTestServer } from '../fixtures/test-server.ts';

t.test('a result without its type is complete, or requires input if it has requests', async (t) => {
  const form = {
    method: 'elicitation/create',
    params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
  };
  const server = createRawServer({
    isUntyped: true,
    tools: () => [createTool('tool'), createTool('asks')],
    call: ({ name, inputResponses }) => {
      if (name === 'tool' || inputResponses !== undefined) return createTextResult('done');
      return { inputRequests: { who: form } };
    },
  });
  const upstream = await startTestServer(t, server);
  const gateway = await startTestGateway(t, [createConnection('raw', upstream.url)]);
  const client = await gateway.client('ann', { ...modernClient, capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} }));
  for (const name of ['raw__tool', 'raw__asks'])
    t.match(await client.callTool({ name, arguments: {} }), { content: [{ text: 'done' }] }, name);
});

t.test('a discovery without its type is found on an event stream too', async (t) => {
  const result = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' };
  const server = createRawServer({
    isUntyped: true,
    any: async (request, method) => {
      if (method !== 'server/discover') return undefined;
      const id = request.headers.get('x-test-id');
      return createEventStream([
        { jsonrpc: '2.0', method: 'notifications/message', params: {} },
        { jsonrpc: '2.0', id, result },
      ]);
    },
  });
  const upstream = await startTestServer(t, async (request) => {
    const text = await request.text();
    const { method, headers, url } = request;
    const id = text === '' ? undefined : Object(JSON.parse(text)).id;
    const sent = new Headers(headers);
    sent.set('x-test-id', String(id));
    return server(new Request(url, text === '' ? { method, headers: sent } : { method, headers: sent, body: text }));
  });
  const gateway = await startTestGateway(t, [createConnection('raw', upstream.url)]);
  const client = await gateway.client('ann', modernClient);
  t.match(await client.callTool({ name: 'raw__tool', arguments: {} }), { content: [{ text: 'done' }] });
});

t.test('the card of the connection has a warning', async (t) => {
  const hub = await startTestHub(t);
  const upstream = await startTestServer(t, createRawServer({ isUntyped: true }));
  const path = '/api/v1/hubs/acme/connections';
  await hub.ana.ask('POST', path, { name: 'raw', kind: 'http', url: upstream.url });
  await hub.ana.ask('GET', '/api/v1/hubs/acme/tools/offered');
  const readConnection = (): Promise<HubConnection> => readJson(hub.ana.ask('GET', `${path}/raw`));
  t.match(await eventually(readConnection, { until: ({ warning }) => warning !== null }), {
    state: 'connected',
    warning: /^its results lack resultType/,
  });
});
