import type { ServerOptions } from 'node:http';

/** How long and how large requests may be before anyone looks at them. Times in milliseconds. */
export type Limits = {
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the end of its body: 12 MB at 100 KB/s. */
  readonly requestMs: number;
  /** An idle kept-alive connection is closed after this. */
  readonly keepAliveMs: number;
  /** A connection on which nothing moves in either direction, long polls (at most 60 s) and heartbeats considered. */
  readonly stalledMs: number;
  /** How often the first two are looked at. */
  readonly checkEveryMs: number;
  /** All header lines together; more bytes or more lines are answered 431 by the parser. */
  readonly headerBytes: number;
  readonly headerLines: number;
  readonly connections: number;
};

/** What holds unless said otherwise. */
export const defaultLimits: Limits = {
  headersMs: 10_000,
  requestMs: 120_000,
  keepAliveMs: 65_000,
  stalledMs: 120_000,
  checkEveryMs: 2_000,
  headerBytes: 16_384,
  headerLines: 100,
  connections: 2_000,
};

/** The limits as node:http takes them. */
export function serverOptionsOf(limits: Limits): ServerOptions {
  return {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    maxHeaderSize: limits.headerBytes,
    // Peers that vanished without a word are noticed after half a minute, so that they hold no event stream.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    noDelay: true,
  };
}
