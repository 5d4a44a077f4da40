/** One listener: what five roles have in common between a socket and their app. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { type VpError, vpError } from '../errors/vp-error.ts';
import type { HttpEnv } from './app.ts';
import { bind, type ListenAt, type ListeningAt } from './bind.ts';
import { answerScripts, type CrossOrigin } from './cors.ts';
import { type Guard, hostGuard, hostNameOf, originGuard, type RequestHead } from './guards.ts';
import { defaultLimits, type Limits, serverOptionsOf } from './limits.ts';
import type { Log } from './log.ts';
import { peerAddress } from './peer-address.ts';
import { problemResponse } from './problem.ts';
import { requestIds } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';

/** Answers a request; apps of Hono do by their `fetch`. */
export type Handler = (request: Request, env: HttpEnv) => Response | Promise<Response>;

/** Answers some paths on the bare connection, behind the same guards as everything else. */
export type RawHandler = {
  accepts(path: string): boolean;
  handle(incoming: IncomingMessage, outgoing: ServerResponse, address: string): void;
};

/** Where and how to listen; port 0 takes a free one. */
export type ListenOptions = ListenAt & {
  readonly handler: Handler;
  readonly raw?: RawHandler;
  /** URLs under which browsers and callers reach this listener besides loopback; their hosts and origins are ours. */
  readonly publicUrls?: readonly URL[];
  /** What scripts of other origins may reach; nothing without it. */
  readonly crossOrigin?: CrossOrigin | undefined;
  /** Further names of this listener in a container network; by these its own address is one too. */
  readonly hostNames?: readonly string[];
  /** Requests for these names go to this handler and nowhere else. */
  readonly aside?: { readonly hostNames: readonly string[]; readonly handler: Handler };
  /** Addresses of proxies whose word about where a request comes from is taken; nobody's unless given. */
  readonly proxies?: readonly string[];
  readonly clock: Pick<Clock, 'after'>;
  readonly random: Pick<Random, 'token'>;
  readonly log: Log;
  readonly limits?: Partial<Limits>;
};

/** A listener in use. `address` and `url` name the port that was taken. */
export type Listening = ListeningAt & {
  /**
   * Stops accepting, ends idle connections, tells waiting requests (their `closing` signal) and new ones on open
   * connections (SHUTTING_DOWN), waits up to `graceMs` for the rest, then cuts them off. Calling again waits for the
   * same end.
   */
  close(graceMs?: number): Promise<void>;
};

/** Starts to listen. Rejects with LISTEN_ADDRESS_TAKEN or LISTEN_REFUSED. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { publicUrls = [], hostNames = [], aside, log } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const asideNames = (aside?.hostNames ?? []).map((name) => new URL(`http://${name}`));
  const guards = [hostGuard([...publicUrls, ...asideNames], hostNames), originGuard(publicUrls, options.crossOrigin)];
  const closing = new AbortController();
  const server = createServer(serverOptionsOf(limits), requestListener(options, guards, closing.signal));
  server.maxHeadersCount = limits.headerLines;
  server.maxConnections = limits.connections;
  server.setTimeout(limits.stalledMs);
  const bound = await bind(server, options);
  server.on('error', (error) => log.error({ err: error }, 'the listener failed'));
  server.on('request', (_incoming, outgoing) => {
    outgoing.once('close', () => closing.signal.aborted && setImmediate(() => server.closeIdleConnections()));
  });
  let ended: Promise<void> | undefined;
  return {
    ...bound,
    close(graceMs = 5_000) {
      ended ??= closed(server, closing, options.clock, graceMs);
      return ended;
    },
  };
}

function requestListener(options: ListenOptions, guards: readonly Guard[], closing: AbortSignal) {
  const idOf = requestIds(options.random);
  const refusalOf = (incoming: RequestHead): VpError | undefined =>
    guards.map((guard) => guard(incoming)).find((error) => error !== undefined) ??
    (closing.aborted ? vpError('SHUTTING_DOWN', {}) : undefined);
  const listener = getRequestListener(
    (request, { incoming, outgoing }) => {
      const requestId = idOf(incoming.headers['x-request-id']);
      outgoing.setHeader('X-Request-Id', requestId);
      const refusal = refusalOf(incoming);
      if (refusal) return problemResponse(refusal);
      const handler = isAside(options, incoming) ? options.aside.handler : options.handler;
      return handler(request, { requestId, closing, address: peerAddress(incoming, options.proxies) });
    },
    { errorHandler: (thrown) => broken(thrown, options.log) },
  );
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    outgoing.setHeaders(securityHeaders);
    if (closing.aborted) outgoing.shouldKeepAlive = false;
    const { crossOrigin } = options;
    if (crossOrigin && !refusalOf(incoming) && answerScripts(crossOrigin, incoming, outgoing)) return;
    const path = incoming.url?.split('?', 1)[0] ?? '';
    // What is refused is told by the other way, which knows how.
    const { raw } = options;
    if (raw?.accepts(path) && !isAside(options, incoming) && !refusalOf(incoming))
      raw.handle(incoming, outgoing, peerAddress(incoming, options.proxies));
    else void listener(incoming, outgoing);
  };
}

type WithAside = ListenOptions & Required<Pick<ListenOptions, 'aside'>>;

function isAside(options: ListenOptions, incoming: RequestHead): options is WithAside {
  const name = options.aside && hostNameOf(incoming);
  return name !== undefined && options.aside?.hostNames.includes(name) === true;
}

/** The answer where there is no request to hand on, or where the handler itself broke. */
function broken(thrown: unknown, log: Log): Response {
  if (thrown instanceof RequestError) {
    return problemResponse(vpError('REQUEST_INVALID', { where: 'the request line', problem: 'cannot be read' }));
  }
  log.error({ err: thrown }, 'a handler broke');
  return problemResponse(thrown);
}

function closed(server: Server, closing: AbortController, clock: Pick<Clock, 'after'>, graceMs: number): Promise<void> {
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
