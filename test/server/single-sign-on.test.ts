/** Signing in by an outside provider, against a real one and one that forges. */
import { createServer } from 'node:http';
import t, { type Test } from 'tap';
import { type ControlPlane, startControlPlane } from '../../src/assemble/control-plane.ts';
import type { SingleSignOnResult } from '../../src/contract/identity-api.ts';
import { type Clock, systemClock } from '../../src/environment/clock.ts';
import type { SingleSignOnSettings } from '../../src/identity/single-sign-on/settings.ts';
import { backPath } from '../../src/server/single-sign-on.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { firstOwner, password, type RealBrowser, realBrowser } from './oauth-plane.ts';
import { client, forgingProvider, type Outsider, outsideProvider } from './outside-provider.ts';
import { cheap } from './served.ts';

type Line = { readonly security?: string; readonly [field: string]: unknown };
type Plane = ControlPlane & { readonly lines: Line[]; readonly folder: string };

/** A port that nobody holds at the moment: the provider must know our address before we have it. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function plane(
  t: Test,
  issuer: string,
  { port = 0, clock = systemClock, ...more }: Partial<SingleSignOnSettings> & { port?: number; clock?: Clock } = {},
): Promise<Plane> {
  const { environment } = memoryEnvironment({ clock });
  const lines: Line[] = [];
  const keep = (fields: Line): void => {
    lines.push(fields);
  };
  const log = { error: keep, warn: keep, info: keep, debug: keep };
  const singleSignOn = {
    issuer: new URL(issuer),
    clientId: client.id,
    clientSecret: client.secret,
    name: 'Corp',
    domains: [],
    role: undefined,
    extraRoots: [],
    variables: {},
    ...more,
  };
  const folder = t.testdir();
  const place = { environment, folder, host: '127.0.0.1', port, log };
  const started = await startControlPlane({ ...place, identitySettings: cheap, singleSignOn });
  t.teardown(() => started.close());
  return { ...started, lines, folder };
}

/** A control plane with its first owner, and the real provider beside it. */
async function both(t: Test, more: Parameters<typeof plane>[2] & { emailInToken?: boolean } = {}) {
  const port = await freePort();
  const provider = await outsideProvider(t, `http://127.0.0.1:${port}/single-sign-on`, more);
  const own = await plane(t, provider.issuer, { ...more, port });
  const ana = await firstOwner(own);
  return { provider, own, ana };
}

/** What the provider sends this browser back with. */
async function queryFor(own: ControlPlane, one: RealBrowser, back = '/settings/account'): Promise<string> {
  const begun = await one.go(`${own.url}/api/v1/single-sign-on?back=${encodeURIComponent(back)}`);
  let at = begun.headers.get('location') ?? '';
  const outside = realBrowser(new URL(at).origin);
  for (let hops = 0; hops < 6 && !at.startsWith(`${own.url}/single-sign-on`); hops += 1) {
    const next = await outside.go(at);
    at = new URL(next.headers.get('location') ?? '', at).href;
  }
  return new URL(at).search;
}

const post = (one: RealBrowser, query: string) => one.api('POST', '/single-sign-on', { query });

/** The whole way. */
async function enter(own: ControlPlane, one: RealBrowser, back?: string): Promise<Response> {
  return post(one, await queryFor(own, one, back));
}

async function resultOf(response: Response): Promise<SingleSignOnResult> {
  if (response.status !== 200) throw new Error(await response.text());
  return response.json();
}

/** Keeps the proof, as the page does. */
async function signedIn(one: RealBrowser, response: Response): Promise<SingleSignOnResult> {
  const result = await resultOf(response);
  one.proof = result.signed_in?.proof;
  return result;
}

async function codeOf(response: Response): Promise<string> {
  const { code } = await response.json();
  return code;
}

const max: Outsider = { sub: 'max-1', email: 'Max@example.com', email_verified: true, name: 'Max Outside' };

async function invite(ana: RealBrowser, email: string, role = 'member'): Promise<void> {
  const made = await ana.api('POST', '/invitations', { role, email });
  if (made.status !== 201) throw new Error(await made.text());
}

