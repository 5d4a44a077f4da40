/** `POST /mcp` of the executor: lets an agent in by its token, and answers it with the tools of its role. */
import type { AgentHandler } from '../agents/mcp-handler.ts';
import type { AgentPorts } from '../agents/ports.ts';
import { type ErrorWords, wordsOf } from '../errors/vp-error.ts';
import { bearerOf } from '../http/bearer.ts';
import type { Log } from '../http/log.ts';
import type { AgentDoor, Verified } from './agent-credentials.ts';

/** What the endpoint is made of. */
export type AgentEndpointOptions = {
  readonly door: AgentDoor;
  /** The ports of an agent: its calls go to the control plane with its own token. */
  portsFor(token: string): AgentPorts;
  readonly version: string;
  readonly log: Pick<Log, 'error'>;
};

/** Answers agents. `closing` is the listener's. */
export type AgentEndpoint = {
  answer(request: Request, closing: AbortSignal | undefined): Promise<Response>;
  /** Ends what is under way. */
  close(): Promise<void>;
};

/** Nothing of MCP is loaded before the first agent was let in. */
export function agentEndpoint({ door, portsFor, version, log }: AgentEndpointOptions): AgentEndpoint {
  const onFault = (fault: unknown): void => log.error({ err: fault }, 'a tool of an agent broke');
  let handler: Promise<AgentHandler> | undefined;
  return {
    async answer(request, closing) {
      const token = tokenOf(request);
      if (token === undefined) return refusal({ kind: 'unrecognized' });
      const verified = await door.verify(token);
      if (verified.kind !== 'known') return refusal(verified);
      const { role, instance } = verified;
      handler ??= import('../agents/mcp-handler.ts').then(({ agentHandler }) => agentHandler(version, onFault));
      return leaving(await (await handler).answer(request, { role, instance, ports: portsFor(token), closing }));
    },
    close: async () => (await handler)?.close(),
  };
}

/** A body that is too large is not read, so the connection ends behind the answer: a router must not send its next call on it. */
function leaving(response: Response): Response {
  if (response.status === 413) response.headers.set('Connection', 'close');
  return response;
}

function tokenOf({ headers }: Request): string | undefined {
  return headers.has('authorization') ? bearerOf(headers) : undefined;
}

/** JSON-RPC's range for errors of servers; MCP gives these two numbers no meaning of their own. */
const rpcCode = { unrecognized: -32_001, unreachable: -32_002 } as const;

function refusal(verified: Exclude<Verified, { kind: 'known' }>): Response {
  if (verified.kind === 'unrecognized') {
    const challenge = { 'WWW-Authenticate': 'Bearer realm="vp", error="invalid_token"' };
    return rpcError(401, rpcCode.unrecognized, wordsOf('AGENT_TOKEN_UNRECOGNIZED', {}), challenge);
  }
  const words = wordsOf('AGENT_TOKEN_UNVERIFIED', { problem: verified.problem, cure: verified.cure });
  return rpcError(503, rpcCode.unreachable, words, { 'Retry-After': '2' });
}

/** Clients show the message, so it has the cure. */
function rpcError(status: number, rpc: number, words: ErrorWords, headers: Record<string, string>): Response {
  const { code, message, cure } = words;
  const error = { code: rpc, message: `${message}: ${cure}`, data: { code, message, cure } };
  return new Response(JSON.stringify({ jsonrpc: '2.0', id: null, error }), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  });
}
