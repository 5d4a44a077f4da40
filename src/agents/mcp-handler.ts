/** Serves the tools over MCP. Loads the SDK: import it when the first agent calls. */
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { AgentRole } from '../contract/agents/agent-token.ts';
import { toVpError } from '../errors/vp-error.ts';
import { createCallerMcpHandler, type McpHandler } from '../http/mcp-handler.ts';
import { maxCompleteLength } from '../scenario/text-limits.ts';
import type { AgentPorts } from './ports.ts';
import { callTool, findTool } from './tools/call-tool.ts';
import type { ToolContext } from './tools/tool.ts';
import { listToolDefinitions } from './tools/tool-list.ts';

/** The calling agent, the ports its tools use, and a signal that aborts when the listener closes. */
export type AgentSession = {
  readonly role: AgentRole;
  readonly instance: string;
  readonly ports: AgentPorts;
  readonly closing: AbortSignal | undefined;
};

/** A scenario of maximum length with each character escaped as six. */
const maxRequestBytes = 6 * maxCompleteLength + 65_536;
/** The tool list of a token changes only with a new version of the program. */
const listCacheHints = { ttlMs: 300_000, cacheScope: 'private' } as const;

const instructions: Readonly<Record<AgentRole, string>> = {
  test: 'Writes and runs scenarios against the application under test. Begin with author__get_executor_status and author__get_guide.',
  product:
    'Reads the results of the application’s test runs; changes nothing. Begin with product__get_instance_status.',
};

export function createAgentMcpHandler(version: string, onError: (error: unknown) => void): McpHandler<AgentSession> {
  return createCallerMcpHandler({
    createServer: (session) => createServer(session, version, onError),
    getClientId: ({ instance }) => instance,
    maxRequestBytes,
    onError,
  });
}

function createServer(session: AgentSession, version: string, onError: (error: unknown) => void): Server {
  const { role, ports } = session;
  const options = {
    capabilities: { tools: {} },
    instructions: instructions[role],
    cacheHints: { 'tools/list': listCacheHints },
  };
  const server = new Server({ name: 'vp', title: `vp ${role} agent`, version }, options);
  server.setRequestHandler('tools/list', async () => ({
    tools: listToolDefinitions(role).map(({ inputSchema, ...definition }) => {
      return { ...definition, inputSchema: { ...inputSchema, type: 'object' as const } };
    }),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = findToolOrFail(role, params.name);
    const context = createContext(session, mcpReq.signal, createProgress(mcpReq));
    return callTool({ role, ports, onError }, tool, params.arguments ?? {}, context);
  });
  return server;
}

/** An unknown tool name is a protocol error (MCP, tools, error handling). */
function findToolOrFail(role: AgentRole, name: string) {
  try {
    return findTool(role, name);
  } catch (error) {
    const { code, message, cure } = toVpError(error);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${message}; ${cure}`, { code, message, cure });
  }
}

function createContext(
  { instance, closing }: AgentSession,
  signal: AbortSignal,
  progress: ToolContext['progress'],
): ToolContext {
  return { instance, signal: closing ? AbortSignal.any([signal, closing]) : signal, progress };
}

type ProgressRequest = {
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  notify(notification: { method: 'notifications/progress'; params: Record<string, unknown> }): Promise<void>;
};

function createProgress({ _meta, notify }: ProgressRequest): ToolContext['progress'] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress, total, message) =>
    // A client that no longer receives notifications has disconnected; the signal reports that.
    notify({ method: 'notifications/progress', params: { progressToken, progress, total, message } }).catch(() => {});
}
