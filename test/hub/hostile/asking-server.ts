/** A server whose one tool asks its caller for all that can be asked: a sample, the roots, and a form. In each era's own way. */
import {
  createMcpHandler,
  inputRequired,
  isInitializeRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Era } from './good-server.ts';

const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'say something' } }];
const form = {
  message: 'What is your name?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] },
};

function summary(sample: unknown, roots: unknown, answer: unknown): { content: { type: 'text'; text: string }[] } {
  const said = Object(Object(sample).content).text;
  const [root] = Object(roots).roots ?? [];
  const text = `${String(said)}, ${String(Object(root).uri)}, ${String(Object(Object(answer).content).name)}`;
  return { content: [{ type: 'text', text }] };
}

/** A server with that tool alone. */
export function askingMcpServer(era: Era): Server {
  const server = new Server({ name: `asking-${era}`, version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({
    tools: [{ name: 'all', inputSchema: { type: 'object' as const } }],
  }));
  server.setRequestHandler('tools/call', async (_request, { mcpReq }) => {
    if (era === 'older') {
      const sample = await mcpReq.requestSampling({ messages, maxTokens: 10 });
      const roots = await server.listRoots();
      return summary(sample, roots, await mcpReq.elicitInput(form));
    }
    const { sample, roots, answer } = Object(mcpReq.inputResponses);
    if (sample && roots && answer) return summary(sample, roots, answer);
    return inputRequired({
      inputRequests: {
        sample: inputRequired.createMessage({ messages, maxTokens: 10 }),
        roots: inputRequired.listRoots(),
        answer: inputRequired.elicit(form),
      },
    });
  });
  return server;
}

/** Serves it over HTTP. */
export function askingServer(era: Era): (request: Request) => Promise<Response> {
  if (era === 'newest') {
    const handler = createMcpHandler(() => askingMcpServer(era), { legacy: 'reject' });
    return (request) => handler.fetch(request);
  }
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (request) => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known) return known.handleRequest(request);
    const parsedBody: unknown = request.method === 'POST' ? await request.json() : undefined;
    if (!isInitializeRequest(parsedBody)) return new Response('initialize first', { status: 400 });
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await askingMcpServer(era).connect(transport);
    return transport.handleRequest(request, { parsedBody });
  };
}
