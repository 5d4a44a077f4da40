/** `POST /mcp` of the executor: authenticates an agent by its token and serves the tools of its role. */
import type { AgentSession } from '../../agents/mcp-handler.ts';
import type { AgentPorts } from '../../agents/ports.ts';
import { type ErrorText, formatError } from '../../errors/vp-error.ts';
import { readBearerToken } from '../../http/bearer.ts';
import type { ListenerLog } from '../../http/log.ts';
import type { McpHandler } from '../../http/mcp-handler.ts';
import type { AgentAuthenticator, AgentVerification } from './agent-authenticator.ts';

export type AgentEndpointOptions = {
  readonly authenticator: AgentAuthenticator;
  /** The ports of one agent: its calls to the control plane carry its own token. */
  createPorts(token: string): AgentPorts;
  readonly version: string;
  readonly log: Pick<ListenerLog, 'error'>;
};

/** Handles requests of agents. `closing` is the listener's signal. */
export type AgentEndpoint = {
  handle(request: Request, closing: AbortSignal | undefined): Promise<Response>;
  /** Ends the calls in progress. */
  close(): Promise<void>;
};

/** The MCP code is loaded after the first successful authentication. */
export function createAgentEndpoint({ authenticator, createPorts, version, log }: AgentEndpointOptions): AgentEndpoint {
  const onError = (error: unknown): void => log.error({ err: error }, 'a tool call of an agent failed');
  let handler: Promise<McpHandler<AgentSession>> | undefined;
  return {
    async handle(request, closing) {
      const token = readToken(request);
      if (token === undefined) return createRefusal({ kind: 'unrecognized' });
      const verified = await authenticator.verify(token);
      if (verified.kind !== 'known') return createRefusal(verified);
      const { role, instance } = verified;
      handler ??= import('../../agents/mcp-handler.ts').then(({ createAgentMcpHandler: agentHandler }) =>
        agentHandler(version, onError),
      );
      return closeWhenTooLarge(
        await (await handler).handle(request, { role, instance, ports: createPorts(token), closing }),
      );
    },
    close: async () => (await handler)?.close(),
  };
}

/** A body that is too large is not read, so the connection is closed after the response: a router must not reuse it. */
function closeWhenTooLarge(response: Response): Response {
  if (response.status === 413) response.headers.set('Connection', 'close');
  return response;
}

function readToken({ headers }: Request): string | undefined {
  return headers.has('authorization') ? readBearerToken(headers) : undefined;
}

/** The JSON-RPC range for server errors; MCP does not define these two codes. */
const rpcCodes = { unrecognized: -32_001, unreachable: -32_002 } as const;

function createRefusal(verified: Exclude<AgentVerification, { kind: 'known' }>): Response {
  if (verified.kind === 'unrecognized') {
    const challenge = { 'WWW-Authenticate': 'Bearer realm="vp", error="invalid_token"' };
    return createRpcError(401, rpcCodes.unrecognized, formatError('AGENT_TOKEN_UNRECOGNIZED', {}), challenge);
  }
  const errorText = formatError('AGENT_TOKEN_UNVERIFIED', { problem: verified.problem, cure: verified.cure });
  return createRpcError(503, rpcCodes.unreachable, errorText, { 'Retry-After': '2' });
}

/** Clients display the message, so it includes the fix. */
function createRpcError(status: number, rpc: number, errorText: ErrorText, headers: Record<string, string>): Response {
  const { code, message, cure } = errorText;
  const error = { code: rpc, message: `${message}: ${cure}`, data: { code, message, cure } };
  return new Response(JSON.stringify({ jsonrpc: '2.0', id: null, error }), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  });
}
