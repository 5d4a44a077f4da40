/** Personal access tokens: created, listed, revealed, rotated and revoked. */
import t from 'tap';
import type { HubToken, HubTokenWithSecret } from '../../../src/contract/hubs/hubs-api.ts';
import { tokenExpiryOptions } from '../../../src/contract/hubs/hubs-api.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import {
  buildAuthorization,
  obtainCode,
  redeemCode,
  signInFirstOwner,
  startOAuthControlPlane,
} from '../../server/oauth/oauth-control-plane.ts';
import { createApiKey, password, type TestBrowser } from '../../server/test-browser.ts';
import {
  createHub,
  createHubPeople,
  createToken,
  type HubPeople,
  putMember,
  readJson,
  readRefusal,
} from '../fixtures/hub-people.ts';

const address = '10.0.0.1';
const minuteMs = 60_000;
const dayMs = 86_400_000;

const listTokens = async (browser: TestBrowser, path = '/api/v1/hub-tokens') =>
  (await readJson<{ items: HubToken[] }>(browser.ask('GET', path))).items;
const isAccepted = async ({ api }: HubPeople, token: string) =>
  (await api.hub.authenticator.agent(token, address)).kind === 'in';
const rotate = (browser: TestBrowser, id: string, body: object = {}): Promise<HubTokenWithSecret> =>
  readJson(browser.ask('POST', `/api/v1/hub-tokens/${id}/rotate`, body));
const reveal = (browser: TestBrowser, id: string) => browser.ask('POST', `/api/v1/hub-tokens/${id}/reveal`);

t.test('a token has one of four expiries, one hub and one person, and is shown when it is created', async (t) => {
  const { max, ids } = await createHubPeople(t, { clock: fakeClock() });
  const created = await Promise.all(tokenExpiryOptions.map((expiry) => createToken(max, 'acme', expiry)));
  t.same(
    created.map(({ hub_token: { expiry, expires_at: expires } }) => [expiry, expires]),
    [
      ['30 days', '2026-12-20T14:30:12.345Z'],
      ['90 days', '2027-02-18T14:30:12.345Z'],
      ['1 year', '2027-11-20T14:30:12.345Z'],
      ['No expiration', null],
    ],
  );
  t.match(created[0], {
    hub_token: { hub: 'acme', person: 'Max', person_id: ids.Max, name: 'ci', state: 'active', rotated_at: null },
    token: /^vph_[0-9A-Za-z]{49}$/,
  });
  const listed = await max.ask('GET', '/api/v1/hub-tokens');
  t.equal((await listed.clone().json()).items.length, 4);
  t.notMatch(await listed.text(), 'vph_');
  for (const body of [
    {},
    { name: 'x' },
    { name: '', expiry: '30 days' },
    { name: 'x', expiry: '31 days' },
    { name: 'x', expiry: 30 },
  ])
    t.equal((await max.ask('POST', '/api/v1/hubs/acme/tokens', body)).status, 400, JSON.stringify(body));
});

t.test('the previous secret of a rotated token ends at once, or after the chosen grace period', async (t) => {
  const clock = fakeClock();
  const people = await createHubPeople(t, { clock });
  const { max } = people;
  const { token: firstToken, hub_token: row } = await createToken(max, 'acme', '30 days');
  clock.advance(dayMs);
  const secondToken = await rotate(max, row.token_id);
  t.match(secondToken.hub_token, {
    token_id: row.token_id,
    name: 'ci',
    previous_until: null,
    rotated_at: '2026-11-21T14:30:12.345Z',
  });
  t.equal(secondToken.hub_token.expires_at, '2026-12-21T14:30:12.345Z', 'the thirty days start again');
  t.same([await isAccepted(people, firstToken), await isAccepted(people, secondToken.token)], [false, true]);
  const thirdToken = await rotate(max, row.token_id, { grace_seconds: 3600 });
  t.equal(thirdToken.hub_token.previous_until, '2026-11-21T15:30:12.345Z');
  t.same([await isAccepted(people, secondToken.token), await isAccepted(people, thirdToken.token)], [true, true]);
  clock.advance(3_600_000 - 1);
  t.ok(await isAccepted(people, secondToken.token));
  clock.advance(1);
  t.same([await isAccepted(people, secondToken.token), await isAccepted(people, thirdToken.token)], [false, true]);
  for (const grace_seconds of [-1, 86_401, 0.5, '1'])
    t.equal((await max.ask('POST', `/api/v1/hub-tokens/${row.token_id}/rotate`, { grace_seconds })).status, 400);
});

