/** The server that hubs are measured with, in a process of its own: one tool that answers at once, and as many as asked for. */
import { createServer, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { createAdaptorServer } from '@hono/node-server';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

const { values } = parseArgs({
  options: {
    tools: { type: 'string', default: '1' },
    pipe: { type: 'string' },
    bad: { type: 'boolean', default: false },
  },
});

const tools = Array.from({ length: Number(values.tools) }, (_, index) => ({
  name: index === 0 ? 'echo' : `tool_${index}`,
  description: 'Answers with the text that it was given, as tools of a usual size do.',
  inputSchema: { type: 'object' as const, properties: { text: { type: 'string' } } },
}));

function upstream() {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'bench', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', async () => ({ tools }));
    server.setRequestHandler('tools/call', async ({ params }) => ({
      content: [{ type: 'text', text: String(params.arguments?.text) }],
    }));
    return server;
  });
  return createAdaptorServer({ fetch: (request) => handler.fetch(request) });
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

const served = values.bad ? misbehaving() : upstream();
const server = values.pipe === undefined ? served : await pipe(values.pipe);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
});
