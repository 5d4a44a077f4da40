/** From a node:http request to the handlers: guards, the caller's address, headers of every response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Random } from '../../environment/random.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import type { HttpEnv } from '../create-app.ts';
import type { ListenerLog } from '../log.ts';
import { createProblemResponse } from '../problem.ts';
import { type CrossOriginPolicy, getCrossOriginMethods, handleCrossOrigin } from './cors.ts';
import { createHostGuard, createOriginGuard, parseHostName } from './guards.ts';
import { type ConnectionAddresses, createRequestIds, getPeerAddress, type RequestHead } from './request-head.ts';

/** On every response of every listener; a route may set its own Content-Security-Policy for a page. */
export const securityHeaders: Map<string, string> = new Map([
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
]);

/** The same as names and values in turn: a response that has no other headers yet is written fastest with these. */
const securityHeaderList = [...securityHeaders].flat();

export type RequestHandler = (request: Request, env: HttpEnv) => Response | Promise<Response>;

/** What a raw handler knows of its request. */
export type RawContext = Required<HttpEnv> & {
  /** Names and values in turn, of every response. */
  readonly headers: readonly string[];
  /** Writes a web response, and reads what is left of the request's body. */
  respond(response: Response): void;
};

/** Handles some requests on the node:http request and response, behind the same guards as the rest. */
export type RawHandler = {
  /** True if it writes the headers of its context itself; otherwise they are set before. */
  readonly writesHeaders?: boolean;
  /** `path` is the request's target without its query. */
  accepts(path: string, incoming: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): boolean;
  handle(incoming: IncomingMessage, outgoing: ServerResponse, context: RawContext): void;
};

export type RequestListenerOptions = {
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
  /** The connection at which a request arrived that another replica has forwarded; undefined for all others. */
  readonly findConnection?: ((incoming: object) => ConnectionAddresses | undefined) | undefined;
  readonly random: Pick<Random, 'token'>;
  readonly log: ListenerLog;
};

export type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** What is read of a request here, whichever version of HTTP brought it. */
type ListenerHead = RequestHead & Pick<IncomingMessage, 'headers'> & { readonly socket: ConnectionAddresses };

/** `closing` is aborted when new requests are to be refused (SHUTTING_DOWN). */
export function createRequestListener(options: RequestListenerOptions, closing: AbortSignal): NodeHandler {
  const { publicUrls = [], hostNames = [], separateHandler, findConnection } = options;
  const separateUrls = (separateHandler?.hostNames ?? []).map((name) => new URL(`http://${name}`));
  const guards = [
    createHostGuard([...publicUrls, ...separateUrls], hostNames),
    createOriginGuard(publicUrls, options.crossOrigin),
  ];
  const createRequestId = createRequestIds(options.random);
  const toHead = (incoming: ListenerHead): ListenerHead => {
    const socket = findConnection?.(incoming);
    if (!socket) return incoming;
    const { url, headers, rawHeaders } = incoming;
    return { url, headers, rawHeaders, socket };
  };
  const findRefusal = (head: RequestHead): VpError | undefined =>
    guards.map((guard) => guard(head)).find((error) => error !== undefined) ??
    (closing.aborted ? vpError('SHUTTING_DOWN', {}) : undefined);
  const createEnv = (head: ListenerHead): Required<HttpEnv> => ({
    requestId: createRequestId(head.headers['x-request-id']),
    closing,
    address: getPeerAddress(head, options.trustedProxies),
  });
  const errorHandler = (thrown: unknown): Response => toErrorResponse(thrown, options.log);
  const listener = getRequestListener(
    (request, { incoming, outgoing }) => {
      const head = toHead(incoming);
      const env = createEnv(head);
      outgoing.setHeader('X-Request-Id', env.requestId);
      const refusal = findRefusal(head);
      if (refusal) return createProblemResponse(refusal);
      const handler = isForSeparateHandler(options, incoming) ? options.separateHandler.handler : options.handler;
      return handler(request, env);
    },
    { errorHandler },
  );
  const handleRaw = (raw: RawHandler, incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const env = createEnv(toHead(incoming));
    const setHeaders = (): void => void outgoing.setHeaders(securityHeaders).setHeader('X-Request-Id', env.requestId);
    if (!raw.writesHeaders) setHeaders();
    const respond = (response: Response): void => {
      if (raw.writesHeaders) setHeaders();
      void getRequestListener(() => response, { errorHandler })(incoming, outgoing);
    };
    raw.handle(incoming, outgoing, {
      ...env,
      headers: [...securityHeaderList, 'X-Request-Id', env.requestId],
      respond,
    });
  };
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (closing.aborted) outgoing.shouldKeepAlive = false;
    const { crossOrigin } = options;
    const head = toHead(incoming);
    const isShared = crossOrigin && getCrossOriginMethods(crossOrigin, head) !== undefined && !findRefusal(head);
    if (isShared) outgoing.setHeaders(securityHeaders);
    if (isShared && handleCrossOrigin(crossOrigin, incoming, outgoing)) return;
    const path = incoming.url?.split('?', 1)[0] ?? '';
    // Refused requests go to the other listener, which writes problem responses.
    const raw = options.raw?.find((candidate) => candidate.accepts(path, incoming));
    if (raw && !isForSeparateHandler(options, incoming) && !findRefusal(head)) handleRaw(raw, incoming, outgoing);
    else {
      outgoing.setHeaders(securityHeaders);
      void listener(incoming, outgoing);
    }
  };
}

type WithSeparateHandler = RequestListenerOptions & Required<Pick<RequestListenerOptions, 'separateHandler'>>;

function isForSeparateHandler(options: RequestListenerOptions, incoming: RequestHead): options is WithSeparateHandler {
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
