/**
 * `fetch` for upstream servers whose addresses people configure. Each address is checked at the moment it is dialled, so that
 * DNS rebinding leads nowhere. Redirects are not followed, responses are bounded, cookies are dropped.
 */
import type { Dispatcher } from 'undici';
import { vpError } from '../errors/vp-error.ts';
import {
  type AddressKind,
  classifyAddress,
  createHostClassifier,
  type HostClassifier,
  isAddressAllowed,
} from './address-guard.ts';
import type { KeepAlive } from './connector.ts';
import { createNameResolver, type NameResolver } from './names/name-resolver.ts';
import { resolveTrustedRoots } from './tls-roots.ts';
import {
  type ReadOptions,
  type UpstreamResponse,
  type UpstreamResponseOptions,
  UpstreamResponseReader,
} from './upstream-response-reader.ts';

export type GuardedFetchOptions = {
  /** Allows servers on this machine and its private networks. */
  readonly allowPrivate: boolean;
  readonly extraRoots: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Larger responses, and larger events of a stream, are aborted. */
  readonly answerLimitBytes: number;
  /** True while no more of large responses may be read. */
  readonly mustWait?: () => boolean;
  readonly resolver?: NameResolver;
  readonly keepAlive?: KeepAlive;
};

/** Calls a server. Throws UPSTREAM_ADDRESS_REFUSED, UPSTREAM_REDIRECTED, UPSTREAM_ANSWER_TOO_LARGE. */
export type UpstreamFetch<A> = (url: string | URL, init?: RequestInit, options?: UpstreamResponseOptions) => Promise<A>;

/** `fetch` has the interface that MCP and OAuth clients expect; `request` is the same without a `Response` object, at half the cost. */
export type GuardedFetch = {
  readonly request: UpstreamFetch<UpstreamResponse>;
  readonly fetch: UpstreamFetch<Response>;
  close(): Promise<void>;
};

const connectTimeoutMs = 10_000;
/** A server that vanished without a word is noticed within a minute: its streams may be silent for hours. */
const defaultKeepAlive: KeepAlive = { idleMs: 30_000, intervalMs: 10_000, probes: 3 };
/** Headers that are read; all others, cookies above all, are dropped. */
const retainedHeaders = ['content-type', 'mcp-session-id', 'www-authenticate', 'retry-after', 'cache-control'];

/** undici is loaded at the first call. */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  let opened: Promise<Dispatchers> | undefined;
  let dispatchers: Dispatchers | undefined;
  const classify = createHostClassifier();
  const open = async (): Promise<Dispatchers> => {
    opened ??= openDispatchers(options, classify);
    dispatchers = await opened;
    return dispatchers;
  };
  const request: UpstreamFetch<UpstreamResponse> = async (url, init = {}, responseOptions = {}) => {
    const target = url instanceof URL ? url : new URL(url);
    assertHostAllowed(target, classify(target), options.allowPrivate);
    return dispatchRequest(dispatchers ?? (await open()), target, init, {
      maxBytes: responseOptions.maxBytes,
      createConsumer: responseOptions.createConsumer,
      streamsJson: responseOptions.streamsJson,
      bytesFrom: responseOptions.bytesFrom,
      limitBytes: options.answerLimitBytes,
      mustWait: options.mustWait,
    });
  };
  return {
    request,
    fetch: async (url, init, responseOptions) => toFetchResponse(await request(url, init, responseOptions)),
    async close() {
      if (opened) await (await opened).close();
    },
  };
}

type Dispatchers = {
  selectDispatcher(target: URL, signal: AbortSignal): Dispatcher | Promise<Dispatcher>;
  close(): Promise<void>;
};

async function openDispatchers(options: GuardedFetchOptions, classify: HostClassifier): Promise<Dispatchers> {
  const [undici, { createConnector }] = await Promise.all([import('undici'), import('./connector.ts')]);
  const resolver = guardResolver(options.resolver ?? createNameResolver(), options.allowPrivate);
  const ca = resolveTrustedRoots(options.extraRoots);
  const tls = ca === undefined ? {} : { ca };
  const limits = { headersTimeout: 0, bodyTimeout: 0, allowH2: false } as const;
  const direct = new undici.Agent({
    ...limits,
    connect: createConnector(resolver, { ...tls, timeout: connectTimeoutMs }, options.keepAlive ?? defaultKeepAlive),
  });
  const proxies = readProxySettings(options.variables);
  const proxied =
    proxies && new undici.EnvHttpProxyAgent({ ...limits, ...proxies, connect: tls, requestTls: tls, proxyTls: tls });
  return {
    selectDispatcher(target, signal) {
      if (!proxied || classify(target) === 'loopback') return direct;
      // The proxy resolves the name itself; the addresses seen from here are checked as well.
      return classify(target) === undefined ? resolver.resolve(target.hostname, signal).then(() => proxied) : proxied;
    },
    async close() {
      await Promise.all([direct.destroy(), proxied?.destroy()]);
    },
  };
}

