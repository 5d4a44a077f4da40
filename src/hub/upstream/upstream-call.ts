/** The options of a call, and how incoming messages find their call. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { HubPrincipal } from '../types.ts';

/** A request of a server to the caller during a call: sampling, elicitation, roots. */
export type UpstreamQuestion = { readonly method: string; readonly params: Record<string, unknown> };

export type UpstreamCallOptions = {
  /** Selects the upstream session, for servers that keep state by session. */
  readonly personId: string;
  /** For services in this process; not sent to servers. Undefined for calls without a caller. */
  readonly principal?: HubPrincipal | undefined;
  /** The caller's capabilities, which are sent to the server instead of ours. */
  readonly capabilities: ClientCapabilities;
  /** Aborted when the caller leaves or cancels. */
  readonly signal: AbortSignal;
  readonly onProgress: ((progress: Record<string, unknown>) => void) | undefined;
  readonly onLog: ((message: Record<string, unknown>) => void) | undefined;
  /** The lowest severity to receive; undefined for none. */
  readonly logLevel: string | undefined;
  /** How long the server may stay silent; undefined for the default. */
  readonly timeoutMs?: number | undefined;
  /** Longer responses are aborted; undefined for the default. */
  readonly maxResponseBytes?: number | undefined;
  /** Answers a question of the server; undefined if the caller cannot be asked. */
  readonly askCaller: ((question: UpstreamQuestion) => Promise<Record<string, unknown>>) | undefined;
  /** Further headers, such as `Mcp-Param-…`. */
  readonly headers?: Readonly<Record<string, string>>;
};

export type InFlightCall = {
  readonly call: UpstreamCallOptions;
  readonly maxBytes: number | undefined;
  /** Called when the response stream has ended. */
  onStreamEnd(error: unknown, resumable: boolean): void;
};

const inFlight = new AsyncLocalStorage<InFlightCall>();

/** Runs `work` so that messages arriving with its response belong to `call`. */
export function runAsCall<T>(call: InFlightCall, work: () => T): T {
  return inFlight.run(call, work);
}

/** The call of the current asynchronous context: messages on its response stream are handled there. */
export function getCurrentCall(): InFlightCall | undefined {
  return inFlight.getStore();
}

/**
 * The call that a message concerns: the one on whose stream it arrived; otherwise the only one, or the last if all have
 * the same caller. Undefined if it is ambiguous.
 */
export function findConcernedCall(inFlightCalls: ReadonlySet<InFlightCall>): UpstreamCallOptions | undefined {
  const [first, ...rest] = inFlightCalls;
  const current = getCurrentCall() ?? (rest.length === 0 ? first : undefined);
  if (current) return current.call;
  const last = rest.at(-1)?.call;
  return rest.every(({ call }) => isSameCaller(call, first?.call)) ? last : undefined;
}

function isSameCaller(first: UpstreamCallOptions, second: UpstreamCallOptions | undefined): boolean {
  const [a, b] = [first.principal, second?.principal];
  return a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b);
}

/** Runs `work` outside of any call, such as a connection that outlives the call that opened it. */
export function runOutsideCalls<T>(work: () => T): T {
  return inFlight.exit(work);
}

/** The capabilities that servers may use; unknown ones are dropped. */
export function pickForwardedCapabilities({ sampling, elicitation, roots }: ClientCapabilities): ClientCapabilities {
  return {
    ...(sampling === undefined ? {} : { sampling }),
    ...(elicitation === undefined ? {} : { elicitation }),
    ...(roots === undefined ? {} : { roots }),
  };
}
