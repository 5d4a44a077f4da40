/** Single sign-on with a real provider, and with one that forges responses. */

import t, { type Test } from 'tap';
import { type ControlPlane, startControlPlane } from '../../../src/assemble/control-plane/control-plane.ts';
import type { SingleSignOnResult } from '../../../src/contract/identity-api.ts';
import { type Clock, systemClock } from '../../../src/environment/clock.ts';
import type { SingleSignOnSettings } from '../../../src/identity/single-sign-on/settings.ts';
import { toReturnPath } from '../../../src/server/identity/single-sign-on-routes.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import { findFreePort } from '../../free-port.ts';
import { createHttpBrowser, type HttpBrowser, password, signInFirstOwner } from '../oauth/oauth-control-plane.ts';
import { cheapIdentitySettings } from '../test-server.ts';
import { client, type OpenidUser, startForgingProvider, startOpenidProvider } from './openid-provider.ts';

type Line = { readonly security?: string; readonly [field: string]: unknown };
type Plane = ControlPlane & { readonly lines: Line[]; readonly folder: string };

async function startPlaneWithProvider(
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
  const listenOptions = { environment, folder, host: '127.0.0.1', port, log };
  const started = await startControlPlane({ ...listenOptions, identitySettings: cheapIdentitySettings, singleSignOn });
  t.teardown(() => started.close());
  return { ...started, lines, folder };
}

/** A control plane with its first owner, and a real provider. */
async function startWithProvider(
  t: Test,
  more: Parameters<typeof startPlaneWithProvider>[2] & { emailInToken?: boolean } = {},
) {
  const port = await findFreePort();
  const provider = await startOpenidProvider(t, `http://127.0.0.1:${port}/single-sign-on`, more);
  const controlPlane = await startPlaneWithProvider(t, provider.issuer, { ...more, port });
  const ana = await signInFirstOwner(controlPlane);
  return { provider, own: controlPlane, ana };
}

/** The query of the provider's redirect. */
async function obtainCallbackQuery(
  controlPlane: ControlPlane,
  browser: HttpBrowser,
  back = '/settings/account',
): Promise<string> {
  const startResponse = await browser.navigate(
    `${controlPlane.url}/api/v1/single-sign-on?back=${encodeURIComponent(back)}`,
  );
  let address = startResponse.headers.get('location') ?? '';
  const outside = createHttpBrowser(new URL(address).origin);
  for (let hops = 0; hops < 6 && !address.startsWith(`${controlPlane.url}/single-sign-on`); hops += 1) {
    const next = await outside.navigate(address);
    address = new URL(next.headers.get('location') ?? '', address).href;
  }
  return new URL(address).search;
}

const post = (browser: HttpBrowser, query: string) => browser.api('POST', '/single-sign-on', { query });

/** The whole way. */
async function signInThroughProvider(
  controlPlane: ControlPlane,
  browser: HttpBrowser,
  back?: string,
): Promise<Response> {
  return post(browser, await obtainCallbackQuery(controlPlane, browser, back));
}

async function readResult(response: Response): Promise<SingleSignOnResult> {
  if (response.status !== 200) throw new Error(await response.text());
  return response.json();
}

/** Keeps the proof, as the page does. */
async function keepProof(browser: HttpBrowser, response: Response): Promise<SingleSignOnResult> {
  const result = await readResult(response);
  browser.proof = result.signed_in?.proof;
  return result;
}

async function readErrorCode(response: Response): Promise<string> {
  const { code } = await response.json();
  return code;
}

const max: OpenidUser = { sub: 'max-1', email: 'Max@example.com', email_verified: true, name: 'Max Outside' };

async function invite(ana: HttpBrowser, email: string, role = 'member'): Promise<void> {
  const invited = await ana.api('POST', '/invitations', { role, email });
  if (invited.status !== 201) throw new Error(await invited.text());
}

