/**
 * Responds for an unreachable executor: lists the same tools, so that an agent's client connects, and returns an error with
 * its fix for every call.
 */
import { type CallToolResult, createMcpHandler, Server } from '@modelcontextprotocol/server';
import type { ToolDefinition } from '../agents/tools/tool.ts';
import type { AgentRole } from '../contract/agents/agent-token.ts';
import { version } from '../environment/version.ts';
import type { VpError } from '../errors/vp-error.ts';

/** Returns the tools of a role, as the executor lists them. */
export type GetToolDefinitions = (role: AgentRole) => readonly ToolDefinition[];

/** A request with its body read. */
export type McpPost = { readonly headers: Headers; readonly body: Uint8Array; readonly signal: AbortSignal };

/** `error` becomes the result of every tool call. */
export async function respondLocally(
  { headers, body, signal }: McpPost,
  tools: readonly ToolDefinition[],
  error: VpError,
): Promise<Response> {
  const handler = createMcpHandler(() => createLocalServer(tools, error), { maxRequestBodySize: body.length + 1 });
  const localRequest = new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers,
    body: Uint8Array.from(body),
    signal,
  });
  return handler.fetch(localRequest);
}

function createLocalServer(tools: readonly ToolDefinition[], error: VpError): Server {
  const server = new Server({ name: 'vp', version }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ inputSchema, ...definition }) => {
      return { ...definition, inputSchema: { ...inputSchema, type: 'object' as const } };
    }),
  }));
  server.setRequestHandler('tools/call', () => toToolResult(error));
  return server;
}

/** An error in the form of the executor's tools. */
function toToolResult({ code, message, cure }: VpError): CallToolResult {
  const text = `${code}: ${message}\nCure: ${cure}`;
  return { isError: true, content: [{ type: 'text', text }], structuredContent: { code, message, cure } };
}
