/** MCP Apps through a hub: what a client needs to show the view of a tool arrives, under names that it can use. */
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import t from 'tap';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const viewType = 'text/html;profile=mcp-app';
const viewMeta = { ui: { csp: { connectDomains: ['https://api.example'] }, prefersBorder: true } };
const tool = {
  name: 'chart',
  inputSchema: { type: 'object' as const },
  _meta: {
    ui: { resourceUri: 'ui://charts/view', visibility: ['model', 'app'] },
    'ui/resourceUri': 'ui://charts/view',
  },
};

function createAppServer(): Server {
  const server = new Server({ name: 'charts', version: '1' }, { capabilities: { tools: {}, resources: {} } });
  server.setRequestHandler('tools/list', async () => ({ tools: [tool] }));
  server.setRequestHandler('resources/list', async () => ({
    resources: [{ uri: 'ui://charts/view', name: 'view', mimeType: viewType, _meta: viewMeta }],
  }));
  server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => ({
    contents: [{ uri, mimeType: viewType, text: '<!doctype html>', _meta: viewMeta }],
  }));
  return server;
}

for (const [era, options] of [
  ['newest', modernClient],
  ['older', {}],
] as const)
  t.test(`a client of the ${era} revision reads the view that a tool names`, async (t) => {
    const handler = createMcpHandler(() => createAppServer(), { legacy: 'reject' });
    const upstream = await startTestServer(t, (request) => handler.fetch(request));
    const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
    const client = await gateway.client('ann', options);
    const { tools } = await client.listTools();
    const meta = tools.find(({ name }) => name === 'good__chart')?._meta;
    const uri = 'hub.good+ui://charts/view';
    t.match(meta, { ui: { resourceUri: uri, visibility: ['model', 'app'] }, 'ui/resourceUri': uri });
    const { contents } = await client.readResource({ uri });
    t.match(contents, [{ uri, mimeType: viewType, text: '<!doctype html>', _meta: viewMeta }]);
    t.match((await client.listResources()).resources, [{ uri, mimeType: viewType, _meta: viewMeta }]);
  });
