/**
 * What the router says in the place of an executor that is away: the same tools, so that an agent's client connects, and to
 * every call an error with its cure.
 */
import { type CallToolResult, createMcpHandler, Server } from '@modelcontextprotocol/server';
import type { ToolDefinition } from '../agents/tool.ts';
import type { AgentRole } from '../contract/agent-token.ts';
import { version } from '../environment/version.ts';
import type { VpError } from '../errors/vp-error.ts';

/** The definitions of a role's tools, as the executor lists them. */
export type ToolsOf = (role: AgentRole) => readonly ToolDefinition[];

/** The request as it came: its body was read. */
export type Posted = { readonly headers: Headers; readonly body: Uint8Array; readonly signal: AbortSignal };

/** Answers `posted` in the place of an executor; `error` becomes the result of every call. */
export async function answerLocally(
  { headers, body, signal }: Posted,
  tools: readonly ToolDefinition[],
  error: VpError,
): Promise<Response> {
  const handler = createMcpHandler(() => serverOf(tools, error), { maxRequestBodySize: body.length + 1 });
  const copy = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: Uint8Array.from(body), signal });
  return handler.fetch(copy);
}

function serverOf(tools: readonly ToolDefinition[], error: VpError): Server {
  const server = new Server({ name: 'vp', version }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ inputSchema, ...definition }) => {
      return { ...definition, inputSchema: { ...inputSchema, type: 'object' as const } };
    }),
  }));
  server.setRequestHandler('tools/call', () => resultOf(error));
  return server;
}

/** An error as tools of the executor tell theirs. */
function resultOf({ code, message, cure }: VpError): CallToolResult {
  const text = `${code}: ${message}\nCure: ${cure}`;
  return { isError: true, content: [{ type: 'text', text }], structuredContent: { code, message, cure } };
}
