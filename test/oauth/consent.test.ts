/** Consent is rejected for forged requests, other browsers and people who are not members. */
import t from 'tap';
import { advanceDate } from '../environment/advance-date.ts';
import {
  createHttpBrowser,
  decideInteraction,
  type HttpBrowser,
  parseInteractionUid,
  password,
} from '../server/oauth/oauth-control-plane.ts';
import { describeAccess, putMember, startHubControlPlane } from './hub-control-plane.ts';
import {
  buildCodeRedemption,
  completeAuthorization,
  postFields,
  prepareAuthorization,
  registerClient,
} from './oauth-client.ts';

const plane = await startHubControlPlane(t);
const client = await registerClient(plane, undefined, { client_name: 'A <b>probe</b>' });

/** Runs an authorization up to the consent page, and returns the uid of the interaction. */
async function startConsent(browser: HttpBrowser): Promise<string> {
  return parseInteractionUid(
    await decideInteraction(browser, await browser.navigate(prepareAuthorization(client).url), true),
  );
}

const readInteraction = async (browser: HttpBrowser, uid: string) =>
  (await browser.api('GET', `/interactions/${uid}`)).json();

t.test('the consent page gets the client, the hub, the scopes, the lifetimes and the membership', async (t) => {
  const authorization = await readInteraction(plane.max, await startConsent(plane.max));
  t.match(authorization, {
    kind: 'consent',
    client: {
      name: 'A <b>probe</b>',
      id: client.clientId,
      verified: false,
      registered: 'dynamic',
      redirect_host: '127.0.0.1:45678',
    },
    hub: { slug: 'acme', name: 'The acme hub' },
    member: true,
  });
  t.ok(authorization.may.length > 0);
  t.ok(authorization.lasts.access_ms > 0 && authorization.lasts.refresh_ms >= authorization.lasts.access_ms);
});

type Forge = (uid: string) => Promise<Response>;
const decide = (uid: string, headers: Record<string, string>, body = '{"allow":true}'): Promise<Response> =>
  fetch(`${plane.url}/api/v1/interactions/${uid}`, { method: 'POST', headers, body });
const cookies = (browser: HttpBrowser): string =>
  [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
const json = { 'content-type': 'application/json' };
const buildHeaders = () => ({
  ...json,
  origin: plane.url,
  cookie: cookies(plane.max),
  'x-vp-proof': plane.max.proof ?? '',
});
const omitHeader = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(buildHeaders()).filter(([browser]) => browser !== name));

const forgeries: readonly (readonly [name: string, forge: Forge, statuses: readonly number[]])[] = [
  ['from another origin', (uid) => decide(uid, { ...buildHeaders(), origin: 'https://evil.example' }), [401, 403]],
  [
    'of another port of this host',
    (uid) => decide(uid, { ...buildHeaders(), origin: 'http://127.0.0.1:3200' }),
    [401, 403],
  ],
  ['from an opaque origin', (uid) => decide(uid, { ...buildHeaders(), origin: 'null' }), [401, 403]],
  ['without an origin', (uid) => decide(uid, omitHeader('origin')), [401, 403]],
  ['without the session proof', (uid) => decide(uid, omitHeader('x-vp-proof')), [401, 403]],
  [
    'with the proof of another person',
    (uid) => decide(uid, { ...buildHeaders(), 'x-vp-proof': plane.eve.proof ?? '' }),
    [401, 403],
  ],
  ['without cookies', (uid) => decide(uid, omitHeader('cookie')), [401, 403, 410]],
  [
    'as a form',
    (uid) => decide(uid, { ...buildHeaders(), 'content-type': 'application/x-www-form-urlencoded' }, 'allow=true'),
    [400, 415],
  ],
  ['as plain text', (uid) => decide(uid, { ...buildHeaders(), 'content-type': 'text/plain' }), [400, 415]],
  ['with additional fields', (uid) => decide(uid, buildHeaders(), '{"allow":true,"scope":"api"}'), [400, 422]],
];
for (const [name, forge, statuses] of forgeries) {
  t.test(`a request ${name} does not consent`, async (t) => {
    const uid = await startConsent(plane.max);
    const { status } = await forge(uid);
    t.ok(statuses.includes(status), `${status}`);
    t.equal((await readInteraction(plane.max, uid)).kind, 'consent', 'the interaction is still pending');
  });
}

t.test('opening a URL does not consent', async (t) => {
  const uid = await startConsent(plane.max);
  for (const path of [`/interaction/${uid}?allow=true`, `/api/v1/interactions/${uid}?allow=true`]) {
    const response = await plane.max.navigate(path);
    t.notMatch(response.headers.get('location'), /code=/);
  }
  t.equal((await readInteraction(plane.max, uid)).kind, 'consent');
});

t.test('another browser cannot read or decide an interaction, not even of the same person', async (t) => {
  const uid = await startConsent(plane.max);
  const sameUserBrowser = createHttpBrowser(plane.url);
  const response = await sameUserBrowser.api('POST', '/session', { email: 'max@example.com', password });
  t.equal(response.status, 201);
  for (const browser of [sameUserBrowser, plane.eve, plane.ana, createHttpBrowser(plane.url)]) {
    t.equal((await browser.api('GET', `/interactions/${uid}`)).status, 410);
    t.ok([401, 410].includes((await browser.api('POST', `/interactions/${uid}`, { allow: true })).status));
  }
});

