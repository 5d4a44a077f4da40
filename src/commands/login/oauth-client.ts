/** The OAuth client for a control plane: its metadata, and calls to its endpoints. */
import type * as Library from 'openid-client';
import { createNetworkError } from '../../client/transport/network-error.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { isObject } from '../../json/json-object.ts';
import { isLoopback, type OutboundFetch } from '../../outbound/outbound-fetch.ts';

export type OAuthClient = {
  readonly library: typeof Library;
  readonly config: Library.Configuration;
  readonly url: string;
};

const clientId = 'vp-cli';
const requestTimeoutMs = 30_000;

/** Reads the metadata of the control plane at `url`. Throws LOGIN_FAILED, CONTROL_PLANE_UNREACHABLE. */
export async function createOAuthClient(url: string, fetch: OutboundFetch): Promise<OAuthClient> {
  const library = await import('openid-client');
  const metadata = await fetchMetadata(url, fetch);
  const config = new library.Configuration(metadata, clientId, undefined, library.None());
  if (metadata.issuer.startsWith('http:')) library.allowInsecureRequests(config);
  config[library.customFetch] = (target, init) => fetchAsResponse(fetch, target, init);
  return { library, config, url };
}

async function fetchMetadata(url: string, fetch: OutboundFetch): Promise<Library.ServerMetadata> {
  const { origin } = new URL(url);
  const init = { method: 'GET', headers: { accept: 'application/json' }, redirect: 'manual' } as const;
  const response = await fetch(`${origin}/.well-known/oauth-authorization-server`, {
    ...init,
    signal: AbortSignal.timeout(requestTimeoutMs),
  }).catch((error: unknown) => {
    throw createNetworkError(error, url);
  });
  const value: unknown = response.ok ? JSON.parse(await response.text().catch(() => 'null')) : undefined;
  if (!isMetadata(value)) throw createLoginError(url, 'it has no OAuth metadata');
  const endpoints = Object.entries(value).filter(([name]) => name === 'issuer' || name.endsWith('_endpoint'));
  const foreignEndpoint = endpoints.find(
    ([, endpoint]) => typeof endpoint !== 'string' || !isSameOrigin(endpoint, origin),
  );
  // Passwords and tokens must not go to another origin than the named one.
  if (foreignEndpoint)
    throw createLoginError(
      url,
      `its metadata names another origin, ${String(foreignEndpoint[1])}; pass that URL with --control-plane`,
    );
  return value;
}

function isSameOrigin(address: string, origin: string): boolean {
  const url = URL.parse(address);
  if (!url) return false;
  const samePort = url.port === new URL(origin).port && url.protocol === new URL(origin).protocol;
  return url.origin === origin || (samePort && isLoopback(address) && isLoopback(origin));
}

function isMetadata(value: unknown): value is Library.ServerMetadata {
  return isObject(value) && 'issuer' in value && 'token_endpoint' in value;
}

/** openid-client requires a `Response` of the runtime. */
async function fetchAsResponse(
  fetch: OutboundFetch,
  target: string,
  init: Library.CustomFetchOptions,
): Promise<Response> {
  const { method, body, headers, signal = AbortSignal.timeout(requestTimeoutMs) } = init;
  const bodyInit = body === undefined || body === null ? {} : { body: String(body) };
  const response = await fetch(target, { method, headers, signal, redirect: 'manual', ...bodyInit });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? 'text/plain';
  return new Response(text === '' ? null : text, { status: response.status, headers: { 'content-type': type } });
}

/** LOGIN_FAILED with the reason. */
function createLoginError(url: string, problem: string, cause?: unknown): VpError {
  return vpError('LOGIN_FAILED', { url, problem }, { cause });
}

/** Converts errors of the OAuth server and of the network to ours. */
export function toLoginError(thrown: unknown, url: string): unknown {
  const code = readOAuthErrorCode(thrown);
  if (code === 'access_denied') return vpError('LOGIN_REFUSED', {});
  if (code === 'expired_token') return vpError('LOGIN_EXPIRED', {});
  if (code !== undefined) return createLoginError(url, code, thrown);
  return thrown instanceof TypeError ? createNetworkError(thrown, url) : thrown;
}

/** The OAuth error code (RFC 6749 section 5.2); undefined for other errors. */
export function readOAuthErrorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'error' in thrown && typeof thrown.error === 'string' ? thrown.error : undefined;
}