t.test('whoever is invited enters with the role of the invitation, and again by the same account', async (t) => {
  const { provider, own, ana } = await both(t);
  provider.who = max;
  await invite(ana, 'max@example.com', 'viewer');
  t.same(await (await ana.api('GET', '/sign-in-options')).json(), {
    setup_needed: false,
    single_sign_on: { name: 'Corp' },
  });
  const one = realBrowser(own.url);
  const result = await signedIn(one, await enter(own, one, '/settings/account?x=1'));
  t.match(result, { back: '/settings/account?x=1', signed_in: { person: { name: 'Max Outside', role: 'viewer' } } });
  const self = { via: 'session', person: { email: 'Max@example.com', has_password: false } };
  t.match(await (await one.api('GET', '/session')).json(), self, 'and the page offers no change of a password');
  t.same((await (await ana.api('GET', '/invitations')).json()).items, [], 'the invitation is used up');
  t.ok(own.lines.some(({ security, via }) => security === 'signed_in' && via === 'single_sign_on'));
  // Who it is does not hang on the email any more.
  provider.who = { sub: 'max-1', email: 'other@example.com', email_verified: false };
  const again = realBrowser(own.url);
  t.match(await signedIn(again, await enter(own, again)), {
    signed_in: { person: { person_id: result.signed_in?.person.person_id } },
  });
  t.equal((await one.api('DELETE', '/session')).status, 204);
  t.equal((await one.api('GET', '/session')).status, 401, 'our session ends with ours');
});

t.test('an email that only userinfo tells counts as well', async (t) => {
  const { provider, own, ana } = await both(t, { emailInToken: false });
  provider.who = max;
  await invite(ana, 'max@example.com');
  const one = realBrowser(own.url);
  t.match(await signedIn(one, await enter(own, one)), { signed_in: { person: { role: 'member' } } });
});

t.test('who is not invited is refused: SINGLE_SIGN_ON_UNINVITED, also by an open invitation', async (t) => {
  const { provider, own, ana } = await both(t);
  provider.who = max;
  await ana.api('POST', '/invitations', { role: 'member' });
  const one = realBrowser(own.url);
  const refused = await enter(own, one);
  t.equal(refused.status, 403);
  t.equal(await codeOf(refused), 'SINGLE_SIGN_ON_UNINVITED');
  t.same([...one.cookies.keys()], [], 'no cookie is left');
  t.match(own.lines.at(-1), { security: 'single_sign_on_refused', code: 'SINGLE_SIGN_ON_UNINVITED' });
});

t.test('an email that the provider does not vouch for opens nothing: SINGLE_SIGN_ON_EMAIL_UNVERIFIED', async (t) => {
  const { provider, own, ana } = await both(t);
  await invite(ana, 'max@example.com');
  for (const claims of [
    { email: 'max@example.com' },
    { email: 'max@example.com', email_verified: false },
    { email: 'max@example.com', email_verified: 'true' },
    { email: 'no address', email_verified: true },
    { email_verified: true },
  ]) {
    provider.who = { sub: 'eve', ...claims };
    const one = realBrowser(own.url);
    t.equal(await codeOf(await enter(own, one)), 'SINGLE_SIGN_ON_EMAIL_UNVERIFIED', JSON.stringify(claims));
  }
  t.equal((await (await ana.api('GET', '/people')).json()).items.length, 1);
});

t.test('an account here is connected by its password only, with any number of tries that is allowed', async (t) => {
  const { provider, own } = await both(t);
  provider.who = { sub: 'ana-9', email: 'ANA@example.com', email_verified: true };
  const one = realBrowser(own.url);
  const needed = await resultOf(await enter(own, one, '/runs/1'));
  t.match(needed, { signed_in: null, password_needed_for: 'ANA@example.com', back: '/runs/1' });
  t.equal((await one.api('GET', '/session')).status, 401);
  const wrong = await one.api('POST', '/single-sign-on/password', { password: 'not her password' });
  t.equal(await codeOf(wrong), 'SIGN_IN_REFUSED');
  const stranger = realBrowser(own.url);
  const without = await stranger.api('POST', '/single-sign-on/password', { password });
  t.equal(await codeOf(without), 'SINGLE_SIGN_ON_ENDED', 'another browser has nothing to connect');
  const connected = await signedIn(one, await one.api('POST', '/single-sign-on/password', { password }));
  t.match(connected, { back: '/runs/1', signed_in: { person: { name: 'Ana', role: 'owner' } } });
  t.ok(own.lines.some(({ security }) => security === 'single_sign_on_connected'));
  const again = realBrowser(own.url);
  t.match(await signedIn(again, await enter(own, again)), { signed_in: { person: { name: 'Ana' } } });
  const byPassword = realBrowser(own.url);
  t.equal((await byPassword.api('POST', '/session', { email: 'ana@example.com', password })).status, 201);
});

t.test('guessing the password there waits as it does everywhere', async (t) => {
  const { provider, own } = await both(t);
  provider.who = { sub: 'eve', email: 'ana@example.com', email_verified: true };
  const one = realBrowser(own.url);
  await enter(own, one);
  const codes: string[] = [];
  for (let tries = 0; tries < 7; tries += 1)
    codes.push(await codeOf(await one.api('POST', '/single-sign-on/password', { password: `guess number ${tries}` })));
  t.ok(codes.includes('SIGN_IN_LIMITED'));
});

