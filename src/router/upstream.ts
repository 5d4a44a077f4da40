/** Calls to executors: connections, timeouts and errors. */
import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { type ConnectionProblemKind, findConnectionProblem } from '../errors/connection-problems.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import { EventStreamError } from './event-stream.ts';

/** In milliseconds. */
export type UpstreamTimeouts = {
  readonly connectMs: number;
  /** To the headers of a response: tools wait up to 120 s for a run. */
  readonly headersMs: number;
  /** Between two chunks of a body; streams send a heartbeat every 15 s. */
  readonly stalledMs: number;
};

/** Longer than any tool takes, shorter than the timeout of the listener. */
export const defaultUpstreamTimeouts: UpstreamTimeouts = { connectMs: 1_000, headersMs: 150_000, stalledMs: 150_000 };

/** The body must be read or destroyed. */
export type ExecutorResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
};

export type UpstreamRequest = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
};

export type Upstream = {
  /** Never retries: a tool call must not be executed twice. */
  post(url: string, upstreamRequest: UpstreamRequest): Promise<ExecutorResponse>;
  close(): Promise<void>;
};

/** Does not connect yet. No proxy, no redirects, no decoding. */
export function openUpstream(timeouts: UpstreamTimeouts = defaultUpstreamTimeouts): Upstream {
  const dispatcher = new Agent({
    connect: { timeout: timeouts.connectMs },
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.stalledMs,
    // Shorter than the executor's: a call is never sent on a connection that is being closed.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 10_000,
    maxHeaderSize: 16_384,
    allowH2: false,
  });
  return {
    async post(url, { headers, body, signal }) {
      const response = await request(url, { dispatcher, method: 'POST', headers, body: Buffer.from(body), signal });
      return { status: response.statusCode, headers: response.headers, body: response.body };
    },
    close: () => dispatcher.destroy(),
  };
}

export type ExecutorEndpoint = { readonly instance: string; readonly url: string };

/** There was no connection, so the call was not sent; after all others it may have been executed. */
const notSentKinds: ReadonlySet<ConnectionProblemKind> = new Set(['refused', 'unresolved', 'unreachable']);
const notSentCodes: ReadonlySet<string> = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);

/** ROUTER_EXECUTOR_AWAY if the call was not sent, else ROUTER_ANSWER_LOST. */
export function toExecutorError(thrown: unknown, endpoint: ExecutorEndpoint): VpError {
  if (thrown instanceof VpError) return thrown;
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  const problem = findConnectionProblem(code);
  const context = { cause: thrown };
  if (problem && (notSentKinds.has(problem.kind) || notSentCodes.has(code)))
    return vpError('ROUTER_EXECUTOR_AWAY', { ...endpoint, problem: problem.meaning }, context);
  const fallbackReason = thrown instanceof EventStreamError ? thrown.message : 'its response is not valid HTTP';
  return vpError('ROUTER_ANSWER_LOST', { ...endpoint, problem: problem?.meaning ?? fallbackReason }, context);
}
