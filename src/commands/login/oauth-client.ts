/** The program's side of OAuth towards a control plane: its metadata, and calls to its endpoints. */
import type * as Library from 'openid-client';
import { networkProblem } from '../../client/network-problem.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { isLoopback, type OutwardFetch } from '../../outbound/outward-fetch.ts';

/** The library with the configuration for one control plane. */
export type OAuthClient = {
  readonly library: typeof Library;
  readonly config: Library.Configuration;
  readonly url: string;
};

const clientId = 'vp-cli';
const longestMs = 30_000;

/** Reads the metadata of the control plane at `url`. Throws LOGIN_FAILED, CONTROL_PLANE_UNREACHABLE. */
export async function oauthClient(url: string, fetch: OutwardFetch): Promise<OAuthClient> {
  const library = await import('openid-client');
  const metadata = await metadataOf(url, fetch);
  const config = new library.Configuration(metadata, clientId, undefined, library.None());
  if (metadata.issuer.startsWith('http:')) library.allowInsecureRequests(config);
  config[library.customFetch] = (target, init) => answered(fetch, target, init);
  return { library, config, url };
}

async function metadataOf(url: string, fetch: OutwardFetch): Promise<Library.ServerMetadata> {
  const { origin } = new URL(url);
  const init = { method: 'GET', headers: { accept: 'application/json' }, redirect: 'manual' } as const;
  const answer = await fetch(`${origin}/.well-known/oauth-authorization-server`, {
    ...init,
    signal: AbortSignal.timeout(longestMs),
  }).catch((error: unknown) => {
    throw networkProblem(error, url);
  });
  const value: unknown = answer.ok ? JSON.parse(await answer.text().catch(() => 'null')) : undefined;
  if (!isMetadata(value)) throw failed(url, 'it does not say how to sign in');
  const endpoints = Object.entries(value).filter(([name]) => name === 'issuer' || name.endsWith('_endpoint'));
  const foreign = endpoints.find(([, at]) => typeof at !== 'string' || !isSamePlace(at, origin));
  // What is typed at a page, and the tokens themselves, must not go to another place than the one that was named.
  if (foreign)
    throw failed(url, `it sends elsewhere, to ${String(foreign[1])}; name that address with --control-plane`);
  return value;
}

function isSamePlace(address: string, origin: string): boolean {
  const url = URL.parse(address);
  if (!url) return false;
  const samePort = url.port === new URL(origin).port && url.protocol === new URL(origin).protocol;
  return url.origin === origin || (samePort && isLoopback(address) && isLoopback(origin));
}

function isMetadata(value: unknown): value is Library.ServerMetadata {
  return typeof value === 'object' && value !== null && 'issuer' in value && 'token_endpoint' in value;
}

/** The library wants a response of the runtime's own kind. */
async function answered(fetch: OutwardFetch, target: string, init: Library.CustomFetchOptions): Promise<Response> {
  const { method, body, headers, signal = AbortSignal.timeout(longestMs) } = init;
  const sent = body === undefined || body === null ? {} : { body: String(body) };
  const answer = await fetch(target, { method, headers, signal, redirect: 'manual', ...sent });
  const text = await answer.text();
  const type = answer.headers.get('content-type') ?? 'text/plain';
  return new Response(text === '' ? null : text, { status: answer.status, headers: { 'content-type': type } });
}

/** LOGIN_FAILED, with the reason in words. */
export function failed(url: string, problem: string, cause?: unknown): VpError {
  return vpError('LOGIN_FAILED', { url, problem }, { cause });
}

/** What the OAuth server, or the way to it, refused with: as our own errors. */
export function loginProblem(thrown: unknown, url: string): unknown {
  const code = codeOf(thrown);
  if (code === 'access_denied') return vpError('LOGIN_REFUSED', {});
  if (code === 'expired_token') return vpError('LOGIN_EXPIRED', {});
  if (code !== undefined) return failed(url, code, thrown);
  return thrown instanceof TypeError ? networkProblem(thrown, url) : thrown;
}

/** The OAuth error code (RFC 6749 section 5.2) of what was thrown. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'error' in thrown && typeof thrown.error === 'string' ? thrown.error : undefined;
}
