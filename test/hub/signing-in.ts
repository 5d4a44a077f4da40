/** A hub with one connection to a server that wants a sign-in, and what people do there. */
import type { Test } from 'tap';
import type { HubConnection } from '../../src/contract/hub-api.ts';
import type { HubSignInBegun } from '../../src/contract/hub-connect-api.ts';
import type { Browser } from '../server/browser.ts';
import { type Connected, connected } from './connected.ts';
import { type GuardedServer, guardedServer, throughPages } from './hostile/guarded-server.ts';
import { json } from './hub-people.ts';

/** Where the connections of the hub are. */
export const path = '/api/v1/hubs/acme/connections';
/** A sign-in of the whole hub. */
export const oauth = { kind: 'oauth', sharing: 'shared' };

/** The people, and the server. */
export type Both = Connected & { readonly upstream: GuardedServer };

/** Opens both, with the connection `tools`. */
export async function both(
  t: Test,
  credential: object = oauth,
  more: Parameters<typeof guardedServer>[1] = {},
  publicUrls: readonly URL[] = [],
): Promise<Both> {
  const home = await connected(t, {}, publicUrls);
  const upstream = await guardedServer(t, more);
  const made = await home.ana.ask('POST', path, { name: 'tools', kind: 'http', url: upstream.mcp.url, credential });
  if (made.status !== 201) throw new Error(await made.text());
  return { ...home, upstream };
}

/** Begins one. */
export const begin = (who: Browser): Promise<Response> => who.ask('POST', `${path}/tools/sign-in`);
/** The connection, as `who` sees it. */
export const shown = (who: Browser): Promise<HubConnection> => json(who.ask('GET', `${path}/tools`));

/** Where the browser comes back to, as a path of ours. */
export async function wayBack({ upstream }: Pick<Both, 'upstream'>, who: Browser): Promise<string> {
  const { authorization_url } = await json<HubSignInBegun>(begin(who));
  const { pathname, search } = new URL(await throughPages(authorization_url, upstream.issuer));
  return `${pathname}${search}`;
}

/** Comes back; status and address of the answer. */
export async function finish(who: Browser, back: string): Promise<string> {
  const answer = await who.ask('GET', back, undefined, { withoutOrigin: true, withoutProof: true });
  return `${answer.status} ${answer.headers.get('location')}`;
}

/** There and back. */
export const signIn = async (home: Pick<Both, 'upstream'>, who: Browser): Promise<string> =>
  finish(who, await wayBack(home, who));

/** The outcome of a call, or the code of its refusal. */
export async function echo(who: Browser): Promise<unknown> {
  const answer = await who.ask('POST', '/api/v1/hubs/acme/tools/call', {
    name: 'tools__echo',
    arguments: { text: 'x' },
  });
  const { code, outcome } = await answer.json();
  return code ?? outcome;
}
