/** The server that hubs are measured with, in a process of its own: one tool that answers at once, and as many as asked for. */
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { createAdaptorServer } from '@hono/node-server';
import {
  createMcpHandler,
  isInitializeRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const { values } = parseArgs({
  options: {
    tools: { type: 'string', default: '1' },
    pipe: { type: 'string' },
    bad: { type: 'boolean', default: false },
    sessions: { type: 'boolean', default: false },
    stdio: { type: 'boolean', default: false },
  },
});

const tools = Array.from({ length: Number(values.tools) }, (_, index) => ({
  name: index === 0 ? 'echo' : `tool_${index}`,
  description: 'Answers with the text that it was given, as tools of a usual size do.',
  inputSchema: { type: 'object' as const, properties: { text: { type: 'string' }, bytes: { type: 'number' } } },
}));

/** With a progress token, a call reports progress three times before it is answered. */
function createEchoServer(): Server {
  const server = new Server({ name: 'bench', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({ tools }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (let progress = 1; progressToken !== undefined && progress <= 3; progress += 1)
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
    const { text, bytes } = params.arguments ?? {};
    return { content: [{ type: 'text', text: typeof bytes === 'number' ? 'x'.repeat(bytes) : String(text) }] };
  });
  return server;
}

function upstream() {
  const handler = createMcpHandler(createEchoServer);
  return createAdaptorServer({ fetch: (request) => handler.fetch(request) });
}

/** The older revisions only, with sessions. */
function upstreamWithSessions() {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return createAdaptorServer({
    async fetch(request) {
      const known = transports.get(request.headers.get('mcp-session-id') ?? '');
      if (known) return known.handleRequest(request);
      const parsedBody: unknown = request.method === 'POST' ? await request.json() : undefined;
      if (!isInitializeRequest(parsedBody)) return new Response('no such session', { status: 404 });
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => void transports.set(id, transport),
      });
      await createEchoServer().connect(transport);
      return transport.handleRequest(request, { parsedBody });
    },
  });
}

/** Tools that do what no tool should; all the rest is as it should be. */
function misbehaving() {
  const good = createMcpHandler(() => {
    const server = new Server({ name: 'bad', version: '1' }, { capabilities: { tools: {} } });
    const names = ['hangs', 'large', 'notifies', 'dies'];
    server.setRequestHandler('tools/list', async () => ({
      tools: names.map((name) => ({ name, inputSchema: { type: 'object' as const } })),
    }));
    server.setRequestHandler('tools/call', async () => ({ content: [] }));
    return server;
  });
  const adapted = createAdaptorServer({ fetch: (request) => good.fetch(request) });
  return createServer((incoming, outgoing) => {
    const tool = String(incoming.headers['mcp-name'] ?? '');
    if (tool === 'hangs') return;
    if (tool === 'dies') incoming.socket.destroy();
    else if (tool === 'large') {
      outgoing.writeHead(200, { 'Content-Type': 'application/json' });
      pour(outgoing, Buffer.alloc(1_000_000, 32), 50);
    } else if (tool === 'notifies') {
      outgoing.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const notification = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
      outgoing.end(`data: ${JSON.stringify(notification)}\n\n`.repeat(1000));
    } else adapted.emit('request', incoming, outgoing);
  });
}

function pour(outgoing: ServerResponse, piece: Buffer, times: number): void {
  if (times === 0 || outgoing.destroyed) outgoing.end();
  else outgoing.write(piece, () => pour(outgoing, piece, times - 1));
}

/** The least that a hop costs: bytes in, bytes out. */
async function pipe(target: string) {
  const { Agent, request } = await import('undici');
  const dispatcher = new Agent();
  return createServer(async (incoming, outgoing) => {
    const { method = 'POST' } = incoming;
    const { 'content-length': _length, connection: _connection, host: _host, ...headers } = incoming.headers;
    const answer = await request(target, { method, headers, body: incoming, dispatcher });
    const {
      connection: _hop,
      'transfer-encoding': _coding,
      'keep-alive': _alive,
      ...forwardedHeaders
    } = answer.headers;
    outgoing.writeHead(answer.statusCode, forwardedHeaders);
    answer.body.pipe(outgoing);
  });
}

async function listen(): Promise<void> {
  const served = values.bad ? misbehaving() : values.sessions ? upstreamWithSessions() : upstream();
  const server = values.pipe === undefined ? served : await pipe(values.pipe);
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
  });
}

if (values.stdio) serveStdio(createEchoServer);
else await listen();
