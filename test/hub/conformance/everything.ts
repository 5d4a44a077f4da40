/**
 * An upstream with everything that the conformance suite calls by name, in the newest era and, with sessions, in the
 * older ones.
 */
import {
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  hostHeaderValidationResponse,
  InMemoryServerEventBus,
  inputRequired,
  isInitializeRequest,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  McpServer,
  originValidationResponse,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { tasksExtension, withTasks } from './everything-tasks.ts';
import { registerTools } from './everything-tools.ts';
import { pixel } from './fixtures.ts';

type Session = { readonly server: McpServer; readonly transport: WebStandardStreamableHTTPServerTransport };

/** Revisions of an upstream: all at one address, or all but the newest. */
export type Eras = 'both' | 'older';

export function createConformanceServer(eras: Eras): (request: Request) => Promise<Response> {
  const bus = new InMemoryServerEventBus();
  const sessions = new Map<string, Session>();
  const states = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) });
  const createServer = (extensions = {}): McpServer => {
    const server = new McpServer(
      { name: 'everything', version: '1.0.0' },
      {
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          prompts: { listChanged: true },
          logging: {},
          completions: {},
          ...extensions,
        },
        requestState: { verify: states.verify },
      },
    );
    registerTools(server, (payload) => states.mint(payload), {
      toolsChanged() {
        bus.publish({ kind: 'tools_list_changed' });
        for (const session of sessions.values()) session.server.sendToolListChanged();
      },
      promptsChanged() {
        bus.publish({ kind: 'prompts_list_changed' });
        for (const session of sessions.values()) session.server.sendPromptListChanged();
      },
    });
    registerResources(server);
    registerPrompts(server);
    return server;
  };
  const createModernServer = () => createServer({ extensions: { [tasksExtension]: {} } });
  const modernHandler = createMcpHandler(createModernServer, { legacy: 'reject', bus });
  const handleModern = withTasks((request) => modernHandler.fetch(request));
  return async (request) => {
    const forbidden =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (forbidden) return forbidden;
    if (eras === 'both' && !(await isLegacyRequest(request.clone()))) return handleModern(request);
    return handleInSession(sessions, createServer, request);
  };
}

async function handleInSession(
  sessions: Map<string, Session>,
  createServer: () => McpServer,
  request: Request,
): Promise<Response> {
  const id = request.headers.get('mcp-session-id');
  const existing = id === null ? undefined : sessions.get(id);
  if (existing) return existing.transport.handleRequest(request);
  const parsedBody: unknown = request.method === 'POST' ? await request.json() : undefined;
  if (id !== null || !isInitializeRequest(parsedBody)) {
    const error = { code: -32001, message: 'Session not found' };
    return Response.json({ jsonrpc: '2.0', id: null, error }, { status: id === null ? 400 : 404 });
  }
  const server = createServer();
  const emptyResult = {};
  server.server.setRequestHandler('resources/subscribe', async () => emptyResult);
  server.server.setRequestHandler('resources/unsubscribe', async () => emptyResult);
  const transport: Session['transport'] = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (startedId) => void sessions.set(startedId, { server, transport }),
    onsessionclosed: (endedId) => void sessions.delete(endedId),
  });
  await server.connect(transport);
  return transport.handleRequest(request, { parsedBody });
}

function registerResources(server: McpServer): void {
  const contents = (uri: URL, mimeType: string, body: { text: string } | { blob: string }) => ({
    contents: [{ uri: uri.href, mimeType, ...body }],
  });
  server.registerResource('static-text', 'test://static-text', { mimeType: 'text/plain' }, async (uri) =>
    contents(uri, 'text/plain', { text: 'This is the content of the static text resource.' }),
  );
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, async (uri) =>
    contents(uri, 'image/png', { blob: pixel }),
  );
  server.registerResource('watched-resource', 'test://watched-resource', { mimeType: 'text/plain' }, async (uri) =>
    contents(uri, 'text/plain', { text: 'Watched resource content' }),
  );
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, { mimeType: 'application/json' }, async (uri, { id }) =>
    contents(uri, 'application/json', { text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }),
  );
}

/** Required string arguments. */
function createTextArguments(...names: string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  return fromJsonSchema<Record<string, string>>({ type: 'object', properties, required: names });
}

/** Compiled once: a server of the newest era is created for each request. */
const promptArguments = createTextArguments('arg1', 'arg2');
const resourceArguments = createTextArguments('resourceUri');

function registerPrompts(server: McpServer): void {
  const createTextMessage = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } });
  const argument = { type: 'string' as const };
  server.registerPrompt('test_simple_prompt', { description: 'A prompt' }, async () => ({
    messages: [createTextMessage('This is a simple prompt for testing.')],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A prompt', argsSchema: promptArguments },
    async ({ arg1, arg2 }) => ({
      messages: [createTextMessage(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt', argsSchema: resourceArguments },
    async ({ resourceUri: uri = '' }) => ({
      messages: [
        {
          role: 'user',
          content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content.' } },
        },
        createTextMessage('Please process the embedded resource above.'),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt' }, async () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: pixel, mimeType: 'image/png' } },
      createTextMessage('Please analyze the image above.'),
    ],
  }));
  server.registerPrompt('test_input_required_result_prompt', { description: 'A prompt' }, async ({ mcpReq }) => {
    if (mcpReq.inputResponses) return { messages: [createTextMessage('with context')] };
    const requestedSchema = { type: 'object' as const, properties: { context: argument }, required: ['context'] };
    const user_context = inputRequired.elicit({ message: 'What context should the prompt use?', requestedSchema });
    return inputRequired({ inputRequests: { user_context } });
  });
  server.server.setRequestHandler('completion/complete', async () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
}
