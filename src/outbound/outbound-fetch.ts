/**
 * `fetch` for calls to control planes and other configured services: through the proxy of the environment, with additional trusted
 * roots, or over the unix socket of an address `unix:<path>`. Each connection opens the socket's path again, so that a restarted
 * control plane is found. Names are resolved by our own resolver, and the text of a response is bounded.
 */
import type { Dispatcher } from 'undici';
import { isLoopbackHost } from '../addresses/host-address.ts';
import { type BodySource, decodeText, readTextWithin } from './bounded-body.ts';
import { requestLocal } from './local-request.ts';
import { createNameResolver, type NameResolver } from './names/name-resolver.ts';
import { resolveTrustedRoots } from './tls-roots.ts';

/** `url` is where calls go; `extraRoots` are PEM certificates. */
export type OutboundOptions = {
  readonly url: string;
  readonly extraRoots: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** `text()` of a larger response rejects with ERR_RESPONSE_TOO_LARGE. */
  readonly maxResponseBytes?: number;
  readonly resolver?: NameResolver;
};

/** More than any response of a control plane that is read as a whole. */
const defaultMaxResponseBytes = 64 * 1024 * 1024;
const connectTimeoutMs = 10_000;

/** The part of a response in use; the runtime's and undici's responses both satisfy it. */
export type OutboundResponse = {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: BodySource | null;
  text(): Promise<string>;
};

export type OutboundFetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string | Uint8Array<ArrayBuffer>;
    signal: AbortSignal;
    redirect: 'manual';
  },
) => Promise<OutboundResponse>;

/** Returns the path of an address `unix:<path>`; undefined for network addresses. */
export function parseSocketPath(url: string): string | undefined {
  return /^unix:(?:\/\/)?(\/.*)$/s.exec(url)?.[1];
}

/** True for addresses that never leave this machine: no proxy is used, and plain http exposes nothing. */
export function isLoopback(url: string): boolean {
  if (parseSocketPath(url) !== undefined) return true;
  return isLoopbackHost(new URL(url).hostname);
}

/** `node:http` on this machine, or the runtime's `fetch` with TLS; otherwise undici's, with our own resolver. */
export async function createOutboundFetch(options: OutboundOptions): Promise<OutboundFetch> {
  const proxy = isLoopback(options.url) ? undefined : findProxy(options.url, options.variables);
  const isPlain = proxy === undefined && parseSocketPath(options.url) === undefined;
  // Encoding costs more than it saves where nothing is sent over a network.
  const isLocal = isLoopback(options.url);
  const toInit = <I extends { headers: Record<string, string> }>(init: I): I =>
    isLocal ? { ...init, headers: { 'accept-encoding': 'identity', ...init.headers } } : init;
  const { maxResponseBytes = defaultMaxResponseBytes } = options;
  const bound = (response: OutboundResponse): OutboundResponse => boundText(response, maxResponseBytes);
  if (isPlain && isLocal && options.extraRoots.length === 0)
    return async (target, init) =>
      target.startsWith('http:')
        ? requestLocal(target, toInit(init), maxResponseBytes)
        : bound(await fetch(target, toInit(init)));
  const undici = await import('undici');
  const dispatcher = await createDispatcher(undici, options, proxy);
  return async (target, init) => bound(await undici.fetch(overHttp(options, target), { ...toInit(init), dispatcher }));
}

function boundText(response: OutboundResponse, maxBytes: number): OutboundResponse {
  const { ok, status, headers, body } = response;
  const isBounded = headers.get('content-encoding') === null && isLengthWithin(headers.get('content-length'), maxBytes);
  const text = (): Promise<string> => (isBounded ? response.text() : readTextWithin(response.body, maxBytes));
  return { ok, status, headers, body, text };
}

/** The parser of HTTP holds a peer to the length that it has declared; reading by that is faster. */
function isLengthWithin(length: string | null, maxBytes: number): boolean {
  return length !== null && Number(length) <= maxBytes;
}

/**
 * For a role that calls hundreds of times a second and reads no streams: it resolves when the whole response has arrived. undici's
 * `fetch` takes 570 µs a call and its `request` 330 µs (measured against a control plane on the same machine); `dispatch` also saves
 * the streams of `request`.
 */
export async function createBufferedOutboundFetch(options: OutboundOptions): Promise<OutboundFetch> {
  const undici = await import('undici');
  const { requestBuffered } = await import('./buffered-response.ts');
  const proxy = isLoopback(options.url) ? undefined : findProxy(options.url, options.variables);
  const dispatcher = await createDispatcher(undici, options, proxy);
  const { maxResponseBytes: maxBytes = defaultMaxResponseBytes } = options;
  const parseTarget = createTargetParser(options);
  return async (target, { method, headers, body = null, signal }) => {
    const request = { url: parseTarget(target), method, headers, body, signal, maxBytes };
    const { status, headers: received, bytes } = await requestBuffered(dispatcher, request);
    const get = (name: string): string | null => received[name.toLowerCase()]?.toString() ?? null;
    const text = async (): Promise<string> => decodeText(bytes);
    return { ok: status >= 200 && status < 300, status, headers: { get }, body: null, text };
  };
}

/** Most calls have the same target as the one before. */
function createTargetParser(options: OutboundOptions): (target: string) => URL {
  let last: { readonly target: string; readonly url: URL } | undefined;
  return (target) => {
    if (last?.target !== target) last = { target, url: new URL(overHttp(options, target)) };
    return last.url;
  };
}

/** The URL to request over a socket: the same path at `localhost`, which every listener accepts. */
function overHttp({ url }: OutboundOptions, target: string): string {
  return parseSocketPath(url) === undefined ? target : `http://localhost${target.slice(url.length)}`;
}

async function createDispatcher(
  { Agent, EnvHttpProxyAgent }: typeof import('undici'),
  { url, extraRoots, variables, resolver = createNameResolver() }: OutboundOptions,
  proxy: string | undefined,
): Promise<Dispatcher> {
  const socketPath = parseSocketPath(url);
  if (socketPath !== undefined) return new Agent({ connect: { socketPath } });
  const ca = resolveTrustedRoots(extraRoots);
  const tls = ca === undefined ? {} : { ca };
  if (proxy === undefined) {
    const { createConnector } = await import('./connector.ts');
    return new Agent({ connect: createConnector(resolver, { ...tls, timeout: connectTimeoutMs }) });
  }
  const noProxy = variables.no_proxy ?? variables.NO_PROXY ?? '';
  const proxied = { httpProxy: proxy, httpsProxy: proxy, noProxy };
  return new EnvHttpProxyAgent({ ...proxied, connect: tls, requestTls: tls, proxyTls: tls });
}

/** Lower-case variables win, as in curl. */
function findProxy(url: string, variables: OutboundOptions['variables']): string | undefined {
  const named = url.startsWith('https:')
    ? (variables.https_proxy ?? variables.HTTPS_PROXY)
    : (variables.http_proxy ?? variables.HTTP_PROXY);
  return named || variables.all_proxy || variables.ALL_PROXY || undefined;
}