t.test('an invited person signs in with the role of the invitation, and again with the same account', async (t) => {
  const { provider, own: controlPlane, ana } = await startWithProvider(t);
  provider.currentUser = max;
  await invite(ana, 'max@example.com', 'viewer');
  t.same(await (await ana.api('GET', '/sign-in-options')).json(), {
    setup_needed: false,
    single_sign_on: { name: 'Corp' },
  });
  const browser = createHttpBrowser(controlPlane.url);
  const result = await keepProof(browser, await signInThroughProvider(controlPlane, browser, '/settings/account?x=1'));
  t.match(result, { back: '/settings/account?x=1', signed_in: { person: { name: 'Max Outside', role: 'viewer' } } });
  const self = { via: 'session', person: { email: 'Max@example.com', has_password: false } };
  t.match(await (await browser.api('GET', '/session')).json(), self, 'and the page offers no change of a password');
  t.same((await (await ana.api('GET', '/invitations')).json()).items, [], 'the invitation is used up');
  t.ok(controlPlane.lines.some(({ security, via }) => security === 'signed_in' && via === 'single_sign_on'));
  // The link does not depend on the email any more.
  provider.currentUser = { sub: 'max-1', email: 'other@example.com', email_verified: false };
  const again = createHttpBrowser(controlPlane.url);
  t.match(await keepProof(again, await signInThroughProvider(controlPlane, again)), {
    signed_in: { person: { person_id: result.signed_in?.person.person_id } },
  });
  t.equal((await browser.api('DELETE', '/session')).status, 204);
  t.equal((await browser.api('GET', '/session')).status, 401, 'our session ends with ours');
});

t.test('an email from userinfo only is accepted as well', async (t) => {
  const { provider, own: controlPlane, ana } = await startWithProvider(t, { emailInToken: false });
  provider.currentUser = max;
  await invite(ana, 'max@example.com');
  const browser = createHttpBrowser(controlPlane.url);
  t.match(await keepProof(browser, await signInThroughProvider(controlPlane, browser)), {
    signed_in: { person: { role: 'member' } },
  });
});

t.test('an uninvited person is refused, also with an open invitation: SINGLE_SIGN_ON_UNINVITED', async (t) => {
  const { provider, own: controlPlane, ana } = await startWithProvider(t);
  provider.currentUser = max;
  await ana.api('POST', '/invitations', { role: 'member' });
  const browser = createHttpBrowser(controlPlane.url);
  const refused = await signInThroughProvider(controlPlane, browser);
  t.equal(refused.status, 403);
  t.equal(await readErrorCode(refused), 'SINGLE_SIGN_ON_UNINVITED');
  t.same([...browser.cookies.keys()], [], 'no cookie is left');
  t.match(controlPlane.lines.at(-1), { security: 'single_sign_on_refused', code: 'SINGLE_SIGN_ON_UNINVITED' });
});

t.test('an unverified email is refused: SINGLE_SIGN_ON_EMAIL_UNVERIFIED', async (t) => {
  const { provider, own: controlPlane, ana } = await startWithProvider(t);
  await invite(ana, 'max@example.com');
  for (const claims of [
    { email: 'max@example.com' },
    { email: 'max@example.com', email_verified: false },
    { email: 'max@example.com', email_verified: 'true' },
    { email: 'no address', email_verified: true },
    { email_verified: true },
  ]) {
    provider.currentUser = { sub: 'eve', ...claims };
    const browser = createHttpBrowser(controlPlane.url);
    t.equal(
      await readErrorCode(await signInThroughProvider(controlPlane, browser)),
      'SINGLE_SIGN_ON_EMAIL_UNVERIFIED',
      JSON.stringify(claims),
    );
  }
  t.equal((await (await ana.api('GET', '/people')).json()).items.length, 1);
});