t.test('a later rotation ends earlier grace periods, and no grace period outlasts the expiry', async (t) => {
  const clock = fakeClock();
  const people = await createHubPeople(t, { clock });
  const { max } = people;
  const { token: firstToken, hub_token: row } = await createToken(max, 'acme', '30 days');
  const secondToken = await rotate(max, row.token_id, { grace_seconds: 86_400 });
  const thirdToken = await rotate(max, row.token_id);
  t.same([await isAccepted(people, firstToken), await isAccepted(people, secondToken.token)], [false, false]);
  clock.advance(30 * dayMs - minuteMs);
  await max.signIn('/api/v1/session', { email: 'max@example.com', password });
  const fourthToken = await rotate(max, row.token_id, { grace_seconds: 3600 });
  t.equal(fourthToken.hub_token.previous_until, '2026-12-20T14:30:12.345Z');
  t.ok(await isAccepted(people, thirdToken.token));
  clock.advance(minuteMs);
  t.same([await isAccepted(people, thirdToken.token), await isAccepted(people, fourthToken.token)], [false, true]);
});

t.test('the owner can reveal a token soon after signing in, and each time is logged', async (t) => {
  const clock = fakeClock();
  const { api, max, ids } = await createHubPeople(t, { clock });
  const { token, hub_token: row } = await createToken(max, 'acme');
  clock.advance(10 * minuteMs);
  t.match(await readJson(reveal(max, row.token_id)), { token, hub_token: { token_id: row.token_id } });
  t.match(api.security.at(-1), {
    event: 'hub_token_revealed',
    hub_token: row.token_id,
    person: ids.Max,
    via: 'session',
    address: address,
  });
  clock.advance(1);
  const refused = await reveal(max, row.token_id);
  t.equal(refused.status, 403);
  t.match(await refused.json(), { code: 'SIGN_IN_NOT_RECENT', detail: /10 minutes/, cure: /sign in again/ });
  t.match(api.security.at(-1), { event: 'hub_token_reveal_refused', level: 'warn' });
  await max.signIn('/api/v1/session', { email: 'max@example.com', password });
  t.match(await readJson(reveal(max, row.token_id)), { token });
  const rotated = await rotate(max, row.token_id, { grace_seconds: 60 });
  t.match(await readJson(reveal(max, row.token_id)), { token: rotated.token }, 'the newest, never a previous one');
});

t.test('nobody else can reveal it: no owner of the hub or control plane, and no API key', async (t) => {
  const { api, ana, max, eve } = await createHubPeople(t);
  const { hub_token: row } = await createToken(max, 'acme');
  for (const browser of [ana, eve])
    for (const action of ['reveal', 'rotate'])
      t.equal(
        await readRefusal(browser.ask('POST', `/api/v1/hub-tokens/${row.token_id}/${action}`, {})),
        '404 HUB_TOKEN_UNKNOWN',
      );
  const key = await createApiKey(max, 'member');
  const requests: [string, object][] = [
    [`/api/v1/hub-tokens/${row.token_id}/reveal`, {}],
    [`/api/v1/hub-tokens/${row.token_id}/rotate`, {}],
    ['/api/v1/hubs/acme/tokens', { name: 'x', expiry: '30 days' }],
  ];
  for (const [path, body] of requests)
    t.equal(await readRefusal(api.ask('POST', path, body, key)), '403 HUB_TOKEN_KEY_REFUSED', path);
  t.equal(
    (await api.ask('DELETE', `/api/v1/hub-tokens/${row.token_id}`, undefined, key)).status,
    204,
    'revoking it is harmless',
  );
});

t.test('the sealed copy is erased at expiry, rotation and revocation, and bound to its row', async (t) => {
  const clock = fakeClock();
  const { api, max } = await createHubPeople(t, { clock });
  const { database } = api.control;
  const readSealed = (id: string) => database.read((sql) => sql.get('SELECT sealed FROM hub_tokens WHERE id = ?', id));
  const [a, b] = [await createToken(max, 'acme', '30 days'), await createToken(max, 'acme', 'No expiration')];
  const previousSealed = await readSealed(b.hub_token.token_id);
  await rotate(max, b.hub_token.token_id);
  t.notSame(await readSealed(b.hub_token.token_id), previousSealed);
  await database.write((sql) =>
    sql.run(
      'UPDATE hub_tokens SET sealed = (SELECT sealed FROM hub_tokens WHERE id = ?) WHERE id = ?',
      b.hub_token.token_id,
      a.hub_token.token_id,
    ),
  );
  t.equal(
    await readRefusal(reveal(max, a.hub_token.token_id)),
    '500 INTERNAL',
    'a copy of another row cannot be unsealed',
  );
  clock.advance(30 * dayMs);
  await max.signIn('/api/v1/session', { email: 'max@example.com', password });
  t.equal(await readRefusal(reveal(max, a.hub_token.token_id)), '410 HUB_TOKEN_ERASED', 'also before the cleanup');
  await api.hub.clean();
  t.match(await readSealed(a.hub_token.token_id), { sealed: null });
  t.match(await readSealed(b.hub_token.token_id), { sealed: Buffer }, 'a token without expiry is kept');
  t.match((await listTokens(max)).map(({ state }) => state).sort(), ['active', 'expired']);
  await max.ask('DELETE', `/api/v1/hub-tokens/${b.hub_token.token_id}`);
  t.equal(await readSealed(b.hub_token.token_id), undefined);
  t.equal(await readRefusal(reveal(max, b.hub_token.token_id)), '404 HUB_TOKEN_UNKNOWN');
  clock.advance(90 * dayMs);
  await api.hub.clean();
  t.equal(await readSealed(a.hub_token.token_id), undefined, 'tokens that expired long ago are deleted');
});