function readProxySettings(variables: GuardedFetchOptions['variables']) {
  const all = variables.all_proxy ?? variables.ALL_PROXY;
  const httpProxy = variables.http_proxy ?? variables.HTTP_PROXY ?? all;
  const httpsProxy = variables.https_proxy ?? variables.HTTPS_PROXY ?? all;
  if (!httpProxy && !httpsProxy) return undefined;
  const noProxy = variables.no_proxy ?? variables.NO_PROXY ?? '';
  return { ...(httpProxy ? { httpProxy } : {}), ...(httpsProxy ? { httpsProxy } : {}), noProxy };
}

type ResponseBounds = Omit<ReadOptions, 'host' | 'retainedHeaders' | 'assertStatus'>;

function dispatchRequest(
  dispatchers: Dispatchers,
  target: URL,
  init: RequestInit,
  bounds: ResponseBounds,
): Promise<UpstreamResponse> {
  const signal = init.signal ?? undefined;
  const dispatcher = dispatchers.selectDispatcher(target, signal ?? new AbortController().signal);
  if (!(dispatcher instanceof Promise)) return dispatchTo(dispatcher, target, init, bounds);
  return dispatcher.then((selected) => dispatchTo(selected, target, init, bounds));
}

function dispatchTo(
  dispatcher: Dispatcher,
  { host, origin, pathname, search }: URL,
  init: RequestInit,
  bounds: ResponseBounds,
): Promise<UpstreamResponse> {
  const assertStatus = (status: number): void => {
    if (status >= 300 && status < 400 && status !== 304) throw vpError('UPSTREAM_REDIRECTED', { host });
  };
  const signal = init.signal ?? undefined;
  signal?.throwIfAborted();
  const request = {
    origin,
    path: `${pathname}${search}`,
    method: init.method ?? 'GET',
    headers: plainHeaders(init.headers),
    body: toDispatchBody(init.body),
  };
  return new Promise((resolve, reject) => {
    const options = { ...bounds, host, retainedHeaders, assertStatus };
    dispatcher.dispatch(request, new UpstreamResponseReader(options, signal, { resolve, reject }));
  });
}

export function toFetchResponse({ status, headers, body }: UpstreamResponse): Response {
  const response = new Response(body, { status, headers });
  // The text is already in memory; reading it through the response's stream would double the cost of the call.
  return typeof body === 'string' ? Object.defineProperty(response, 'text', { value: async () => body }) : response;
}

/** Records are used as they are: converting them to `Headers` and back costs more than sending them. */
function plainHeaders(headers: RequestInit['headers']): Readonly<Record<string, string>> {
  const isRecord = headers !== undefined && !Array.isArray(headers) && !(headers instanceof Headers);
  return isRecord ? Object(headers) : Object.fromEntries(new Headers(headers));
}

function toDispatchBody(body: RequestInit['body']): string | Uint8Array | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('a body of this kind is not sent');
}

function assertHostAllowed({ protocol, host }: URL, verdict: AddressKind | undefined, allowPrivate: boolean): void {
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw vpError('UPSTREAM_ADDRESS_REFUSED', { host: `${protocol}//${host}`, kind: 'neither http nor https' });
  }
  if (verdict === undefined || isAddressAllowed(verdict, allowPrivate)) return;
  throw vpError('UPSTREAM_ADDRESS_REFUSED', { host, kind: verdict.replace('_', '-') });
}

/** For connections other than those of `fetch`, under the same rules. Throws UPSTREAM_ADDRESS_REFUSED. */
export function createGuardedResolver(allowPrivate: boolean): NameResolver {
  return guardResolver(createNameResolver(), allowPrivate);
}

/** Fails when any address of the name is not allowed, so that only checked addresses are dialled. */
function guardResolver(resolver: NameResolver, allowPrivate: boolean): NameResolver {
  return {
    async resolve(host, signal) {
      const addresses = await resolver.resolve(host, signal);
      const kinds = addresses.map(({ address }) => classifyAddress(address));
      const refused = addresses.length === 0 ? 'no_address' : kinds.find((it) => !isAddressAllowed(it, allowPrivate));
      if (refused === undefined) return addresses;
      throw vpError('UPSTREAM_ADDRESS_REFUSED', { host, kind: refused.replace('_', '-') });
    },
  };
}
