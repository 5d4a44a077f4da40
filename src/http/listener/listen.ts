/** The HTTP listener of all roles: from a socket to the app. */
import { createServer, type Server } from 'node:http';
import type { Clock } from '../../environment/clock.ts';
import type { ListenerLog } from '../log.ts';
import { type BoundAddress, bindServer, type ListenAddress } from './bind.ts';
import { defaultListenerLimits, type ListenerLimits, toServerOptions } from './limits.ts';
import { createRequestListener, type NodeHandler, type RequestListenerOptions } from './request-listener.ts';

/** `createHandler` gets the signal of {@link HttpListener.close}. */
export type HttpServerOptions = ListenAddress & {
  readonly createHandler: (closing: AbortSignal) => NodeHandler;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: ListenerLog;
  readonly limits?: Partial<ListenerLimits> | undefined;
};

export type ListenOptions = ListenAddress & RequestListenerOptions & Pick<HttpServerOptions, 'clock' | 'limits'>;

/** An open listener. `address` and `url` have the actual port. */
export type HttpListener = BoundAddress & {
  /**
   * Stops accepting, closes idle connections, aborts the `closing` signal of open requests and refuses new ones on open
   * connections (SHUTTING_DOWN), waits up to `graceMs` for the rest, then closes all connections. Further calls return
   * the same promise.
   */
  close(graceMs?: number): Promise<void>;
};

/** Rejects with LISTEN_ADDRESS_TAKEN or LISTEN_REFUSED. */
export function listen(options: ListenOptions): Promise<HttpListener> {
  return openServer({ ...options, createHandler: (closing) => createRequestListener(options, closing) });
}

/** A listener without guards. Rejects with LISTEN_ADDRESS_TAKEN or LISTEN_REFUSED. */
export async function openServer(options: HttpServerOptions): Promise<HttpListener> {
  const { log } = options;
  const limits = { ...defaultListenerLimits, ...options.limits };
  const closing = new AbortController();
  const server = createServer(toServerOptions(limits), options.createHandler(closing.signal));
  server.maxHeadersCount = limits.headerLines;
  server.maxConnections = limits.connections;
  server.setTimeout(limits.stalledMs);
  const address = await bindServer(server, options);
  server.on('error', (error) => log.error({ err: error }, 'the listener failed'));
  server.on('request', (_incoming, outgoing) => {
    outgoing.once('close', () => closing.signal.aborted && setImmediate(() => server.closeIdleConnections()));
  });
  let closed: Promise<void> | undefined;
  return {
    ...address,
    close(graceMs = 5_000) {
      closed ??= closeServer(server, closing, options.clock, graceMs);
      return closed;
    },
  };
}

function closeServer(
  server: Server,
  closing: AbortController,
  clock: Pick<Clock, 'after'>,
  graceMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(graceMs, () => server.closeAllConnections());
    server.close(() => {
      cancel();
      resolve();
    });
    closing.abort();
    server.closeIdleConnections();
  });
}
