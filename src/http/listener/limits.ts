import type { ServerOptions } from 'node:http';

/** Limits for connections and requests before any handler runs. Times in milliseconds. */
export type ListenerLimits = {
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the end of its body; enough for 12 MB at 100 KB/s. */
  readonly requestMs: number;
  /** An idle kept-alive connection is closed after this. */
  readonly keepAliveMs: number;
  /** A connection without data in either direction is closed after this; longer than long polls (60 s) and heartbeats. */
  readonly stalledMs: number;
  /** How often the first two are checked. */
  readonly checkEveryMs: number;
  /** All header lines together; the parser answers more bytes or more lines with 431. */
  readonly headerBytes: number;
  readonly headerLines: number;
  readonly connections: number;
};

export const defaultListenerLimits: ListenerLimits = {
  headersMs: 10_000,
  requestMs: 120_000,
  keepAliveMs: 65_000,
  stalledMs: 120_000,
  checkEveryMs: 2_000,
  headerBytes: 16_384,
  headerLines: 100,
  connections: 2_000,
};

export function toServerOptions(limits: ListenerLimits): ServerOptions {
  return {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    maxHeaderSize: limits.headerBytes,
    // Dead peers are detected after half a minute, so that they do not occupy an event stream.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    noDelay: true,
  };
}
