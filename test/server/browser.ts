/** A browser of a test: keeps cookies as browsers do, and the proof as our pages do. */
import type { AgentRole } from '../../src/contract/agent-token.ts';
import type { Invitation, Role, SignedIn } from '../../src/contract/identity-api.ts';
import { origin, type Served } from './served.ts';

/** What a browser sends; each can be replaced or left out. */
export type Sending = {
  readonly headers?: Record<string, string>;
  readonly withoutProof?: boolean;
  readonly withoutOrigin?: boolean;
  readonly address?: string;
};

/** One browser; `cookies` and `proof` can be taken away from it. */
export type Browser = {
  readonly cookies: Map<string, string>;
  proof: string | undefined;
  ask(method: string, path: string, body?: unknown, sending?: Sending): Promise<Response>;
  /** Sends to a way of signing in, and keeps what comes back. */
  enter(path: string, body: unknown, sending?: Sending): Promise<Response>;
};

/** Password of everybody in tests. */
export const password = 'lantern-walrus-72-granite';

/** A browser without cookies. */
export function browser(api: Pick<Served, 'fetch'>): Browser {
  const cookies = new Map<string, string>();
  const one: Browser = {
    cookies,
    proof: undefined,
    async ask(method, path, body, { headers = {}, withoutProof, withoutOrigin, address = '10.0.0.1' } = {}) {
      const all = new Headers({ 'user-agent': 'a browser', ...(withoutOrigin ? {} : { origin }), ...headers });
      if (cookies.size > 0 && !all.has('cookie'))
        all.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
      if (one.proof !== undefined && !withoutProof) all.set('x-vp-proof', one.proof);
      if (body !== undefined) all.set('content-type', 'application/json');
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await api.fetch(new Request(`${origin}${path}`, { method, headers: all, ...init }), { address });
      for (const line of response.headers.getSetCookie()) keep(cookies, line);
      return response;
    },
    async enter(path, body, sending) {
      const response = await one.ask('POST', path, body, sending);
      if (response.status === 201) {
        const { proof }: SignedIn = await response.clone().json();
        one.proof = proof;
      }
      return response;
    },
  };
  return one;
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';');
  const [name = '', value = ''] = pair.split('=');
  if (/Max-Age=0/.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}

/** Makes the first owner, `ana`, in a browser. */
export async function setUp(api: Served): Promise<Browser> {
  const one = browser(api);
  const secret = await api.identity.setup.secret();
  const answer = await one.enter('/api/v1/setup', { secret, name: 'Ana', email: 'Ana@example.com', password });
  if (answer.status !== 201) throw new Error(await answer.text());
  return one;
}

/** Lets somebody in by invitation; signed in in a browser of their own. */
export async function invite(api: Served, owner: Browser, name: string, role: Role): Promise<Browser> {
  const made = await owner.ask('POST', '/api/v1/invitations', { role });
  const { url }: { invitation: Invitation; url: string } = await made.json();
  const one = browser(api);
  const email = `${name.toLowerCase()}@example.com`;
  const answer = await one.enter('/api/v1/invitations/accept', { secret: secretOf(url), name, email, password });
  if (answer.status !== 201) throw new Error(await answer.text());
  return one;
}

/** The secret of a link. */
export function secretOf(url: string): string {
  return new URL(url).hash.slice(1);
}

/** Makes an API key. */
export async function apiKey(one: Browser, role: Role, more: object = {}): Promise<string> {
  const made = await one.ask('POST', '/api/v1/api-keys', { name: `${role} key`, role, ...more });
  const { key }: { key: string } = await made.json();
  return key;
}

type Asking = { ask(method: string, path: string, body?: unknown): Promise<Response> };

/** Makes a token for an agent of an instance. */
export async function agentToken(one: Asking, instance: string, role: AgentRole): Promise<string> {
  const made = await one.ask('POST', `/api/v1/instances/${instance}/agent-tokens`, { role });
  const { token }: { token: string } = await made.json();
  return token;
}
