/** An upstream with everything that MCP has, in the newest era, in the older ones, or in both: what others are held against. */
import {
  createMcpHandler,
  InMemoryServerEventBus,
  inputRequired,
  isInitializeRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** Which revisions it speaks. */
export type Era = 'newest' | 'older';

/** What tests change and look at. */
export type GoodServer = {
  answer(request: Request): Promise<Response>;
  readonly tools: string[];
  /** What tools say of themselves, where that is not the usual. */
  readonly descriptions: Record<string, string>;
  /** Tells those who listen. */
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
  /** Forgets all sessions, as after a restart. */
  forget(): void;
  /** How many sessions of the older eras are open. */
  sessions(): number;
  readonly cancelled: string[];
  readonly capabilities: unknown[];
  calls: number;
};

const form = {
  message: 'What is your name?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] },
};

/** Makes one. */
export function goodServer(era: Era): GoodServer {
  const bus = new InMemoryServerEventBus();
  const sessions = new Map<string, { server: Server; transport: WebStandardStreamableHTTPServerTransport }>();
  const good: GoodServer = {
    tools: ['echo', 'slow', 'ask', 'sample', 'logs', 'fails', 'link'],
    descriptions: {},
    answer: (request) => (era === 'newest' ? handler.fetch(request) : older(request)),
    toolsChanged() {
      bus.publish({ kind: 'tools_list_changed' });
      for (const { server } of sessions.values()) void server.sendToolListChanged();
    },
    promptsChanged() {
      bus.publish({ kind: 'prompts_list_changed' });
      for (const { server } of sessions.values()) void server.sendPromptListChanged();
    },
    resourcesChanged() {
      bus.publish({ kind: 'resources_list_changed' });
      for (const { server } of sessions.values()) void server.sendResourceListChanged();
    },
    resourceUpdated(uri) {
      bus.publish({ kind: 'resource_updated', uri });
      for (const { server } of sessions.values()) void server.sendResourceUpdated({ uri });
    },
    forget() {
      for (const { server } of sessions.values()) void server.close();
      sessions.clear();
    },
    sessions: () => sessions.size,
    cancelled: [],
    capabilities: [],
    calls: 0,
  };
  const handler = createMcpHandler(() => goodMcpServer(good, era), { legacy: 'reject', bus });

  async function older(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = sessions.get(id);
      if (session) return session.transport.handleRequest(request);
      return Response.json(
        { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } },
        { status: 404 },
      );
    }
    const body: unknown = request.method === 'POST' ? await request.json() : undefined;
    if (!isInitializeRequest(body)) return new Response('an older server: initialize first', { status: 400 });
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (made) => void sessions.set(made, { server, transport }),
      onsessionclosed: (made) => void sessions.delete(made),
    });
    const server = goodMcpServer(good, era);
    await server.connect(transport);
    return transport.handleRequest(request, { parsedBody: body });
  }
  return good;
}

/** The server itself, for any transport. */
export function goodMcpServer(good: GoodServer, era: Era): Server {
  const server = new Server(
    { name: `good-${era}`, version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
    },
  );
  const done = {};
  server.setRequestHandler('tools/list', async () => ({
    tools: good.tools.map((name) => ({
      name,
      description: good.descriptions[name] ?? `The tool ${name}`,
      inputSchema: { type: 'object' as const, properties: { text: { type: 'string', 'x-mcp-header': 'Text' } } },
    })),
  }));
  server.setRequestHandler('resources/list', async () => ({ resources: [{ uri: 'note://one', name: 'one' }] }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [{ uriTemplate: 'note://{name}', name: 'notes' }],
  }));
  server.setRequestHandler('resources/read', async ({ params }) => ({
    contents: [{ uri: params.uri, text: `text of ${params.uri}` }],
  }));
  if (era === 'older') {
    server.setRequestHandler('resources/subscribe', async () => done);
    server.setRequestHandler('resources/unsubscribe', async () => done);
  }
  server.setRequestHandler('prompts/list', async () => ({
    prompts: [{ name: 'greet', arguments: [{ name: 'whom' }] }],
  }));
  server.setRequestHandler('prompts/get', async ({ params }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${params.arguments?.whom ?? 'all'}` } }],
  }));
  server.setRequestHandler('completion/complete', async ({ params }) => ({
    completion: { values: [`${params.argument.value}-done`] },
  }));
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    good.calls += 1;
    const { name, arguments: args = {} } = params;
    const { mcpReq } = ctx;
    good.capabilities.push(
      era === 'newest'
        ? Object(mcpReq.envelope)['io.modelcontextprotocol/clientCapabilities']
        : server.getClientCapabilities(),
    );
    const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
    if (name === 'echo') return text(String(args.text));
    if (name === 'link') {
      return { content: [{ type: 'resource_link' as const, uri: 'note://one', name: 'one' }] };
    }
    if (name === 'fails') return { ...text('it went wrong'), isError: true };
    if (name === 'logs') {
      const progressToken = mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= 3 && progressToken !== undefined; progress += 1) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
      }
      await mcpReq.log('warning', 'a line', 'good');
      return text('logged');
    }
    if (name === 'slow') {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Number(args.ms ?? 5000));
        mcpReq.signal.addEventListener('abort', () => {
          clearTimeout(timer);
          good.cancelled.push(name);
          resolve();
        });
      });
      return text('slept');
    }
    if (name === 'ask') {
      if (era === 'older') {
        const answer = await mcpReq.elicitInput(form);
        return text(`hello ${String(answer.content?.name)}`);
      }
      const given = Object(mcpReq.inputResponses).who;
      if (given) return text(`hello ${String(given.content?.name)} ${String(mcpReq.requestState())}`);
      return inputRequired({ inputRequests: { who: inputRequired.elicit(form) }, requestState: 'state-of-upstream' });
    }
    if (name === 'sample') {
      const message = { role: 'user' as const, content: { type: 'text' as const, text: 'say something' } };
      const answer = await mcpReq.requestSampling({ messages: [message], maxTokens: 10 });
      return text(`sampled ${JSON.stringify(answer.content)}`);
    }
    throw new Error(`no tool ${name}`);
  });
  return server;
}
