/** The memory service over MCP, in both eras of the protocol. Loads the SDK: import it when the first client calls. */
import {
  type AuthInfo,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import type { MemoryConnection } from './connection.ts';
import type { MemoryPrincipal } from './words.ts';

/** Answers MCP requests of those who were let in. */
export type MemoryHandler = {
  answer(request: Request, who: MemoryPrincipal): Promise<Response>;
  close(): Promise<void>;
};

/** An import of full size. */
const largestRequestBytes = 16_777_216;
const listCache = { ttlMs: 300_000, cacheScope: 'private' } as const;
const instructions =
  'Remembers across conversations. Call recall before you begin, and remember what will matter later: decisions, preferences, names of things. Scope user is for this person alone, hub for everybody here.';

/** Makes the handler; it keeps nothing between requests. */
export function memoryHandler(
  memory: MemoryConnection,
  version: string,
  onFault: (fault: unknown) => void,
): MemoryHandler {
  // The SDK hands this very object to the factory, and nothing else of ours.
  const callers = new WeakMap<AuthInfo, MemoryPrincipal>();
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const who = authInfo && callers.get(authInfo);
      if (!who) throw new TypeError('a request arrived without its caller');
      return serverFor(memory, who, version);
    },
    { maxRequestBodySize: largestRequestBytes, onerror: onFault },
  );
  return {
    answer(request, who) {
      const authInfo: AuthInfo = { token: '', clientId: who.person.personId, scopes: [] };
      callers.set(authInfo, who);
      return handler.fetch(request, { authInfo });
    },
    close: () => handler.close(),
  };
}

function serverFor(memory: MemoryConnection, who: MemoryPrincipal, version: string): Server {
  const options = { capabilities: { tools: {} }, instructions, cacheHints: { 'tools/list': listCache } };
  const server = new Server({ name: 'vp-memory', title: 'vp memory', version }, options);
  server.setRequestHandler('tools/list', async () => ({
    tools: memory.listTools().map((definition) => ({ ...definition, inputSchema: { ...definition.inputSchema } })),
  }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const result = await memory.callTool(who, params.name, params.arguments);
    if (result) return { ...result };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${params.name.slice(0, 100)}`);
  });
  return server;
}
