/** The tools over MCP, in both eras of the protocol. Loads the SDK: import it when the first agent calls. */
import {
  type AuthInfo,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import type { AgentRole } from '../contract/agent-token.ts';
import { asVpError } from '../errors/vp-error.ts';
import { callTool, toolNamed } from './call-tool.ts';
import { toolDefinitions } from './definitions.ts';
import type { AgentPorts } from './ports.ts';
import type { ToolContext } from './tool.ts';

/** Who calls, what it works on, and when the listener closes. */
export type AgentSession = {
  readonly role: AgentRole;
  readonly instance: string;
  readonly ports: AgentPorts;
  readonly closing: AbortSignal | undefined;
};

/** Answers MCP requests of agents that were let in. */
export type AgentHandler = {
  answer(request: Request, session: AgentSession): Promise<Response>;
  close(): Promise<void>;
};

/** A scenario of full length, each character written as six. */
const largestRequestBytes = 6 * 262_144 + 65_536;
/** Tools of a token change with the program only. */
const listCache = { ttlMs: 300_000, cacheScope: 'private' } as const;

const instructions: Readonly<Record<AgentRole, string>> = {
  test: 'Writes and runs scenarios against the application under test. Begin with author__get_executor_status and author__get_guide.',
  product: 'Reads how the application does in its test runs; changes nothing. Begin with product__get_instance_status.',
};

/** Makes the handler; it keeps nothing between requests. */
export function agentHandler(version: string, onFault: (fault: unknown) => void): AgentHandler {
  // The SDK hands this very object to the factory, and nothing else of ours.
  const sessions = new WeakMap<AuthInfo, AgentSession>();
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const session = authInfo && sessions.get(authInfo);
      if (!session) throw new TypeError('a request arrived without its session');
      return serverFor(session, version, onFault);
    },
    { maxRequestBodySize: largestRequestBytes, onerror: onFault },
  );
  return {
    answer(request, session) {
      const authInfo: AuthInfo = { token: '', clientId: session.instance, scopes: [session.role] };
      sessions.set(authInfo, session);
      return handler.fetch(request, { authInfo });
    },
    close: () => handler.close(),
  };
}

function serverFor(session: AgentSession, version: string, onFault: (fault: unknown) => void): Server {
  const { role, ports } = session;
  const options = {
    capabilities: { tools: {} },
    instructions: instructions[role],
    cacheHints: { 'tools/list': listCache },
  };
  const server = new Server({ name: 'vp', title: `vp ${role} agent`, version }, options);
  server.setRequestHandler('tools/list', async () => ({
    tools: toolDefinitions(role).map(({ inputSchema, ...definition }) => {
      return { ...definition, inputSchema: { ...inputSchema, type: 'object' as const } };
    }),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = known(role, params.name);
    const context = contextOf(session, mcpReq.signal, progressTo(mcpReq));
    return callTool({ role, ports, onFault }, tool, params.arguments ?? {}, context);
  });
  return server;
}

/** An unknown name is a fault of the protocol (MCP, tools, error handling). */
function known(role: AgentRole, name: string) {
  try {
    return toolNamed(role, name);
  } catch (error) {
    const { code, message, cure } = asVpError(error);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${message}; ${cure}`, { code, message, cure });
  }
}

function contextOf(
  { instance, closing }: AgentSession,
  signal: AbortSignal,
  progress: ToolContext['progress'],
): ToolContext {
  return { instance, signal: closing ? AbortSignal.any([signal, closing]) : signal, progress };
}

type Requested = {
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  notify(notification: { method: 'notifications/progress'; params: Record<string, unknown> }): Promise<void>;
};

function progressTo({ _meta, notify }: Requested): ToolContext['progress'] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress, total, message) =>
    // Whoever does not hear it has left, which the signal tells.
    notify({ method: 'notifications/progress', params: { progressToken, progress, total, message } }).catch(() => {});
}