t.test('people of allowed domains become what the flag says; others, and unverified ones, nothing', async (t) => {
  const { provider, own } = await both(t, { domains: ['example.com'], role: 'viewer' });
  provider.who = max;
  const one = realBrowser(own.url);
  t.match(await signedIn(one, await enter(own, one)), { signed_in: { person: { role: 'viewer' } } });
  provider.who = { sub: 'eve', email: 'eve@example.com.evil.test', email_verified: true };
  t.equal(await codeOf(await enter(own, realBrowser(own.url))), 'SINGLE_SIGN_ON_DOMAIN_REFUSED');
  provider.who = { sub: 'max-1', email: 'max@elsewhere.test', email_verified: true };
  const moved = await enter(own, realBrowser(own.url));
  t.equal(await codeOf(moved), 'SINGLE_SIGN_ON_DOMAIN_REFUSED', 'who has left the domain is shut out');
});

t.test('somebody who was removed comes back by invitation only', async (t) => {
  const { provider, own, ana } = await both(t, { domains: ['example.com'], role: 'member' });
  provider.who = max;
  const one = realBrowser(own.url);
  const { signed_in: first } = await signedIn(one, await enter(own, one));
  t.equal((await ana.api('DELETE', `/people/${first?.person.person_id}`)).status, 204);
  t.equal((await one.api('GET', '/session')).status, 401);
  t.equal(await codeOf(await enter(own, realBrowser(own.url))), 'SINGLE_SIGN_ON_UNINVITED');
  await invite(ana, 'max@example.com', 'viewer');
  const back = realBrowser(own.url);
  t.match(await signedIn(back, await enter(own, back)), { signed_in: { person: { role: 'viewer' } } });
});

t.test('nobody enters before there is a first owner', async (t) => {
  const port = await freePort();
  const provider = await outsideProvider(t, `http://127.0.0.1:${port}/single-sign-on`);
  const own = await plane(t, provider.issuer, { port, domains: ['example.com'], role: 'member' });
  provider.who = max;
  t.equal(await codeOf(await enter(own, realBrowser(own.url))), 'SINGLE_SIGN_ON_UNINVITED');
});

t.test('an answer is good once, in the browser that asked, and for ten minutes: SINGLE_SIGN_ON_ENDED', async (t) => {
  let aheadMs = 0;
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
  const { provider, own, ana } = await both(t, { clock });
  provider.who = max;
  await invite(ana, 'max@example.com');
  const [one, other] = [realBrowser(own.url), realBrowser(own.url)];
  const query = await queryFor(own, one);
  t.equal(await codeOf(await post(other, query)), 'SINGLE_SIGN_ON_ENDED', 'a browser that began nothing');
  const theirs = await queryFor(own, other);
  t.equal(
    await codeOf(await post(other, query)),
    'SINGLE_SIGN_ON_ANSWER_REFUSED',
    'a browser that began something else',
  );
  t.equal(await codeOf(await post(other, theirs)), 'SINGLE_SIGN_ON_ENDED', 'which has ended with it');
  const kept = new Map(one.cookies);
  t.match(await resultOf(await post(one, query)), { password_needed_for: null });
  for (const [name, cookie] of kept) one.cookies.set(name, cookie);
  const calls = provider.tokenCalls();
  t.equal(await codeOf(await post(one, query)), 'SINGLE_SIGN_ON_ENDED', 'replayed with the cookie of then');
  t.equal(provider.tokenCalls(), calls, 'the provider was not even asked');
  const late = realBrowser(own.url);
  const lateQuery = await queryFor(own, late);
  aheadMs = 10 * 60_000;
  t.equal(await codeOf(await post(late, lateQuery)), 'SINGLE_SIGN_ON_ENDED', 'too late');
  t.ok(own.lines.some(({ security }) => security === 'single_sign_on_out_of_turn'));
});

