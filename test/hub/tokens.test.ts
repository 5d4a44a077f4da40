/** Personal access tokens as people make, see, rotate and end them. */
import t from 'tap';
import type { HubToken, HubTokenShown } from '../../src/contract/hub-api.ts';
import { tokenExpiries } from '../../src/contract/hub-api.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { apiKey, type Browser, password } from '../server/browser.ts';
import { authorization, codeFor, firstOwner, oauthPlane, redeem } from '../server/oauth-plane.ts';
import { type HubPeople, hubPeople, json, makeHub, makeToken, putMember, refusalOf } from './hub-people.ts';

const here = '10.0.0.1';
const minuteMs = 60_000;
const dayMs = 86_400_000;

const tokensOf = async (one: Browser, path = '/api/v1/hub-tokens') =>
  (await json<{ items: HubToken[] }>(one.ask('GET', path))).items;
const opens = async ({ api }: HubPeople, token: string) => (await api.hub.door.agent(token, here)).kind === 'in';
const rotate = (one: Browser, id: string, body: object = {}): Promise<HubTokenShown> =>
  json(one.ask('POST', `/api/v1/hub-tokens/${id}/rotate`, body));
const reveal = (one: Browser, id: string) => one.ask('POST', `/api/v1/hub-tokens/${id}/reveal`);

