/** People with a hub, for the length of a test: Ana owns it (and the control plane), Max is a member, Vic a viewer, Eve in none. */
import type { Test } from 'tap';
import type { Hub, HubTokenShown, TokenExpiry } from '../../src/contract/hub-api.ts';
import type { HubRole } from '../../src/hub/words.ts';
import { type Browser, invite, setUp } from '../server/browser.ts';
import { type Served, served } from '../server/served.ts';

/** The control plane, its people in browsers, and the hub `acme`. */
export type HubPeople = {
  readonly api: Served;
  readonly ana: Browser;
  readonly max: Browser;
  readonly vic: Browser;
  readonly eve: Browser;
  readonly hub: Hub;
  /** Their ids, by name. */
  readonly ids: Readonly<Record<string, string>>;
};

/** An answer's JSON. */
export async function json<T>(answer: Promise<Response>): Promise<T> {
  return (await answer).json();
}

/** The code of a refusal with its status. */
export async function refusalOf(answer: Promise<Response>): Promise<string> {
  const { status, ...rest } = { status: (await answer).status, body: await (await answer).json() };
  return `${status} ${rest.body.code}`;
}

/** Makes a hub. */
export function makeHub(one: Browser, slug: string): Promise<Hub> {
  return json(one.ask('POST', '/api/v1/hubs', { slug, name: slug.toUpperCase() }));
}

/** Makes a personal access token. */
export function makeToken(one: Browser, hub: string, expiry: TokenExpiry = '90 days'): Promise<HubTokenShown> {
  return json(one.ask('POST', `/api/v1/hubs/${hub}/tokens`, { name: 'ci', expiry }));
}

/** Adds somebody to a hub, or gives them another role. */
export function putMember(owner: Browser, hub: string, personId: string, role: HubRole): Promise<Response> {
  return owner.ask('PUT', `/api/v1/hubs/${hub}/members/${personId}`, { role });
}

/** Everybody in place. */
export async function hubPeople(t: Test, options: Parameters<typeof served>[1] = {}): Promise<HubPeople> {
  const api = await served(t, options);
  const ana = await setUp(api);
  const [max, vic, eve] = [
    await invite(api, ana, 'Max', 'member'),
    await invite(api, ana, 'Vic', 'viewer'),
    await invite(api, ana, 'Eve', 'member'),
  ];
  const hub = await makeHub(ana, 'acme');
  const { items } = await json<{ items: { name: string; person_id: string }[] }>(ana.ask('GET', '/api/v1/people'));
  const ids = Object.fromEntries(items.map((one) => [one.name, one.person_id]));
  await putMember(ana, 'acme', ids.Max ?? '', 'member');
  await putMember(ana, 'acme', ids.Vic ?? '', 'viewer');
  return { api, ana, max, vic, eve, hub, ids };
}
