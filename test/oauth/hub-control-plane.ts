/** A control plane over HTTP with two hubs: Ana owns `acme` and `other`, Max is a member of `acme`, Eve belongs to none. */
import type { Test } from 'tap';
import { defaultIdentitySettings } from '../../src/identity/settings.ts';
import {
  createHttpBrowser,
  type HttpBrowser,
  type OAuthControlPlane,
  password,
  signInFirstOwner,
  startOAuthControlPlane,
} from '../server/oauth/oauth-control-plane.ts';

/** The control plane, and three people with a browser each. */
export type HubControlPlane = OAuthControlPlane & {
  readonly ana: HttpBrowser;
  readonly max: HttpBrowser;
  readonly eve: HttpBrowser;
  /** The ids of the people by name. */
  readonly ids: Readonly<Record<string, string>>;
};

type Settings = Partial<(typeof defaultIdentitySettings)['oauth']>;

/** It is closed after the test. */
export async function startHubControlPlane(
  t: Test,
  oauth: Settings = {},
  folder = t.testdir(),
): Promise<HubControlPlane> {
  const plane = await startOAuthControlPlane(t, { oauth: { ...defaultIdentitySettings.oauth, ...oauth }, folder });
  const ana = await signInFirstOwner(plane);
  for (const slug of ['acme', 'other'])
    await expectStatus(ana.api('POST', '/hubs', { slug, name: `The ${slug} hub` }), 201);
  const [max, eve] = [await inviteMember(plane, ana, 'Max'), await inviteMember(plane, ana, 'Eve')];
  const { items }: { items: { name: string; person_id: string }[] } = await (await ana.api('GET', '/people')).json();
  const ids = Object.fromEntries(items.map((person) => [person.name, person.person_id]));
  await putMember(ana, 'acme', ids.Max ?? '');
  return { ...plane, ana, max, eve, ids };
}

async function expectStatus(pending: Promise<Response>, ...statuses: number[]): Promise<Response> {
  const response = await pending;
  if (!statuses.includes(response.status)) throw new Error(`${response.status}: ${await response.text()}`);
  return response;
}

async function inviteMember(plane: OAuthControlPlane, owner: HttpBrowser, name: string): Promise<HttpBrowser> {
  const { url }: { url: string } = await (await owner.api('POST', '/invitations', { role: 'member' })).json();
  const browser = createHttpBrowser(plane.url);
  const account = { secret: new URL(url).hash.slice(1), name, email: `${name.toLowerCase()}@example.com`, password };
  await expectStatus(browser.api('POST', '/invitations/accept', account), 201);
  return browser;
}

export async function putMember(owner: HttpBrowser, slug: string, personId: string): Promise<void> {
  await expectStatus(owner.api('PUT', `/hubs/${slug}/members/${personId}`, { role: 'member' }), 200, 201);
}

const initializeMessage = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'probe', version: '1' } },
};

/** Posts an MCP message to a path; by default the `initialize` request. */
export function postMcp(
  { url }: { url: string },
  path: string,
  bearer: string | undefined,
  { message = initializeMessage, headers = {} }: { message?: object; headers?: Record<string, string> } = {},
): Promise<Response> {
  const authorization: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const media = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...media, ...authorization, ...headers },
    body: JSON.stringify(message),
  });
}

/** `200`, or the status with the error code. */
export async function describeAccess(
  plane: { url: string },
  path: string,
  bearer: string | undefined,
): Promise<string> {
  const response = await postMcp(plane, path, bearer);
  const text = await response.text();
  if (response.status === 200) return '200';
  const code = /"code":"([^"]+)"/.exec(text)?.[1] ?? '';
  return `${response.status} ${code}`.trim();
}