t.test('a local account is connected only with its password, within the allowed attempts', async (t) => {
  const { provider, own: controlPlane } = await startWithProvider(t);
  provider.currentUser = { sub: 'ana-9', email: 'ANA@example.com', email_verified: true };
  const browser = createHttpBrowser(controlPlane.url);
  const needed = await readResult(await signInThroughProvider(controlPlane, browser, '/runs/1'));
  t.match(needed, { signed_in: null, password_needed_for: 'ANA@example.com', back: '/runs/1' });
  t.equal((await browser.api('GET', '/session')).status, 401);
  const wrong = await browser.api('POST', '/single-sign-on/password', { password: 'not her password' });
  t.equal(await readErrorCode(wrong), 'SIGN_IN_REFUSED');
  const stranger = createHttpBrowser(controlPlane.url);
  const without = await stranger.api('POST', '/single-sign-on/password', { password });
  t.equal(await readErrorCode(without), 'SINGLE_SIGN_ON_ENDED', 'another browser has nothing to connect');
  const connected = await keepProof(browser, await browser.api('POST', '/single-sign-on/password', { password }));
  t.match(connected, { back: '/runs/1', signed_in: { person: { name: 'Ana', role: 'owner' } } });
  t.ok(controlPlane.lines.some(({ security }) => security === 'single_sign_on_connected'));
  const again = createHttpBrowser(controlPlane.url);
  t.match(await keepProof(again, await signInThroughProvider(controlPlane, again)), {
    signed_in: { person: { name: 'Ana' } },
  });
  const byPassword = createHttpBrowser(controlPlane.url);
  t.equal((await byPassword.api('POST', '/session', { email: 'ana@example.com', password })).status, 201);
});

t.test('guessing the password is slowed down as everywhere', async (t) => {
  const { provider, own: controlPlane } = await startWithProvider(t);
  provider.currentUser = { sub: 'eve', email: 'ana@example.com', email_verified: true };
  const browser = createHttpBrowser(controlPlane.url);
  await signInThroughProvider(controlPlane, browser);
  const codes: string[] = [];
  for (let tries = 0; tries < 7; tries += 1)
    codes.push(
      await readErrorCode(await browser.api('POST', '/single-sign-on/password', { password: `guess number ${tries}` })),
    );
  t.ok(codes.includes('SIGN_IN_LIMITED'));
});

t.test('people of allowed domains get the configured role; others, and unverified ones, are refused', async (t) => {
  const { provider, own: controlPlane } = await startWithProvider(t, { domains: ['example.com'], role: 'viewer' });
  provider.currentUser = max;
  const browser = createHttpBrowser(controlPlane.url);
  t.match(await keepProof(browser, await signInThroughProvider(controlPlane, browser)), {
    signed_in: { person: { role: 'viewer' } },
  });
  provider.currentUser = { sub: 'eve', email: 'eve@example.com.evil.test', email_verified: true };
  t.equal(
    await readErrorCode(await signInThroughProvider(controlPlane, createHttpBrowser(controlPlane.url))),
    'SINGLE_SIGN_ON_DOMAIN_REFUSED',
  );
  provider.currentUser = { sub: 'max-1', email: 'max@elsewhere.test', email_verified: true };
  const moved = await signInThroughProvider(controlPlane, createHttpBrowser(controlPlane.url));
  t.equal(await readErrorCode(moved), 'SINGLE_SIGN_ON_DOMAIN_REFUSED', 'who has left the domain is shut out');
});

t.test('a removed person can return by invitation only', async (t) => {
  const { provider, own: controlPlane, ana } = await startWithProvider(t, { domains: ['example.com'], role: 'member' });
  provider.currentUser = max;
  const browser = createHttpBrowser(controlPlane.url);
  const { signed_in: first } = await keepProof(browser, await signInThroughProvider(controlPlane, browser));
  t.equal((await ana.api('DELETE', `/people/${first?.person.person_id}`)).status, 204);
  t.equal((await browser.api('GET', '/session')).status, 401);
  t.equal(
    await readErrorCode(await signInThroughProvider(controlPlane, createHttpBrowser(controlPlane.url))),
    'SINGLE_SIGN_ON_UNINVITED',
  );
  await invite(ana, 'max@example.com', 'viewer');
  const back = createHttpBrowser(controlPlane.url);
  t.match(await keepProof(back, await signInThroughProvider(controlPlane, back)), {
    signed_in: { person: { role: 'viewer' } },
  });
});

