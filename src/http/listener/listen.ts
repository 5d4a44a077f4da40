/** The HTTP listener of all roles: from a socket to the app. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import type { HttpEnv } from '../create-app.ts';
import type { ListenerLog } from '../log.ts';
import { createProblemResponse } from '../problem.ts';
import { type BoundAddress, bindServer, type ListenAddress } from './bind.ts';
import { type CrossOriginPolicy, handleCrossOrigin } from './cors.ts';
import { createHostGuard, createOriginGuard, parseHostName, type RequestGuard } from './guards.ts';
import { defaultListenerLimits, type ListenerLimits, toServerOptions } from './limits.ts';
import type { RequestHead } from './request-head.ts';
import { createRequestIds, getPeerAddress } from './request-head.ts';

/** On every response of every listener; a route may set its own Content-Security-Policy for a page. */
const securityHeaders: Map<string, string> = new Map([
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
]);

export type RequestHandler = (request: Request, env: HttpEnv) => Response | Promise<Response>;

/** What a raw handler knows of its request. */
export type RawContext = Required<HttpEnv> & {
  /** Writes a web response, and reads what is left of the request's body. */
  respond(response: Response): void;
};

/** Handles some requests on the node:http request and response, behind the same guards as the rest. */
export type RawHandler = {
  /** `path` is the request's target without its query. */
  accepts(path: string, incoming: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): boolean;
  handle(incoming: IncomingMessage, outgoing: ServerResponse, context: RawContext): void;
};

export type ListenOptions = ListenAddress & {
  readonly handler: RequestHandler;
  /** The first that accepts a request handles it. */
  readonly raw?: readonly RawHandler[];
  /** URLs of this listener besides loopback; requests for their hosts and from their origins are accepted. */
  readonly publicUrls?: readonly URL[];
  /** What scripts of other origins may call; nothing without it. */
  readonly crossOrigin?: CrossOriginPolicy | undefined;
  /** Further names of this listener in a container network; with names, its own address is accepted too. */
  readonly hostNames?: readonly string[];
  /** Requests for these host names go to this handler only. */
  readonly separateHandler?: { readonly hostNames: readonly string[]; readonly handler: RequestHandler };
  /** Addresses of proxies whose X-Forwarded-For is trusted; none by default. */
  readonly trustedProxies?: readonly string[];
  readonly clock: Pick<Clock, 'after'>;
  readonly random: Pick<Random, 'token'>;
  readonly log: ListenerLog;
  readonly limits?: Partial<ListenerLimits>;
};

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
export async function listen(options: ListenOptions): Promise<HttpListener> {
  const { publicUrls = [], hostNames = [], separateHandler, log } = options;
  const limits = { ...defaultListenerLimits, ...options.limits };
  const separateUrls = (separateHandler?.hostNames ?? []).map((name) => new URL(`http://${name}`));
  const guards = [
    createHostGuard([...publicUrls, ...separateUrls], hostNames),
    createOriginGuard(publicUrls, options.crossOrigin),
  ];
  const closing = new AbortController();
  const server = createServer(toServerOptions(limits), requestListener(options, guards, closing.signal));
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

function requestListener(options: ListenOptions, guards: readonly RequestGuard[], closing: AbortSignal) {
  const createRequestId = createRequestIds(options.random);
  const findRefusal = (incoming: RequestHead): VpError | undefined =>
    guards.map((guard) => guard(incoming)).find((error) => error !== undefined) ??
    (closing.aborted ? vpError('SHUTTING_DOWN', {}) : undefined);
  const createEnv = (
    incoming: Pick<IncomingMessage, 'headers' | 'socket'>,
    outgoing: { setHeader(name: string, value: string): unknown },
  ): Required<HttpEnv> => {
    const requestId = createRequestId(incoming.headers['x-request-id']);
    outgoing.setHeader('X-Request-Id', requestId);
    return { requestId, closing, address: getPeerAddress(incoming, options.trustedProxies) };
  };
  const errorHandler = (thrown: unknown): Response => toErrorResponse(thrown, options.log);
  const listener = getRequestListener(
    (request, { incoming, outgoing }) => {
      const env = createEnv(incoming, outgoing);
      const refusal = findRefusal(incoming);
      if (refusal) return createProblemResponse(refusal);
      const handler = isForSeparateHandler(options, incoming) ? options.separateHandler.handler : options.handler;
      return handler(request, env);
    },
    { errorHandler },
  );
  const handleRaw = (raw: RawHandler, incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const respond = (response: Response): void =>
      void getRequestListener(() => response, { errorHandler })(incoming, outgoing);
    raw.handle(incoming, outgoing, { ...createEnv(incoming, outgoing), respond });
  };
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    outgoing.setHeaders(securityHeaders);
    if (closing.aborted) outgoing.shouldKeepAlive = false;
    const { crossOrigin } = options;
    if (crossOrigin && !findRefusal(incoming) && handleCrossOrigin(crossOrigin, incoming, outgoing)) return;
    const path = incoming.url?.split('?', 1)[0] ?? '';
    // Refused requests go to the other listener, which writes problem responses.
    const raw = options.raw?.find((candidate) => candidate.accepts(path, incoming));
    if (raw && !isForSeparateHandler(options, incoming) && !findRefusal(incoming)) handleRaw(raw, incoming, outgoing);
    else void listener(incoming, outgoing);
  };
}

type WithSeparateHandler = ListenOptions & Required<Pick<ListenOptions, 'separateHandler'>>;

function isForSeparateHandler(options: ListenOptions, incoming: RequestHead): options is WithSeparateHandler {
  const name = options.separateHandler && parseHostName(incoming);
  return name !== undefined && options.separateHandler?.hostNames.includes(name) === true;
}

/** The response for an unreadable request, or for an error of the handler. */
function toErrorResponse(thrown: unknown, log: ListenerLog): Response {
  if (thrown instanceof RequestError) {
    return createProblemResponse(vpError('REQUEST_INVALID', { where: 'the request line', problem: 'cannot be read' }));
  }
  log.error({ err: thrown }, 'a handler failed');
  return createProblemResponse(thrown);
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
