/** A control plane over HTTP with two hubs: Ana owns `acme` and `other`, Max is a member of `acme`, Eve belongs to none. */
import type { Test } from 'tap';
import { defaultIdentitySettings } from '../../src/identity/settings.ts';
import {
  firstOwner,
  type OAuthPlane,
  oauthPlane,
  password,
  type RealBrowser,
  realBrowser,
} from '../server/oauth-plane.ts';

/** The control plane and the people in front of it, each in a browser of their own. */
export type Town = OAuthPlane & {
  readonly ana: RealBrowser;
  readonly max: RealBrowser;
  readonly eve: RealBrowser;
  /** Their ids, by name. */
  readonly ids: Readonly<Record<string, string>>;
};

type Settings = Partial<(typeof defaultIdentitySettings)['oauth']>;

/** Opens it; closed after the test. */
export async function openTown(t: Test, oauth: Settings = {}): Promise<Town> {
  const plane = await oauthPlane(t, { oauth: { ...defaultIdentitySettings.oauth, ...oauth } });
  const ana = await firstOwner(plane);
  for (const slug of ['acme', 'other']) await done(ana.api('POST', '/hubs', { slug, name: `The ${slug} hub` }), 201);
  const [max, eve] = [await invited(plane, ana, 'Max'), await invited(plane, ana, 'Eve')];
  const { items }: { items: { name: string; person_id: string }[] } = await (await ana.api('GET', '/people')).json();
  const ids = Object.fromEntries(items.map((one) => [one.name, one.person_id]));
  await putMember(ana, 'acme', ids.Max ?? '');
  return { ...plane, ana, max, eve, ids };
}

async function done(answer: Promise<Response>, ...statuses: number[]): Promise<Response> {
  const response = await answer;
  if (!statuses.includes(response.status)) throw new Error(`${response.status}: ${await response.text()}`);
  return response;
}

async function invited(plane: OAuthPlane, owner: RealBrowser, name: string): Promise<RealBrowser> {
  const { url }: { url: string } = await (await owner.api('POST', '/invitations', { role: 'member' })).json();
  const one = realBrowser(plane.url);
  const account = { secret: new URL(url).hash.slice(1), name, email: `${name.toLowerCase()}@example.com`, password };
  await done(one.api('POST', '/invitations/accept', account), 201);
  return one;
}

/** Makes somebody a member of a hub. */
export async function putMember(owner: RealBrowser, slug: string, personId: string): Promise<void> {
  await done(owner.api('PUT', `/hubs/${slug}/members/${personId}`, { role: 'member' }), 200, 201);
}

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'probe', version: '1' } },
};

/** A call of MCP at a path, with what a client says first unless told otherwise. */
export function mcp(
  { url }: { url: string },
  path: string,
  bearer: string | undefined,
  { message = hello, headers = {} }: { message?: object; headers?: Record<string, string> } = {},
): Promise<Response> {
  const authorization: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const media = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...media, ...authorization, ...headers },
    body: JSON.stringify(message),
  });
}

/** `200`, or the status with the code of the refusal. */
export async function entrance(town: { url: string }, path: string, bearer: string | undefined): Promise<string> {
  const response = await mcp(town, path, bearer);
  const text = await response.text();
  if (response.status === 200) return '200';
  const code = /"code":"([^"]+)"/.exec(text)?.[1] ?? '';
  return `${response.status} ${code}`.trim();
}
