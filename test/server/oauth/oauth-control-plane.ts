/** A control plane on a real listener, a browser and a program that talk to it over HTTP. */
import { createHash } from 'node:crypto';
import type { Test } from 'tap';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from '../../../src/assemble/control-plane/control-plane.ts';
import { type Clock, systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { defaultIdentitySettings, type IdentitySettings } from '../../../src/identity/settings.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import { cheapIdentitySettings } from '../test-server.ts';

/** Password of everybody. */
export const password = 'lantern-walrus-72-granite';

type SecurityLogLine = { readonly security?: string; readonly [field: string]: unknown };

/** The control plane with its log lines. */
export type OAuthControlPlane = ControlPlane & { readonly lines: SecurityLogLine[]; readonly folder: string };

/** Starts one; closed after the test. */
export async function startOAuthControlPlane(
  t: Test,
  {
    oauth = {},
    folder = t.testdir(),
    clock = systemClock,
    ...options
  }: { oauth?: Partial<IdentitySettings['oauth']>; folder?: string; clock?: Clock } & Pick<
    ControlPlaneOptions,
    'upstreams' | 'hubSettings' | 'clientDocuments' | 'allowOrigins' | 'auditAnchoring'
  > = {},
): Promise<OAuthControlPlane> {
  const { environment } = memoryEnvironment({ clock });
  const lines: SecurityLogLine[] = [];
  const addLine = (fields: SecurityLogLine): void => {
    lines.push(fields);
  };
  const log = { error: addLine, warn: addLine, info: addLine, debug: addLine };
  const identitySettings = { ...cheapIdentitySettings, oauth: { ...defaultIdentitySettings.oauth, ...oauth } };
  const listenOptions = { host: '127.0.0.1', port: 0 };
  const plane = await startControlPlane({ environment, folder, ...listenOptions, log, identitySettings, ...options });
  t.teardown(() => plane.close());
  return { ...plane, lines, folder };
}

/** A browser that keeps cookies by path and follows nothing by itself. */
export type HttpBrowser = {
  readonly cookies: Map<string, { value: string; path: string }>;
  proof: string | undefined;
  navigate(url: string): Promise<Response>;
  api(method: string, path: string, body?: unknown): Promise<Response>;
};

/** A browser at `origin`. */
export function createHttpBrowser(origin: string): HttpBrowser {
  const cookies: HttpBrowser['cookies'] = new Map();
  const buildCookieHeader = (path: string): string =>
    [...cookies]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  async function send(url: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
    const cookie = buildCookieHeader(new URL(url).pathname);
    const headers = { ...init.headers, ...(cookie === '' ? {} : { cookie }) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /; path=([^;]+)/i.exec(line)?.[1] ?? '/';
      if (/expires=Thu, 01 Jan 1970|max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, { value, path });
    }
    return response;
  }
  const browser: HttpBrowser = {
    cookies,
    proof: undefined,
    navigate: (url) => send(new URL(url, origin).href, { headers: { accept: 'text/html' } }),
    async api(method, path, body) {
      const headers = {
        origin,
        ...(browser.proof === undefined ? {} : { 'x-vp-proof': browser.proof }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const response = await send(`${origin}/api/v1${path}`, init);
      if (response.status === 201) {
        const { proof } = await response.clone().json();
        browser.proof = proof ?? browser.proof;
      }
      return response;
    },
  };
  return browser;
}

/** The first owner, signed in. */
export async function signInFirstOwner(plane: OAuthControlPlane): Promise<HttpBrowser> {
  const browser = createHttpBrowser(plane.url);
  const secret = new URL((await plane.setupLink()) ?? '').hash.slice(1);
  const response = await browser.api('POST', '/setup', { secret, name: 'Ana', email: 'ana@example.com', password });
  if (response.status !== 201) throw new Error(await response.text());
  return browser;
}

/** A program's side of an authorization with PKCE. */
export function buildAuthorization(plane: { url: string }, options: Record<string, string> = {}) {
  const verifier = systemRandom.token(32);
  const redirectUri = 'http://127.0.0.1:45678/callback';
  const query = new URLSearchParams({
    client_id: 'vp-cli',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'api',
    state: 'the-state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...options,
  });
  return { url: `${plane.url}/oauth/authorize?${query}`, verifier, redirectUri };
}

/** A POST of a form to the OAuth server. */
export async function postForm(plane: { url: string }, path: string, fields: Record<string, string>) {
  const response = await fetch(`${plane.url}/oauth/${path}`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'vp-cli', ...fields }),
  });
  const text = await response.text();
  const body: Record<string, string> = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body };
}

/** The uid of the interaction that a redirect leads to. */
export function parseInteractionUid(response: Response): string {
  const [, uid] = /^\/interaction\/([\w-]+)$/.exec(response.headers.get('location') ?? '') ?? [];
  if (uid === undefined) throw new Error(`no interaction: ${response.status} ${response.headers.get('location')}`);
  return uid;
}

/** Answers one interaction as the page does, and follows where it leads. */
export async function decideInteraction(browser: HttpBrowser, redirect: Response, allow: boolean): Promise<Response> {
  const response = await browser.api('POST', `/interactions/${parseInteractionUid(redirect)}`, { allow });
  const result = await response.json();
  if (response.status !== 200) throw new Error(JSON.stringify(result));
  return browser.navigate(result.redirect_to);
}

/** The whole way to a code: sign-in step, consent, back to the program. */
export async function obtainCode(browser: HttpBrowser, url: string): Promise<string> {
  const redirect = await decideInteraction(
    browser,
    await decideInteraction(browser, await browser.navigate(url), true),
    true,
  );
  const code = new URL(redirect.headers.get('location') ?? '').searchParams.get('code');
  if (code === null) throw new Error(`no code: ${redirect.headers.get('location')}`);
  return code;
}

/** Tokens for a code. */
export function redeemCode(
  plane: { url: string },
  code: string,
  authorization: { verifier: string; redirectUri: string },
) {
  const { verifier, redirectUri } = authorization;
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
  return postForm(plane, 'token', fields);
}

/** Calls the API with a token. */
export function callApi(plane: { url: string }, token: string | undefined, path = '/session', method = 'GET') {
  return fetch(`${plane.url}/api/v1${path}`, { method, headers: { authorization: `Bearer ${token}` } });
}
