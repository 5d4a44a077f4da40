/** MCP Apps through a hub: what a client needs to show the view of a tool arrives, under names that it can use. */
import {
  type ClientCapabilities,
  createMcpHandler,
  isInitializeRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import t, { type Test } from 'tap';
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

const apps = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [viewType] } } };
const appOnly = { name: 'refresh', inputSchema: { type: 'object' as const }, _meta: { ui: { visibility: ['app'] } } };

/** A server of older revisions whose tools depend on what its client declares. `declared` gets that of each session that calls. */
async function startDependentServer(t: Test, declared: unknown[]) {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return startTestServer(t, async (request) => {
    const session = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (session) return session.handleRequest(request);
    const parsedBody: unknown = request.method === 'POST' ? await request.json() : undefined;
    if (!isInitializeRequest(parsedBody)) return new Response('initialize first', { status: 400 });
    const server = new Server({ name: 'charts', version: '1' }, { capabilities: { tools: {} } });
    const hasViews = () =>
      Object(server.getClientCapabilities()?.extensions)['io.modelcontextprotocol/ui'] !== undefined;
    server.setRequestHandler('tools/list', async () => ({
      tools: hasViews() ? [tool, appOnly] : [{ name: 'chart', inputSchema: { type: 'object' } }],
    }));
    server.setRequestHandler('tools/call', async () => {
      declared.push(server.getClientCapabilities());
      return { content: [] };
    });
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await server.connect(transport);
    return transport.handleRequest(request, { parsedBody });
  });
}

for (const [era, options] of [
  ['newest', modernClient],
  ['older', {}],
] as const)
  t.test(`the extension is in use where a client of the ${era} revision declares it too`, async (t) => {
    const declared: unknown[] = [];
    const upstream = await startDependentServer(t, declared);
    const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
    const list = async (person: string, capabilities: ClientCapabilities) => {
      const client = await gateway.client(person, { ...options, capabilities });
      const { tools } = await client.listTools();
      await client.callTool({ name: 'good__chart', arguments: {} });
      const names = tools.map(({ name }) => name).filter((name) => name.startsWith('good__'));
      return { names, extensions: client.getServerCapabilities()?.extensions };
    };
    t.match(await list('ann', apps), {
      names: ['good__chart', 'good__refresh'],
      extensions: { 'io.modelcontextprotocol/ui': {} },
    });
    const plain = await list('bob', {});
    t.same(plain.names, ['good__chart'], 'a tool for views only is not for a model');
    t.notOk('io.modelcontextprotocol/ui' in (plain.extensions ?? {}));
    t.same(declared, [apps, {}], 'the server is told what the client of each person declares');
  });

t.test('a search for tools does not find those for views only', async (t) => {
  const upstream = await startDependentServer(t, []);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  gateway.toolList = 'search';
  const client = await gateway.client('ann', { ...modernClient, capabilities: apps });
  const { structuredContent } = await client.callTool({ name: 'find_tools', arguments: { query: 'refresh chart' } });
  const { tools } = Object(structuredContent);
  t.match(tools, [{ name: 'good__chart' }]);
  t.equal(tools.length, 1);
});
