/** The memory service over MCP. Loads the SDK: import it when the first client calls. */
import { isCallToolResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { createCallerMcpHandler, type McpHandler } from '../http/mcp-handler.ts';
import type { MemoryCaller } from './memory-connection.ts';

/** An import of maximum size. */
const maxRequestBytes = 16_777_216;
const listCache = { ttlMs: 300_000, cacheScope: 'private' } as const;
const instructions =
  'Remembers across conversations. Call recall before you start, and remember what will matter later: decisions, preferences, names. Scope user is for this person only, hub for everybody in the hub.';

export function createMemoryHandler(version: string, onError: (error: unknown) => void): McpHandler<MemoryCaller> {
  return createCallerMcpHandler({
    createServer: (caller) => createServer(caller, version),
    getClientId: ({ personId }) => personId,
    maxRequestBytes,
    onError,
  });
}

function createServer(caller: MemoryCaller, version: string): Server {
  const options = { capabilities: { tools: {} }, instructions, cacheHints: { 'tools/list': listCache } };
  const server = new Server({ name: 'vp-memory', title: 'vp memory', version }, options);
  server.setRequestHandler('tools/list', async () => ({
    tools: [...(await caller.listTools())],
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { id, signal, _meta: meta, envelope } = mcpReq;
    const { name, arguments: args } = params;
    const result = await caller.callTool({ id, name, arguments: args, meta: { ...meta, ...envelope }, signal });
    if (isCallToolResult(result)) return result;
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'the memory service gave no valid result');
  });
  return server;
}