t.test('sign-in is refused before there is a first owner', async (t) => {
  const port = await findFreePort();
  const provider = await startOpenidProvider(t, `http://127.0.0.1:${port}/single-sign-on`);
  const controlPlane = await startPlaneWithProvider(t, provider.issuer, {
    port,
    domains: ['example.com'],
    role: 'member',
  });
  provider.currentUser = max;
  t.equal(
    await readErrorCode(await signInThroughProvider(controlPlane, createHttpBrowser(controlPlane.url))),
    'SINGLE_SIGN_ON_UNINVITED',
  );
});

t.test(
  'a callback is accepted once, in the browser that started it, for ten minutes: SINGLE_SIGN_ON_ENDED',
  async (t) => {
    let aheadMs = 0;
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
    const { provider, own: controlPlane, ana } = await startWithProvider(t, { clock });
    provider.currentUser = max;
    await invite(ana, 'max@example.com');
    const [browser, other] = [createHttpBrowser(controlPlane.url), createHttpBrowser(controlPlane.url)];
    const query = await obtainCallbackQuery(controlPlane, browser);
    t.equal(await readErrorCode(await post(other, query)), 'SINGLE_SIGN_ON_ENDED', 'a browser that began nothing');
    const otherBrowser = await obtainCallbackQuery(controlPlane, other);
    t.equal(
      await readErrorCode(await post(other, query)),
      'SINGLE_SIGN_ON_ANSWER_REFUSED',
      'a browser that began something else',
    );
    t.equal(await readErrorCode(await post(other, otherBrowser)), 'SINGLE_SIGN_ON_ENDED', 'which has ended with it');
    const cookiesBefore = new Map(browser.cookies);
    t.match(await readResult(await post(browser, query)), { password_needed_for: null });
    for (const [name, cookie] of cookiesBefore) browser.cookies.set(name, cookie);
    const calls = provider.tokenCalls();
    t.equal(
      await readErrorCode(await post(browser, query)),
      'SINGLE_SIGN_ON_ENDED',
      'replayed with the cookie of then',
    );
    t.equal(provider.tokenCalls(), calls, 'the provider was not even asked');
    const late = createHttpBrowser(controlPlane.url);
    const lateQuery = await obtainCallbackQuery(controlPlane, late);
    aheadMs = 10 * 60_000;
    t.equal(await readErrorCode(await post(late, lateQuery)), 'SINGLE_SIGN_ON_ENDED', 'too late');
    t.ok(controlPlane.lines.some(({ security }) => security === 'single_sign_on_out_of_turn'));
  },
);

