/**
 * `fetch` towards servers that people name. Each address is judged in the moment it is dialled, so that a name which means
 * something else by then leads nowhere; redirects are not followed, answers are bounded, cookies are neither kept nor told.
 */
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { vpError } from '../errors/vp-error.ts';
import { type AddressVerdict, addressVerdict, hostVerdict, mayCall } from './address-guard.ts';
import { type Answer, AnswerReader, type AnswerWishes, type Reading } from './answer-reader.ts';
import { rootsWith } from './tls-roots.ts';

/** Whom may be called, and how. */
export type GuardedFetchOptions = {
  /** Servers of this machine and its networks may be called. */
  readonly allowPrivate: boolean;
  readonly extraRoots: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Larger answers, and larger events of a stream, are broken off. */
  readonly answerLimitBytes: number;
  /** The system's unless a test says otherwise. */
  readonly lookup?: LookupFunction;
};

/** Asks a server. Throws UPSTREAM_ADDRESS_REFUSED, UPSTREAM_REDIRECTED, UPSTREAM_ANSWER_TOO_LARGE. */
export type Ask<A> = (url: string | URL, init?: RequestInit, wishes?: AnswerWishes) => Promise<A>;

/** The part of `fetch` that MCP and OAuth clients use, and what it is made of, which costs half as much. */
export type GuardedFetch = {
  readonly ask: Ask<Answer>;
  readonly fetch: Ask<Response>;
  close(): Promise<void>;
};

const connectTimeoutMs = 10_000;
/** What is looked at of an answer; the rest, cookies before all, stays outside. */
const keptHeaders = ['content-type', 'mcp-session-id', 'www-authenticate', 'retry-after', 'cache-control'];

/** Makes one; undici is loaded at the first call. */
export function guardedFetch(options: GuardedFetchOptions): GuardedFetch {
  let opened: Promise<Ways> | undefined;
  const ask: Ask<Answer> = async (url, init = {}, wishes = {}) => {
    const target = url instanceof URL ? url : new URL(url);
    refuseHost(target, hostVerdict(target), options.allowPrivate);
    opened ??= openWays(options);
    const { onStreamEnd, mostBytes } = wishes;
    return answerOf(await opened, target, init, { onStreamEnd, mostBytes, limitBytes: options.answerLimitBytes });
  };
  return {
    ask,
    fetch: async (url, init, wishes) => responseOf(await ask(url, init, wishes)),
    async close() {
      if (opened) await (await opened).close();
    },
  };
}

type Ways = {
  dispatcherTo(target: URL): Dispatcher | Promise<Dispatcher>;
  close(): Promise<void>;
};

async function openWays(options: GuardedFetchOptions): Promise<Ways> {
  const undici = await import('undici');
  const lookup = guardedLookup(options);
  const ca = rootsWith(options.extraRoots);
  const tls = ca === undefined ? {} : { ca };
  const limits = { headersTimeout: 0, bodyTimeout: 0, allowH2: false } as const;
  const direct = new undici.Agent({ ...limits, connect: { ...tls, lookup, timeout: connectTimeoutMs } });
  const proxies = proxiesOf(options.variables);
  const proxied =
    proxies && new undici.EnvHttpProxyAgent({ ...limits, ...proxies, connect: tls, requestTls: tls, proxyTls: tls });
  return {
    dispatcherTo(target) {
      if (!proxied || hostVerdict(target) === 'loopback') return direct;
      // The proxy resolves the name itself; what it means here is judged all the same.
      return hostVerdict(target) === undefined ? resolved(lookup, target.hostname).then(() => proxied) : proxied;
    },
    async close() {
      await Promise.all([direct.destroy(), proxied?.destroy()]);
    },
  };
}

function proxiesOf(variables: GuardedFetchOptions['variables']) {
  const all = variables.all_proxy ?? variables.ALL_PROXY;
  const httpProxy = variables.http_proxy ?? variables.HTTP_PROXY ?? all;
  const httpsProxy = variables.https_proxy ?? variables.HTTPS_PROXY ?? all;
  if (!httpProxy && !httpsProxy) return undefined;
  const noProxy = variables.no_proxy ?? variables.NO_PROXY ?? '';
  return { ...(httpProxy ? { httpProxy } : {}), ...(httpsProxy ? { httpsProxy } : {}), noProxy };
}

async function answerOf(
  ways: Ways,
  target: URL,
  init: RequestInit,
  bounds: Omit<Reading, 'host' | 'keptHeaders' | 'demandStatus'>,
): Promise<Answer> {
  const { host, origin, pathname, search } = target;
  const demandStatus = (status: number): void => {
    if (status >= 300 && status < 400 && status !== 304) throw vpError('UPSTREAM_REDIRECTED', { host });
  };
  const found = ways.dispatcherTo(target);
  const dispatcher = found instanceof Promise ? await found : found;
  const signal = init.signal ?? undefined;
  signal?.throwIfAborted();
  const request = {
    origin,
    path: `${pathname}${search}`,
    method: init.method ?? 'GET',
    headers: init.headers instanceof Headers ? Object.fromEntries(init.headers) : { ...plainHeaders(init.headers) },
    body: bodyOf(init.body),
  };
  return new Promise((resolve, reject) => {
    const reading = { ...bounds, host, keptHeaders, demandStatus };
    dispatcher.dispatch(request, new AnswerReader(reading, signal, { resolve, reject }));
  });
}

/** The same as a `Response`. */
export function responseOf({ status, headers, body }: Answer): Response {
  const response = new Response(body, { status, headers });
  // The text is at hand; to have it through the response's stream costs as much as all the rest.
  return typeof body === 'string' ? Object.defineProperty(response, 'text', { value: async () => body }) : response;
}

/** Records are used as they are: to make `Headers` of them for reading them again costs more than sending them. */
function plainHeaders(headers: RequestInit['headers']): Readonly<Record<string, string>> {
  const isRecord = headers !== undefined && !Array.isArray(headers) && !(headers instanceof Headers);
  return isRecord ? Object(headers) : Object.fromEntries(new Headers(headers));
}

function bodyOf(body: RequestInit['body']): string | Uint8Array | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('a body of this kind is not sent');
}

function refuseHost({ protocol, host }: URL, verdict: AddressVerdict | undefined, allowPrivate: boolean): void {
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw vpError('UPSTREAM_ADDRESS_REFUSED', { host: `${protocol}//${host}`, kind: 'neither http nor https' });
  }
  if (verdict === undefined || mayCall(verdict, allowPrivate)) return;
  throw vpError('UPSTREAM_ADDRESS_REFUSED', { host, kind: verdict.replace('_', '-') });
}

/** A lookup that fails when any address of the name may not be called: what is dialled has been judged. */
function guardedLookup({ allowPrivate, lookup = systemLookup }: GuardedFetchOptions): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const addresses = Array.isArray(found) ? found : [];
      const bad = addresses.map(({ address }) => addressVerdict(address)).find((it) => !mayCall(it, allowPrivate));
      const [first] = addresses;
      if (bad !== undefined || !first) {
        const kind = (bad ?? 'no_address').replace('_', '-');
        return callback(vpError('UPSTREAM_ADDRESS_REFUSED', { host: hostname, kind }), '', 0);
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function resolved(lookup: LookupFunction, hostname: string): Promise<void> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error) => (error ? reject(error) : resolve()));
  });
}
