/** The memory service over MCP, in both protocol eras. Loads the SDK: import it when the first client calls. */
import {
  type AuthInfo,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import type { MemoryConnection } from './memory-connection.ts';
import type { MemoryPrincipal } from './types.ts';

/** Handles MCP requests of authenticated callers. */
export type MemoryHandler = {
  handle(request: Request, principal: MemoryPrincipal): Promise<Response>;
  close(): Promise<void>;
};

/** An import of maximum size. */
const maxRequestBytes = 16_777_216;
const listCache = { ttlMs: 300_000, cacheScope: 'private' } as const;
const instructions =
  'Remembers across conversations. Call recall before you start, and remember what will matter later: decisions, preferences, names. Scope user is for this person only, hub for everybody in the hub.';

/** Keeps nothing between requests. */
export function createMemoryHandler(
  memory: MemoryConnection,
  version: string,
  onError: (error: unknown) => void,
): MemoryHandler {
  // The SDK passes only this object to the factory.
  const callers = new WeakMap<AuthInfo, MemoryPrincipal>();
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const principal = authInfo && callers.get(authInfo);
      if (!principal) throw new TypeError('the request has no caller');
      return createServer(memory, principal, version);
    },
    { maxRequestBodySize: maxRequestBytes, onerror: onError },
  );
  return {
    handle(request, principal) {
      const authInfo: AuthInfo = { token: '', clientId: principal.person.personId, scopes: [] };
      callers.set(authInfo, principal);
      return handler.fetch(request, { authInfo });
    },
    close: () => handler.close(),
  };
}

function createServer(memory: MemoryConnection, principal: MemoryPrincipal, version: string): Server {
  const options = { capabilities: { tools: {} }, instructions, cacheHints: { 'tools/list': listCache } };
  const server = new Server({ name: 'vp-memory', title: 'vp memory', version }, options);
  server.setRequestHandler('tools/list', async () => ({
    tools: memory.listTools().map((definition) => ({ ...definition, inputSchema: { ...definition.inputSchema } })),
  }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const result = await memory.callTool(principal, params.name, params.arguments);
    if (result) return { ...result };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool ${params.name.slice(0, 100)}`);
  });
  return server;
}