t.test('a page of another origin cannot finish a sign-in', async (t) => {
  const { provider, own: controlPlane } = await startWithProvider(t);
  provider.currentUser = max;
  const browser = createHttpBrowser(controlPlane.url);
  const query = await obtainCallbackQuery(controlPlane, browser);
  const cookie = [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
  for (const origin of ['http://evil.test', 'http://127.0.0.1:1', 'null']) {
    const headers = { 'content-type': 'application/json', cookie, origin };
    const body = JSON.stringify({ query });
    const refused = await fetch(`${controlPlane.url}/api/v1/single-sign-on`, { method: 'POST', headers, body });
    t.equal(await readErrorCode(refused), 'ORIGIN_REFUSED');
  }
});

t.test('a refusal at the provider is reported: SINGLE_SIGN_ON_DECLINED', async (t) => {
  const { provider, own: controlPlane } = await startWithProvider(t);
  provider.currentUser = undefined;
  t.equal(
    await readErrorCode(await signInThroughProvider(controlPlane, createHttpBrowser(controlPlane.url))),
    'SINGLE_SIGN_ON_DECLINED',
  );
});

t.test('a forged response is refused: SINGLE_SIGN_ON_ANSWER_REFUSED', async (t) => {
  const provider = await startForgingProvider(t);
  const controlPlane = await startPlaneWithProvider(t, provider.issuer);
  const ana = await signInFirstOwner(controlPlane);
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
  for (const [description, forgery] of Object.entries(forgeries)) {
    provider.forgery = forgery;
    t.equal(
      await readErrorCode(await signInThroughProvider(controlPlane, createHttpBrowser(controlPlane.url))),
      'SINGLE_SIGN_ON_ANSWER_REFUSED',
      description,
    );
  }
  t.equal((await (await ana.api('GET', '/people')).json()).items.length, 1);
  t.notMatch(JSON.stringify(controlPlane.lines), client.secret);
  provider.forgery = {};
  const browser = createHttpBrowser(controlPlane.url);
  t.match(
    await keepProof(browser, await signInThroughProvider(controlPlane, browser)),
    { signed_in: { person: { role: 'member' } } },
    'unforged it passes',
  );
});

t.test(
  'an unreachable provider is reported on the page, and passwords keep working: SINGLE_SIGN_ON_UNREACHABLE',
  async (t) => {
    const port = await findFreePort();
    const provider = await startOpenidProvider(t, `http://127.0.0.1:${port}/single-sign-on`);
    await provider.close();
    const controlPlane = await startPlaneWithProvider(t, provider.issuer, { port });
    await signInFirstOwner(controlPlane);
    const browser = createHttpBrowser(controlPlane.url);
    const startResponse = await browser.navigate('/api/v1/single-sign-on?back=%2Fsettings%2Faccount');
    t.equal(startResponse.status, 303);
    t.equal(startResponse.headers.get('location'), '/settings/account#provider-away');
    t.equal((await browser.api('POST', '/session', { email: 'ana@example.com', password })).status, 201);
    t.match(
      controlPlane.lines.filter(({ security }) => security === 'single_sign_on_unreachable'),
      [{ issuer: `${provider.issuer}/` }],
    );
  },
);

t.test('a provider that becomes unreachable in the middle is reported', async (t) => {
  const { provider, own: controlPlane } = await startWithProvider(t);
  provider.currentUser = max;
  const browser = createHttpBrowser(controlPlane.url);
  const query = await obtainCallbackQuery(controlPlane, browser);
  await provider.close();
  t.equal(await readErrorCode(await post(browser, query)), 'SINGLE_SIGN_ON_UNREACHABLE');
});

t.test('the sign-in starts at the origin that is registered with the provider', async (t) => {
  const { provider, own: controlPlane } = await startWithProvider(t);
  provider.currentUser = max;
  const elsewhere = controlPlane.url.replace('127.0.0.1', 'localhost');
  const first = await fetch(`${elsewhere}/api/v1/single-sign-on?back=/device`, { redirect: 'manual' });
  t.equal(first.headers.get('location'), `${controlPlane.url}/api/v1/single-sign-on?moved=1&back=%2Fdevice`);
  t.same(first.headers.getSetCookie(), []);
  const second = await fetch(first.headers.get('location') ?? '', { redirect: 'manual' });
  const providerUrl = new URL(second.headers.get('location') ?? '');
  t.equal(providerUrl.origin, provider.issuer);
  t.equal(providerUrl.searchParams.get('code_challenge_method'), 'S256');
  t.equal(providerUrl.searchParams.get('redirect_uri'), `${controlPlane.url}/single-sign-on`);
  t.match(second.headers.getSetCookie().join(), /^vp-sso-\d+=[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Strict$/);
});

t.test('the return path cannot lead to another host', async (t) => {
  const pages = ['/', '/runs/20260101T000000000', '/instances/a/runs?result=failed', '/settings/people', '/device'];
  for (const page of [...pages, '/interaction/abc']) t.equal(toReturnPath(page), page);
  for (const requestedPath of [
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
    t.equal(toReturnPath(requestedPath), '/', requestedPath);
});

t.test('without a provider it is refused: SINGLE_SIGN_ON_OFF', async (t) => {
  const { startTestServer: served } = await import('../test-server.ts');
  const api = await served(t);
  const response = await api.ask('GET', '/api/v1/single-sign-on', undefined, null);
  t.equal(response.status, 404);
  t.equal(await readErrorCode(response), 'SINGLE_SIGN_ON_OFF');
});