t.test('owners of a hub see and revoke everybody’s tokens there, members their own', async (t) => {
  const people = await createHubPeople(t);
  const { ana, max, vic } = people;
  const [maxToken, vicToken] = [await createToken(max, 'acme'), await createToken(vic, 'acme')];
  const path = '/api/v1/hubs/acme/tokens';
  const listPeople = async (browser: TestBrowser) =>
    (await listTokens(browser, path)).map(({ person }) => person).sort();
  t.same([await listPeople(ana), await listPeople(max), await listPeople(vic)], [['Max', 'Vic'], ['Max'], ['Vic']]);
  t.same(await listTokens(ana), [], 'none of them is Ana’s');
  const revoke = (browser: TestBrowser, { hub_token: row }: HubTokenWithSecret) =>
    browser.ask('DELETE', `/api/v1/hub-tokens/${row.token_id}`);
  t.equal(await readRefusal(revoke(max, vicToken)), '404 HUB_TOKEN_UNKNOWN');
  t.equal((await revoke(ana, vicToken)).status, 204);
  t.notOk(await isAccepted(people, vicToken.token));
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  t.match(await listTokens(max), [{ state: 'left', hub: 'acme' }]);
  t.equal((await revoke(max, maxToken)).status, 204, 'a person who left can still revoke their tokens');
});

t.test('valid tokens per person are limited over all hubs', async (t) => {
  const clock = fakeClock();
  const { ana, max, ids } = await createHubPeople(t, { clock, hubSettings: { maxTokens: 2 } });
  await createHub(ana, 'other');
  await putMember(ana, 'other', ids.Max ?? '', 'member');
  await createToken(max, 'acme', '30 days');
  const secondToken = await createToken(max, 'other', 'No expiration');
  const createAnother = () => max.ask('POST', '/api/v1/hubs/acme/tokens', { name: 'x', expiry: '30 days' });
  const refused = await createAnother();
  t.match(await refused.json(), { code: 'HUB_LIMIT_REACHED', detail: /2 tokens of yours/, cure: /vp tokens list/ });
  await max.ask('DELETE', `/api/v1/hub-tokens/${secondToken.hub_token.token_id}`);
  t.equal((await createAnother()).status, 201);
  t.equal((await createAnother()).status, 409);
  clock.advance(30 * dayMs);
  await max.signIn('/api/v1/session', { email: 'max@example.com', password });
  t.equal((await createAnother()).status, 201, 'expired ones do not count');
});

t.test('an OAuth client creates tokens, and reveals one only soon after a real sign-in', async (t) => {
  // A grant has the time of its sign-in in whole seconds.
  const startMs = Math.floor(Date.now() / 1000) * 1000;
  const controlPlane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(controlPlane);
  const authorizationRequest = buildAuthorization(controlPlane);
  const { body: tokens } = await redeemCode(
    controlPlane,
    await obtainCode(ana, authorizationRequest.url),
    authorizationRequest,
  );
  const callApi = (path: string, body: object = {}) =>
    fetch(`${controlPlane.url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  t.equal((await callApi('/hubs', { slug: 'acme' })).status, 201);
  const created: HubTokenWithSecret = await (
    await callApi('/hubs/acme/tokens', { name: 'ci', expiry: '30 days' })
  ).json();
  const path = `/hub-tokens/${created.hub_token.token_id}/reveal`;
  t.match(await (await callApi(path)).json(), { token: created.token });
  t.match(
    controlPlane.lines.find(({ security }) => security === 'hub_token_revealed'),
    { via: 'grant' },
  );
  const caller = await controlPlane.identity.authenticateBearer(tokens.access_token ?? '', address);
  if (caller?.kind !== 'person') throw new Error('the token stands for nobody');
  const signedInMs = (await controlPlane.identity.signedInAtMs(caller)) ?? 0;
  t.ok(signedInMs >= startMs && signedInMs <= Date.now());
  t.equal((await ana.api('DELETE', '/session')).status, 204);
  t.equal(
    await controlPlane.identity.signedInAtMs(caller),
    undefined,
    'consent that outlives the sign-in is not a recent sign-in',
  );
  t.match(await (await callApi(path)).json(), { code: 'SIGN_IN_NOT_RECENT', cure: /vp login/ });
});
