/** A test browser: stores cookies like browsers, and the proof like our pages. */
import type { AgentRole } from '../../src/contract/agents/agent-token.ts';
import type { Invitation, Role, SignInResponse } from '../../src/contract/identity-api.ts';
import { origin, type TestServer } from './test-server.ts';

/** Overrides of what the browser sends. */
export type RequestOverrides = {
  readonly headers?: Record<string, string>;
  readonly withoutProof?: boolean;
  readonly withoutOrigin?: boolean;
  readonly address?: string;
};

/** Tests may remove `cookies` and `proof`. */
export type TestBrowser = {
  readonly cookies: Map<string, string>;
  proof: string | undefined;
  ask(method: string, path: string, body?: unknown, overrides?: RequestOverrides): Promise<Response>;
  /** Posts to a sign-in route, and stores the proof. */
  signIn(path: string, body: unknown, overrides?: RequestOverrides): Promise<Response>;
};

/** Password of all people in tests. */
export const password = 'lantern-walrus-72-granite';

/** A browser without cookies. */
export function createBrowser(api: Pick<TestServer, 'fetch'>): TestBrowser {
  const cookies = new Map<string, string>();
  const browser: TestBrowser = {
    cookies,
    proof: undefined,
    async ask(method, path, body, { headers = {}, withoutProof, withoutOrigin, address = '10.0.0.1' } = {}) {
      const requestHeaders = new Headers({
        'user-agent': 'a browser',
        ...(withoutOrigin ? {} : { origin }),
        ...headers,
      });
      if (cookies.size > 0 && !requestHeaders.has('cookie'))
        requestHeaders.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
      if (browser.proof !== undefined && !withoutProof) requestHeaders.set('x-vp-proof', browser.proof);
      if (body !== undefined) requestHeaders.set('content-type', 'application/json');
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await api.fetch(new Request(`${origin}${path}`, { method, headers: requestHeaders, ...init }), {
        address,
      });
      for (const line of response.headers.getSetCookie()) storeCookie(cookies, line);
      return response;
    },
    async signIn(path, body, overrides) {
      const response = await browser.ask('POST', path, body, overrides);
      if (response.status === 201) {
        const { proof }: SignInResponse = await response.clone().json();
        browser.proof = proof;
      }
      return response;
    },
  };
  return browser;
}

function storeCookie(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';');
  const [name = '', value = ''] = pair.split('=');
  if (/Max-Age=0/.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}

/** Creates the first owner, Ana, in a browser. */
export async function setUpOwner(api: TestServer): Promise<TestBrowser> {
  const browser = createBrowser(api);
  const secret = await api.identity.setup.createSecret();
  const response = await browser.signIn('/api/v1/setup', { secret, name: 'Ana', email: 'Ana@example.com', password });
  if (response.status !== 201) throw new Error(await response.text());
  return browser;
}

/** Invites a person and signs them in in a new browser. */
export async function inviteMember(
  api: TestServer,
  owner: TestBrowser,
  name: string,
  role: Role,
): Promise<TestBrowser> {
  const created = await owner.ask('POST', '/api/v1/invitations', { role });
  const { url }: { invitation: Invitation; url: string } = await created.json();
  const browser = createBrowser(api);
  const email = `${name.toLowerCase()}@example.com`;
  const response = await browser.signIn('/api/v1/invitations/accept', {
    secret: readLinkSecret(url),
    name,
    email,
    password,
  });
  if (response.status !== 201) throw new Error(await response.text());
  return browser;
}

export function readLinkSecret(url: string): string {
  return new URL(url).hash.slice(1);
}

export async function createApiKey(browser: TestBrowser, role: Role, extraFields: object = {}): Promise<string> {
  const response = await browser.ask('POST', '/api/v1/api-keys', { name: `${role} key`, role, ...extraFields });
  const { key }: { key: string } = await response.json();
  return key;
}

type Requester = { ask(method: string, path: string, body?: unknown): Promise<Response> };

export async function createAgentToken(browser: Requester, instance: string, role: AgentRole): Promise<string> {
  const response = await browser.ask('POST', `/api/v1/instances/${instance}/agent-tokens`, { role });
  const { token }: { token: string } = await response.json();
  return token;
}
