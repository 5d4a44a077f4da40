/** Calls to executors: connections, bounds, and what becomes of failures. */
import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { VpError, vpError } from '../errors/vp-error.ts';
import { StreamFault } from './event-stream.ts';

/** How long an executor may take. Milliseconds. */
export type UpstreamLimits = {
  readonly connectMs: number;
  /** To the head of an answer: tools wait up to 120 s for a run. */
  readonly headMs: number;
  /** Between two pieces of a body; streams are kept alive every 15 s. */
  readonly stalledMs: number;
};

/** What holds unless said otherwise; longer than any tool, shorter than the listener's patience. */
export const upstreamLimits: UpstreamLimits = { connectMs: 1_000, headMs: 150_000, stalledMs: 150_000 };

/** The head of an executor's answer and its body, to be read or destroyed. */
export type UpstreamAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
};

/** What is sent. */
export type UpstreamCall = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
};

/** The way to all executors. */
export type Upstream = {
  /** Posts once, whatever happens: a call of a tool must not be carried out twice. */
  post(url: string, call: UpstreamCall): Promise<UpstreamAnswer>;
  close(): Promise<void>;
};

/** A way without connections yet. No proxy, no redirects, no decoding. */
export function openUpstream(limits: UpstreamLimits = upstreamLimits): Upstream {
  const dispatcher = new Agent({
    connect: { timeout: limits.connectMs },
    headersTimeout: limits.headMs,
    bodyTimeout: limits.stalledMs,
    // Given up long before the executor would: a call never leaves on a connection that is just being closed.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 10_000,
    maxHeaderSize: 16_384,
    allowH2: false,
  });
  return {
    async post(url, { headers, body, signal }) {
      const answer = await request(url, { dispatcher, method: 'POST', headers, body: Buffer.from(body), signal });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    },
    close: () => dispatcher.destroy(),
  };
}

/** What failed, and where. */
export type FailedAt = { readonly instance: string; readonly url: string };

/** Nothing can have been done: no connection came about. */
const before: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time',
  ETIMEDOUT: 'no connection came about in time',
  ENOTFOUND: 'its host name does not resolve',
  EAI_AGAIN: 'its host name does not resolve at the moment',
  EHOSTUNREACH: 'there is no way to its host',
  ENETUNREACH: 'there is no way to its network',
};
/** It may have been done. */
const after: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  UND_ERR_BODY_TIMEOUT: 'its answer stopped half-way',
  UND_ERR_SOCKET: 'the connection ended before the answer was complete',
  ECONNRESET: 'the connection ended before the answer was complete',
  EPIPE: 'the connection ended before the answer was complete',
};

/** The error to tell for what calling or reading threw. */
export function failureOf(thrown: unknown, at: FailedAt): VpError {
  if (thrown instanceof VpError) return thrown;
  const code = codeOf(thrown);
  const context = { cause: thrown };
  const away = before[code];
  if (away !== undefined) return vpError('ROUTER_EXECUTOR_AWAY', { ...at, problem: away }, context);
  const odd = thrown instanceof StreamFault ? thrown.message : 'its answer is no HTTP of ours';
  return vpError('ROUTER_ANSWER_LOST', { ...at, problem: after[code] ?? odd }, context);
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}