t.test('a browser that continues the interaction of another one gets no code', async (t) => {
  const authorization = prepareAuthorization(client);
  const uid = parseInteractionUid(
    await decideInteraction(plane.max, await plane.max.navigate(authorization.url), true),
  );
  const { redirect_to: onwards } = await (await plane.max.api('POST', `/interactions/${uid}`, { allow: true })).json();
  const response = await plane.eve.navigate(onwards);
  t.notMatch(response.headers.get('location'), /code=/);
});

t.test('an interaction is decided only once', async (t) => {
  const uid = await startConsent(plane.max);
  const firstResult = await (await plane.max.api('POST', `/interactions/${uid}`, { allow: true })).json();
  const back = await plane.max.navigate(firstResult.redirect_to);
  t.match(back.headers.get('location'), /code=/);
  t.equal((await plane.max.api('POST', `/interactions/${uid}`, { allow: true })).status, 410);
  const secondResponse = await plane.max.navigate(firstResult.redirect_to);
  t.notMatch(secondResponse.headers.get('location'), /code=/);
});

t.test('a person who is not a member cannot consent, but can deny', async (t) => {
  const uid = await startConsent(plane.eve);
  t.match(await readInteraction(plane.eve, uid), { member: false, hub: { slug: 'acme' } });
  t.notMatch(JSON.stringify(await readInteraction(plane.eve, uid)), 'The acme hub', 'the hub name is not revealed');
  const refused = await plane.eve.api('POST', `/interactions/${uid}`, { allow: true });
  t.equal(refused.status, 403);
  const query = await completeAuthorization(plane.eve, prepareAuthorization(client), false);
  t.equal(query.get('error'), 'access_denied');
  t.equal(query.get('iss'), plane.url);
});

t.test('a person who left the hub during the interaction cannot consent', async (t) => {
  const uid = await startConsent(plane.max);
  t.equal((await plane.max.api('POST', '/hubs/acme/leave')).status, 204);
  t.equal((await plane.max.api('POST', `/interactions/${uid}`, { allow: true })).status, 403);
  await putMember(plane.ana, 'acme', plane.ids.Max ?? '');
});

t.test('after leaving the hub, a code gives no access', async (t) => {
  const authorization = prepareAuthorization(client);
  const query = await completeAuthorization(plane.max, authorization);
  t.equal((await plane.max.api('POST', '/hubs/acme/leave')).status, 204);
  const { body } = await postFields(
    plane,
    'token',
    buildCodeRedemption(client, query.get('code') ?? '', authorization),
  );
  if (body.access_token)
    t.equal(await describeAccess(plane, '/hub/acme/mcp', body.access_token), '403 membership_required');
  else t.equal(body.error, 'invalid_grant');
  await putMember(plane.ana, 'acme', plane.ids.Max ?? '');
});

t.test('a person who signed out cannot decide', async (t) => {
  const browser = createHttpBrowser(plane.url);
  await browser.api('POST', '/session', { email: 'max@example.com', password });
  const uid = await startConsent(browser);
  t.equal((await browser.api('DELETE', '/session')).status, 204);
  t.equal((await browser.api('POST', `/interactions/${uid}`, { allow: true })).status, 401);
});

t.test('an expired interaction cannot be decided', async (t) => {
  const hastyPlane = await startHubControlPlane(t, { interactionSeconds: 1 });
  const start = await hastyPlane.max.navigate(prepareAuthorization(await registerClient(hastyPlane)).url);
  advanceDate(t, 2000);
  t.equal(
    (await hastyPlane.max.api('POST', `/interactions/${parseInteractionUid(start)}`, { allow: true })).status,
    410,
  );
});

t.test('another person who signs in during the interaction cannot decide', async (t) => {
  const browser = createHttpBrowser(plane.url);
  await browser.api('POST', '/session', { email: 'max@example.com', password });
  const uid = await startConsent(browser);
  await browser.api('POST', '/session', { email: 'ana@example.com', password });
  const response = await browser.api('POST', `/interactions/${uid}`, { allow: true });
  t.equal((await response.json()).code, 'INTERACTION_ENDED');
});

t.test('each client needs its own consent', async (t) => {
  await completeAuthorization(plane.max, prepareAuthorization(client));
  const secondClient = await registerClient(plane);
  const start = await plane.max.navigate(prepareAuthorization(secondClient).url);
  t.match(start.headers.get('location'), /^\/interaction\//);
  t.equal(
    (await readInteraction(plane.max, parseInteractionUid(await decideInteraction(plane.max, start, true)))).kind,
    'consent',
  );
});

t.test('the authorization response contains the issuer, against mix-up attacks (RFC 9207)', async (t) => {
  const query = await completeAuthorization(plane.max, prepareAuthorization(client));
  t.equal(query.get('iss'), plane.url);
  t.equal(query.get('state'), 'the-state');
});

t.test('the page cannot be framed and sends no referrer to other origins', async (t) => {
  const page = await fetch(`${plane.url}/interaction/${await startConsent(plane.max)}`);
  t.equal(page.headers.get('x-frame-options'), 'DENY');
  t.match(page.headers.get('content-security-policy'), /frame-ancestors 'none'/);
  t.match(page.headers.get('referrer-policy'), /no-referrer|same-origin/);
});
