/** An invalid entry hides no other: lists omit it and report it. */
import t from 'tap';
import type { HubConnection } from '../../../../src/contract/hubs/hubs-api.ts';
import { readJson } from '../../fixtures/hub-people.ts';
import { createRawServer, createTool } from '../../fixtures/raw-server.ts';
import { createConnection, modernClient, startTestGateway } from '../../fixtures/test-gateway.ts';
import { startTestHub } from '../../fixtures/test-hub.ts';
import { startTestServer } from '../../fixtures/test-server.ts';

const malformed: readonly Record<string, unknown>[] = [
  { name: 7 },
  { name: 'no-schema' },
  createTool('schema-is-text', { inputSchema: 'object' }),
  createTool('schema-is-a-list', { inputSchema: { type: 'array' } }),
  createTool('describes-with-a-number', { description: 7 }),
  createTool('annotated-with-text', { annotations: 'reads' }),
  createTool('hints-with-text', { annotations: { readOnlyHint: 'yes' } }),
  createTool('icons-are-text', { icons: 'none' }),
  createTool('large', { description: 'x'.repeat(200_000) }),
];

t.test('each kind of malformed tool is omitted individually, in the newest era', async (t) => {
  let listedTools: readonly Record<string, unknown>[] = [];
  const upstream = await startTestServer(t, createRawServer({ tools: () => listedTools }));
  for (const [index, malformedTool] of malformed.entries()) {
    listedTools = [createTool('first'), malformedTool, createTool('last')];
    const gateway = await startTestGateway(t, [createConnection('raw', upstream.url, { revision: index + 1 })]);
    const client = await gateway.client('ann', modernClient);
    const { tools, _meta } = await client.listTools();
    t.same(
      tools.map(({ name }) => name),
      ['raw__first', 'raw__last', 'vp_hub_status'],
      JSON.stringify(malformedTool).slice(0, 80),
    );
    t.equal(_meta?.['vp/missing_connections'], undefined);
    t.match(await client.callTool({ name: 'raw__last', arguments: {} }), { content: [{ text: 'done' }] });
  }
});

t.test('omitted entries are the warning of the connection until they are fixed', async (t) => {
  const hub = await startTestHub(t);
  let listedTools = [createTool('good'), ...malformed];
  const upstream = await startTestServer(t, createRawServer({ tools: () => listedTools }));
  const path = '/api/v1/hubs/acme/connections';
  await hub.ana.ask('POST', path, { name: 'raw', kind: 'http', url: upstream.url });
  const readConnection = (): Promise<HubConnection> => readJson(hub.ana.ask('GET', `${path}/raw`));
  const listOffered = () => hub.ana.ask('GET', '/api/v1/hubs/acme/tools/offered');
  await listOffered();
  t.match(await readConnection(), {
    state: 'connected',
    last_error: null,
    warning: /^9 of its tools are omitted because .* such as no-schema, schema-is-text, schema-is-a-list$/,
  });
  t.match(await readJson(hub.ana.ask('POST', `${path}/raw/probe`)), {
    tools_count: 1,
    warning: /^9 of its tools/,
    problem: null,
  });
  listedTools = [createTool('good')];
  await hub.ana.ask('PUT', `${path}/raw`, { url: upstream.url });
  await listOffered();
  t.equal((await readConnection()).warning, null);
});

t.test('the result of a call is unchanged, whatever its members are named', async (t) => {
  const listedTools = [createTool('tool')];
  const result = { content: [], structuredContent: { tools: [7] }, tools: [7, { name: 7 }] };
  const upstream = await startTestServer(t, createRawServer({ tools: () => listedTools, call: () => result }));
  const gateway = await startTestGateway(t, [createConnection('raw', upstream.url)]);
  const client = await gateway.client('ann', modernClient);
  t.match(await client.callTool({ name: 'raw__tool', arguments: {} }), { structuredContent: { tools: [7] } });
  t.match(await client.callTool({ name: 'raw__tool', arguments: {}, _meta: { progressToken: 1 } }), {
    structuredContent: { tools: [7] },
  });
});
