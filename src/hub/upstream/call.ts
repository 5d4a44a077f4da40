/** A call on its way to an upstream server, and how what comes back beside its answer finds it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { HubPrincipal } from '../words.ts';

/** What a server asks of the caller in the midst of a call: sampling, elicitation, roots. */
export type Question = { readonly method: string; readonly params: Record<string, unknown> };

/** What a caller gives with a call, and hears of it before the answer. */
export type UpstreamCall = {
  /** Whose upstream session is used, where the server keeps state by session. */
  readonly personId: string;
  /** Who calls, for what stands in this process; servers are not told. Undefined where nobody waits. */
  readonly principal?: HubPrincipal | undefined;
  /** The caller's own: the server is told these, not ours. */
  readonly capabilities: ClientCapabilities;
  /** Aborted when the caller leaves or cancels. */
  readonly signal: AbortSignal;
  readonly onProgress: ((progress: Record<string, unknown>) => void) | undefined;
  readonly onLog: ((message: Record<string, unknown>) => void) | undefined;
  /** The least severe messages wanted; undefined for none. */
  readonly logLevel: string | undefined;
  /** How long the server may stay silent; undefined for what holds for all. */
  readonly timeoutMs?: number | undefined;
  /** Longer answers are not read to their end; undefined for what holds for all. */
  readonly answerBytes?: number | undefined;
  /** Answers a question of the server; undefined where nobody can be asked. */
  readonly ask: ((question: Question) => Promise<Record<string, unknown>>) | undefined;
  /** Further headers towards the server, such as `Mcp-Param-…`. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** The call while it is with the upstream. */
export type FlyingCall = {
  readonly call: UpstreamCall;
  /** See {@link UpstreamCall.answerBytes}. */
  readonly mostBytes: number | undefined;
  /** Hears that the stream of its answer has ended. */
  onStreamEnd(problem: unknown, resumable: boolean): void;
};

const flying = new AsyncLocalStorage<FlyingCall>();

/** Runs `work` so that messages which arrive with its answer are of `call`. */
export function asCall<T>(call: FlyingCall, work: () => T): T {
  return flying.run(call, work);
}

/** The call that the code in hand works for: messages on the stream of its answer are handled there. */
export function currentCall(): FlyingCall | undefined {
  return flying.getStore();
}

/**
 * The call that a message is about: the one on whose stream it came; else the only one there is, or the last, where all are of the
 * same caller. Undefined where it could be anybody's.
 */
export function concernedCall(all: ReadonlySet<FlyingCall>): UpstreamCall | undefined {
  const [first, ...others] = all;
  const own = currentCall() ?? (others.length === 0 ? first : undefined);
  if (own) return own.call;
  const last = others.at(-1)?.call;
  return others.every(({ call }) => isSameCaller(call, first?.call)) ? last : undefined;
}

function isSameCaller(one: UpstreamCall, other: UpstreamCall | undefined): boolean {
  const [a, b] = [one.principal, other?.principal];
  return a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b);
}

/** Runs `work` for no call at all, such as a connection that outlives the one that opened it. */
export function forNoCall<T>(work: () => T): T {
  return flying.exit(work);
}

/** The part of a caller's capabilities that servers may use; whatever is not known here stays away. */
export function forwardedCapabilities({ sampling, elicitation, roots }: ClientCapabilities): ClientCapabilities {
  return {
    ...(sampling === undefined ? {} : { sampling }),
    ...(elicitation === undefined ? {} : { elicitation }),
    ...(roots === undefined ? {} : { roots }),
  };
}
