/** A control plane on a real listener, a browser and a program that talk to it over HTTP. */
import { createHash } from 'node:crypto';
import type { Test } from 'tap';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../../src/assemble/control-plane.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { defaultIdentitySettings, type IdentitySettings } from '../../src/identity/settings.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { cheap } from './served.ts';

/** Password of everybody. */
export const password = 'lantern-walrus-72-granite';

type Line = { readonly security?: string; readonly [field: string]: unknown };

/** The control plane with what it told its log. */
export type OAuthPlane = ControlPlane & { readonly lines: Line[]; readonly folder: string };

/** Starts one; closed after the test. */
export async function oauthPlane(
  t: Test,
  {
    oauth = {},
    folder = t.testdir(),
    ...more
  }: { oauth?: Partial<IdentitySettings['oauth']>; folder?: string } & Pick<
    ControlPlaneOptions,
    'upstreams' | 'clientDocuments' | 'allowOrigins'
  > = {},
): Promise<OAuthPlane> {
  const { environment } = memoryEnvironment();
  const lines: Line[] = [];
  const keep = (fields: Line): void => {
    lines.push(fields);
  };
  const log = { error: keep, warn: keep, info: keep, debug: keep };
  const identitySettings = { ...cheap, oauth: { ...defaultIdentitySettings.oauth, ...oauth } };
  const at = { host: '127.0.0.1', port: 0 };
  const plane = await startControlPlane({ environment, folder, ...at, log, identitySettings, ...more });
  t.teardown(() => plane.close());
  return { ...plane, lines, folder };
}

/** A browser that keeps cookies by path and follows nothing by itself. */
export type RealBrowser = {
  readonly cookies: Map<string, { value: string; path: string }>;
  proof: string | undefined;
  go(url: string): Promise<Response>;
  api(method: string, path: string, body?: unknown): Promise<Response>;
};

/** A browser at `origin`. */
export function realBrowser(origin: string): RealBrowser {
  const cookies: RealBrowser['cookies'] = new Map();
  const sent = (path: string): string =>
    [...cookies]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  async function send(url: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
    const cookie = sent(new URL(url).pathname);
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
  const one: RealBrowser = {
    cookies,
    proof: undefined,
    go: (url) => send(new URL(url, origin).href, { headers: { accept: 'text/html' } }),
    async api(method, path, body) {
      const headers = {
        origin,
        ...(one.proof === undefined ? {} : { 'x-vp-proof': one.proof }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const response = await send(`${origin}/api/v1${path}`, init);
      if (response.status === 201) {
        const { proof } = await response.clone().json();
        one.proof = proof ?? one.proof;
      }
      return response;
    },
  };
  return one;
}

/** The first owner, signed in. */
export async function firstOwner(plane: OAuthPlane): Promise<RealBrowser> {
  const one = realBrowser(plane.url);
  const secret = new URL((await plane.setupLink()) ?? '').hash.slice(1);
  const made = await one.api('POST', '/setup', { secret, name: 'Ana', email: 'ana@example.com', password });
  if (made.status !== 201) throw new Error(await made.text());
  return one;
}

/** A program's side of an authorization with PKCE. */
export function authorization(plane: { url: string }, more: Record<string, string> = {}) {
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
    ...more,
  });
  return { url: `${plane.url}/oauth/authorize?${query}`, verifier, redirectUri };
}

/** A POST of a form to the OAuth server. */
export async function form(plane: { url: string }, path: string, fields: Record<string, string>) {
  const response = await fetch(`${plane.url}/oauth/${path}`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'vp-cli', ...fields }),
  });
  const text = await response.text();
  const body: Record<string, string> = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body };
}

/** The uid of the interaction that a redirect leads to. */
export function uidOf(response: Response): string {
  const [, uid] = /^\/interaction\/([\w-]+)$/.exec(response.headers.get('location') ?? '') ?? [];
  if (uid === undefined) throw new Error(`no interaction: ${response.status} ${response.headers.get('location')}`);
  return uid;
}

/** Answers one interaction as the page does, and follows where it leads. */
export async function answer(one: RealBrowser, at: Response, allow: boolean): Promise<Response> {
  const decided = await one.api('POST', `/interactions/${uidOf(at)}`, { allow });
  const result = await decided.json();
  if (decided.status !== 200) throw new Error(JSON.stringify(result));
  return one.go(result.redirect_to);
}

/** The whole way to a code: sign-in step, consent, back to the program. */
export async function codeFor(one: RealBrowser, url: string): Promise<string> {
  const back = await answer(one, await answer(one, await one.go(url), true), true);
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code');
  if (code === null) throw new Error(`no code: ${back.headers.get('location')}`);
  return code;
}

/** Tokens for a code. */
export function redeem(plane: { url: string }, code: string, asked: { verifier: string; redirectUri: string }) {
  const { verifier, redirectUri } = asked;
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
  return form(plane, 'token', fields);
}

/** Calls the API with a token. */
export function withToken(plane: { url: string }, token: string | undefined, path = '/session', method = 'GET') {
  return fetch(`${plane.url}/api/v1${path}`, { method, headers: { authorization: `Bearer ${token}` } });
}