t.test('a page of another origin cannot finish a sign-in', async (t) => {
  const { provider, own } = await both(t);
  provider.who = max;
  const one = realBrowser(own.url);
  const query = await queryFor(own, one);
  const cookie = [...one.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
  for (const origin of ['http://evil.test', 'http://127.0.0.1:1', 'null']) {
    const headers = { 'content-type': 'application/json', cookie, origin };
    const body = JSON.stringify({ query });
    const refused = await fetch(`${own.url}/api/v1/single-sign-on`, { method: 'POST', headers, body });
    t.equal(await codeOf(refused), 'ORIGIN_REFUSED');
  }
});

t.test('a person who refuses at the provider is told so: SINGLE_SIGN_ON_DECLINED', async (t) => {
  const { provider, own } = await both(t);
  provider.who = undefined;
  t.equal(await codeOf(await enter(own, realBrowser(own.url))), 'SINGLE_SIGN_ON_DECLINED');
});

t.test('what a provider forges is refused: SINGLE_SIGN_ON_ANSWER_REFUSED', async (t) => {
  const provider = await forgingProvider(t);
  const own = await plane(t, provider.issuer);
  const ana = await firstOwner(own);
  await invite(ana, 'max@example.com');
  const past = Math.floor(Date.now() / 1000) - 3600;
  const forgeries = {
    'another issuer in the token': { claims: { iss: 'https://evil.test' } },
    'another issuer in the answer': { iss: 'https://evil.test' },
    'another audience': { claims: { aud: 'another-client' } },
    'another nonce': { claims: { nonce: 'of another sign-in' } },
    'no nonce': { claims: { nonce: undefined } },
    'another state': { state: 'made up' },
    'an expired token': { claims: { iat: past, exp: past + 300 } },
    'a foreign signature': { foreignKey: true },
  };
  for (const [what, forgery] of Object.entries(forgeries)) {
    provider.forgery = forgery;
    t.equal(await codeOf(await enter(own, realBrowser(own.url))), 'SINGLE_SIGN_ON_ANSWER_REFUSED', what);
  }
  t.equal((await (await ana.api('GET', '/people')).json()).items.length, 1);
  t.notMatch(JSON.stringify(own.lines), client.secret);
  provider.forgery = {};
  const one = realBrowser(own.url);
  t.match(
    await signedIn(one, await enter(own, one)),
    { signed_in: { person: { role: 'member' } } },
    'unforged it passes',
  );
});

t.test('when the provider is away the page says so, and passwords go on: SINGLE_SIGN_ON_UNREACHABLE', async (t) => {
  const port = await freePort();
  const provider = await outsideProvider(t, `http://127.0.0.1:${port}/single-sign-on`);
  await provider.close();
  const own = await plane(t, provider.issuer, { port });
  await firstOwner(own);
  const one = realBrowser(own.url);
  const begun = await one.go('/api/v1/single-sign-on?back=%2Fsettings%2Faccount');
  t.equal(begun.status, 303);
  t.equal(begun.headers.get('location'), '/settings/account#provider-away');
  t.equal((await one.api('POST', '/session', { email: 'ana@example.com', password })).status, 201);
  t.match(
    own.lines.filter(({ security }) => security === 'single_sign_on_unreachable'),
    [{ issuer: `${provider.issuer}/` }],
  );
});

t.test('a provider that goes away in the middle is told', async (t) => {
  const { provider, own } = await both(t);
  provider.who = max;
  const one = realBrowser(own.url);
  const query = await queryFor(own, one);
  await provider.close();
  t.equal(await codeOf(await post(one, query)), 'SINGLE_SIGN_ON_UNREACHABLE');
});

t.test('the way begins at the one address that the provider knows', async (t) => {
  const { provider, own } = await both(t);
  provider.who = max;
  const elsewhere = own.url.replace('127.0.0.1', 'localhost');
  const first = await fetch(`${elsewhere}/api/v1/single-sign-on?back=/device`, { redirect: 'manual' });
  t.equal(first.headers.get('location'), `${own.url}/api/v1/single-sign-on?moved=1&back=%2Fdevice`);
  t.same(first.headers.getSetCookie(), []);
  const second = await fetch(first.headers.get('location') ?? '', { redirect: 'manual' });
  const to = new URL(second.headers.get('location') ?? '');
  t.equal(to.origin, provider.issuer);
  t.equal(to.searchParams.get('code_challenge_method'), 'S256');
  t.equal(to.searchParams.get('redirect_uri'), `${own.url}/single-sign-on`);
  t.match(second.headers.getSetCookie().join(), /^vp-sso-\d+=[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Strict$/);
});

t.test('nobody is sent elsewhere afterwards', async (t) => {
  const pages = ['/', '/runs/20260101T000000000', '/instances/a/runs?result=failed', '/settings/people', '/device'];
  for (const page of [...pages, '/interaction/abc']) t.equal(backPath(page), page);
  for (const asked of [
    '',
    'https://evil.test/',
    '//evil.test',
    '///evil.test',
    '/\\evil.test',
    '/runs/..//evil.test',
    '/\t/evil.test',
    '/runs/../../evil',
    '/runs/1#fragment',
    '/%2f/evil.test',
    'javascript:alert(1)',
    '/api/v1/session',
    '/oauth/authorize?x',
    '/sign-in',
    '/single-sign-on',
    'runs',
  ])
    t.equal(backPath(asked), '/', asked);
});

t.test('without a provider there is no way: SINGLE_SIGN_ON_OFF', async (t) => {
  const { served } = await import('./served.ts');
  const api = await served(t);
  const response = await api.ask('GET', '/api/v1/single-sign-on', undefined, null);
  t.equal(response.status, 404);
  t.equal(await codeOf(response), 'SINGLE_SIGN_ON_OFF');
});