t.test('a token has one of four expiries, one hub and one person, and is shown when it is made', async (t) => {
  const { max, ids } = await hubPeople(t, { clock: fakeClock() });
  const made = await Promise.all(tokenExpiries.map((expiry) => makeToken(max, 'acme', expiry)));
  t.same(
    made.map(({ hub_token: { expiry, expires_at: expires } }) => [expiry, expires]),
    [
      ['30 days', '2026-12-20T14:30:12.345Z'],
      ['90 days', '2027-02-18T14:30:12.345Z'],
      ['1 year', '2027-11-20T14:30:12.345Z'],
      ['No expiration', null],
    ],
  );
  t.match(made[0], {
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

t.test('a rotated token’s secret ends at once, or after the grace that its maker picks', async (t) => {
  const clock = fakeClock();
  const people = await hubPeople(t, { clock });
  const { max } = people;
  const { token: first, hub_token: row } = await makeToken(max, 'acme', '30 days');
  clock.advance(dayMs);
  const second = await rotate(max, row.token_id);
  t.match(second.hub_token, {
    token_id: row.token_id,
    name: 'ci',
    previous_until: null,
    rotated_at: '2026-11-21T14:30:12.345Z',
  });
  t.equal(second.hub_token.expires_at, '2026-12-21T14:30:12.345Z', 'the thirty days begin anew');
  t.same([await opens(people, first), await opens(people, second.token)], [false, true]);
  const third = await rotate(max, row.token_id, { grace_seconds: 3600 });
  t.equal(third.hub_token.previous_until, '2026-11-21T15:30:12.345Z');
  t.same([await opens(people, second.token), await opens(people, third.token)], [true, true]);
  clock.advance(3_600_000 - 1);
  t.ok(await opens(people, second.token));
  clock.advance(1);
  t.same([await opens(people, second.token), await opens(people, third.token)], [false, true]);
  for (const grace_seconds of [-1, 86_401, 0.5, '1'])
    t.equal((await max.ask('POST', `/api/v1/hub-tokens/${row.token_id}/rotate`, { grace_seconds })).status, 400);
});

t.test('a later rotation ends what an earlier one let hold, and no grace outlasts the expiry', async (t) => {
  const clock = fakeClock();
  const people = await hubPeople(t, { clock });
  const { max } = people;
  const { token: first, hub_token: row } = await makeToken(max, 'acme', '30 days');
  const second = await rotate(max, row.token_id, { grace_seconds: 86_400 });
  const third = await rotate(max, row.token_id);
  t.same([await opens(people, first), await opens(people, second.token)], [false, false]);
  clock.advance(30 * dayMs - minuteMs);
  await max.enter('/api/v1/session', { email: 'max@example.com', password });
  const fourth = await rotate(max, row.token_id, { grace_seconds: 3600 });
  t.equal(fourth.hub_token.previous_until, '2026-12-20T14:30:12.345Z');
  t.ok(await opens(people, third.token));
  clock.advance(minuteMs);
  t.same([await opens(people, third.token), await opens(people, fourth.token)], [false, true]);
});

t.test(
  'its maker sees a token again soon after signing in, and each time is told to the log of security',
  async (t) => {
    const clock = fakeClock();
    const { api, max, ids } = await hubPeople(t, { clock });
    const { token, hub_token: row } = await makeToken(max, 'acme');
    clock.advance(10 * minuteMs);
    t.match(await json(reveal(max, row.token_id)), { token, hub_token: { token_id: row.token_id } });
    t.match(api.security.at(-1), {
      event: 'hub_token_revealed',
      hub_token: row.token_id,
      person: ids.Max,
      via: 'session',
      address: here,
    });
    clock.advance(1);
    const refused = await reveal(max, row.token_id);
    t.equal(refused.status, 403);
    t.match(await refused.json(), { code: 'SIGN_IN_NOT_RECENT', detail: /10 minutes/, cure: /sign in again/ });
    t.match(api.security.at(-1), { event: 'hub_token_reveal_refused', level: 'warn' });
    await max.enter('/api/v1/session', { email: 'max@example.com', password });
    t.match(await json(reveal(max, row.token_id)), { token });
    const rotated = await rotate(max, row.token_id, { grace_seconds: 60 });
    t.match(await json(reveal(max, row.token_id)), { token: rotated.token }, 'the newest, never one before it');
  },
);

t.test('nobody else sees it: no owner of the hub or of the control plane, and no key', async (t) => {
  const { api, ana, max, eve } = await hubPeople(t);
  const { hub_token: row } = await makeToken(max, 'acme');
  for (const one of [ana, eve])
    for (const what of ['reveal', 'rotate'])
      t.equal(
        await refusalOf(one.ask('POST', `/api/v1/hub-tokens/${row.token_id}/${what}`, {})),
        '404 HUB_TOKEN_UNKNOWN',
      );
  const key = await apiKey(max, 'member');
  const asks: [string, object][] = [
    [`/api/v1/hub-tokens/${row.token_id}/reveal`, {}],
    [`/api/v1/hub-tokens/${row.token_id}/rotate`, {}],
    ['/api/v1/hubs/acme/tokens', { name: 'x', expiry: '30 days' }],
  ];
  for (const [path, body] of asks)
    t.equal(await refusalOf(api.ask('POST', path, body, key)), '403 HUB_TOKEN_KEY_REFUSED', path);
  t.equal(
    (await api.ask('DELETE', `/api/v1/hub-tokens/${row.token_id}`, undefined, key)).status,
    204,
    'ending it is no harm',
  );
});

t.test('the sealed copy is erased at expiry, rotation and revocation, and bound to its row', async (t) => {
  const clock = fakeClock();
  const { api, max } = await hubPeople(t, { clock });
  const { database } = api.control;
  const sealedOf = (id: string) =>
    database.read((sql) => sql.prepare('SELECT sealed FROM hub_tokens WHERE id = ?').get(id));
  const [a, b] = [await makeToken(max, 'acme', '30 days'), await makeToken(max, 'acme', 'No expiration')];
  const before = await sealedOf(b.hub_token.token_id);
  await rotate(max, b.hub_token.token_id);
  t.notSame(await sealedOf(b.hub_token.token_id), before);
  await database.write((sql) =>
    sql
      .prepare('UPDATE hub_tokens SET sealed = (SELECT sealed FROM hub_tokens WHERE id = ?) WHERE id = ?')
      .run(b.hub_token.token_id, a.hub_token.token_id),
  );
  t.equal(await refusalOf(reveal(max, a.hub_token.token_id)), '500 INTERNAL', 'a copy from another row opens nothing');
  clock.advance(30 * dayMs);
  await max.enter('/api/v1/session', { email: 'max@example.com', password });
  t.equal(await refusalOf(reveal(max, a.hub_token.token_id)), '410 HUB_TOKEN_ERASED', 'before it is cleaned too');
  await api.hub.clean();
  t.match(await sealedOf(a.hub_token.token_id), { sealed: null });
  t.match(await sealedOf(b.hub_token.token_id), { sealed: Buffer }, 'one without end is kept');
  t.match((await tokensOf(max)).map(({ state }) => state).sort(), ['active', 'expired']);
  await max.ask('DELETE', `/api/v1/hub-tokens/${b.hub_token.token_id}`);
  t.equal(await sealedOf(b.hub_token.token_id), undefined);
  t.equal(await refusalOf(reveal(max, b.hub_token.token_id)), '404 HUB_TOKEN_UNKNOWN');
  clock.advance(90 * dayMs);
  await api.hub.clean();
  t.equal(await sealedOf(a.hub_token.token_id), undefined, 'long expired ones are forgotten');
});

t.test('owners of a hub see and end everybody’s tokens there, members their own', async (t) => {
  const people = await hubPeople(t);
  const { ana, max, vic } = people;
  const [ofMax, ofVic] = [await makeToken(max, 'acme'), await makeToken(vic, 'acme')];
  const path = '/api/v1/hubs/acme/tokens';
  const names = async (one: Browser) => (await tokensOf(one, path)).map(({ person }) => person).sort();
  t.same([await names(ana), await names(max), await names(vic)], [['Max', 'Vic'], ['Max'], ['Vic']]);
  t.same(await tokensOf(ana), [], 'none of them is Ana’s');
  const end = (one: Browser, { hub_token: row }: HubTokenShown) =>
    one.ask('DELETE', `/api/v1/hub-tokens/${row.token_id}`);
  t.equal(await refusalOf(end(max, ofVic)), '404 HUB_TOKEN_UNKNOWN');
  t.equal((await end(ana, ofVic)).status, 204);
  t.notOk(await opens(people, ofVic.token));
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  t.match(await tokensOf(max), [{ state: 'left', hub: 'acme' }]);
  t.equal((await end(max, ofMax)).status, 204, 'who left can still end what they made');
});

t.test('one person has at most so many tokens that hold, over all hubs', async (t) => {
  const clock = fakeClock();
  const { ana, max, ids } = await hubPeople(t, { clock, hubSettings: { mostTokens: 2 } });
  await makeHub(ana, 'other');
  await putMember(ana, 'other', ids.Max ?? '', 'member');
  await makeToken(max, 'acme', '30 days');
  const second = await makeToken(max, 'other', 'No expiration');
  const more = () => max.ask('POST', '/api/v1/hubs/acme/tokens', { name: 'x', expiry: '30 days' });
  const refused = await more();
  t.match(await refused.json(), { code: 'HUB_LIMIT_REACHED', detail: /2 tokens of yours/, cure: /vp tokens list/ });
  await max.ask('DELETE', `/api/v1/hub-tokens/${second.hub_token.token_id}`);
  t.equal((await more()).status, 201);
  t.equal((await more()).status, 409);
  clock.advance(30 * dayMs);
  await max.enter('/api/v1/session', { email: 'max@example.com', password });
  t.equal((await more()).status, 201, 'expired ones do not count');
});

t.test('a program that acts for a person makes tokens, and shows one only soon after a real sign-in', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const asked = authorization(plane);
  const { body: tokens } = await redeem(plane, await codeFor(ana, asked.url), asked);
  const ask = (path: string, body: object = {}) =>
    fetch(`${plane.url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  t.equal((await ask('/hubs', { slug: 'acme' })).status, 201);
  const made: HubTokenShown = await (await ask('/hubs/acme/tokens', { name: 'ci', expiry: '30 days' })).json();
  const path = `/hub-tokens/${made.hub_token.token_id}/reveal`;
  t.match(await (await ask(path)).json(), { token: made.token });
  t.match(
    plane.lines.find(({ security }) => security === 'hub_token_revealed'),
    { via: 'grant' },
  );
  const caller = await plane.identity.bearer(tokens.access_token ?? '', here);
  if (caller?.kind !== 'person') throw new Error('the token stands for nobody');
  const signedInMs = (await plane.identity.signedInAtMs(caller)) ?? 0;
  t.ok(signedInMs > Date.now() - minuteMs && signedInMs <= Date.now());
  t.equal((await ana.api('DELETE', '/session')).status, 204);
  t.equal(await plane.identity.signedInAtMs(caller), undefined, 'leave that outlives the sign-in says nothing');
  t.match(await (await ask(path)).json(), { code: 'SIGN_IN_NOT_RECENT', cure: /vp login/ });
});
