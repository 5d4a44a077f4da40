/** The memory service over MCP. Loads the SDK: import it when the first client calls. */
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { createCallerMcpHandler, type McpHandler } from '../http/mcp-handler.ts';
import type { MemoryConnection } from './memory-connection.ts';
import type { MemoryPrincipal } from './types.ts';

/** An import of maximum size. */
const maxRequestBytes = 16_777_216;
const listCache = { ttlMs: 300_000, cacheScope: 'private' } as const;
const instructions =
  'Remembers across conversations. Call recall before you start, and remember what will matter later: decisions, preferences, names. Scope user is for this person only, hub for everybody in the hub.';

export function createMemoryHandler(
  memory: MemoryConnection,
  version: string,
  onError: (error: unknown) => void,
): McpHandler<MemoryPrincipal> {
  return createCallerMcpHandler({
    createServer: (principal) => createServer(memory, principal, version),
    getClientId: ({ person }) => person.personId,
    maxRequestBytes,
    onError,
  });
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
