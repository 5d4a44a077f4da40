/** The ways into a hub: every credential with every state, its status and its body. */
import fc from 'fast-check';
import t from 'tap';
import { systemRandom } from '../../src/environment/random.ts';
import { doorOf } from '../../src/hub/door.ts';
import { invalidToken, refusalResponse } from '../../src/hub/door-refusals.ts';
import { defaultHubSettings } from '../../src/hub/hubs-context.ts';
import type { HubEntrance } from '../../src/hub/words.ts';
import { mintPersonalToken } from '../../src/secrets/personal-token.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { apiKey, password } from '../server/browser.ts';
import { hubPeople, makeHub, makeToken, putMember } from './hub-people.ts';

const here = '10.0.0.1';
const dayMs = 86_400_000;

/** `in as <role>`, or `<status> <code>`. */
const short = (entrance: HubEntrance): string =>
  entrance.kind === 'in' ? `in as ${entrance.principal.role}` : `${entrance.status} ${entrance.code}`;

t.test('a token that holds leads into its hub, in the name of whoever made it', async (t) => {
  const { api, max, hub, ids } = await hubPeople(t);
  const { token, hub_token: made } = await makeToken(max, 'acme');
  const principal = {
    hub: { id: hub.hub_id, slug: 'acme' },
    person: { personId: ids.Max, name: 'Max' },
    role: 'member',
    via: { kind: 'token', tokenId: made.token_id, tokenName: 'ci' },
    client: undefined,
  };
  t.same(await api.hub.door.agent(token, here), { kind: 'in', principal });
  t.same(await api.hub.door.hub('acme', token, here), { kind: 'in', principal });
});

t.test('every state of a token at both addresses', async (t) => {
  const clock = fakeClock();
  const { api, ana, max, ids } = await hubPeople(t, { clock });
  await makeHub(ana, 'other');
  const at = async (token: string | undefined, slug = 'acme') => [
    short(await api.hub.door.agent(token, here)),
    short(await api.hub.door.hub(slug, token, here)),
  ];
  const both = (word: string): string[] => [word, word];
  t.same(await at(undefined), both('401 missing_token'));
  for (const text of ['', 'x', 'vph_', `vph_${'0'.repeat(49)}`, mintPersonalToken(systemRandom), 'x'.repeat(5000)])
    t.same(await at(text), both('401 invalid_token'), text.slice(0, 60));
  t.same(await at(await apiKey(ana, 'owner')), both('401 invalid_token'), 'an API key is none');
  t.same(await at(api.owner), both('401 invalid_token'));

  const of = async (slug: string) => makeToken(ana, slug, '30 days');
  const [held, rotated, ended, expired] = [await of('acme'), await of('acme'), await of('acme'), await of('acme')];
  t.same(await at(held.token), both('in as owner'));
  t.same(await at(held.token, 'other'), ['in as owner', '403 ERR_SCOPE_UNAVAILABLE']);
  t.same(await at(held.token, 'nothing'), ['in as owner', '403 ERR_SCOPE_UNAVAILABLE'], 'no hub is betrayed');
  t.same(await at(`${held.token}x`), both('401 invalid_token'));
  await ana.ask('POST', `/api/v1/hub-tokens/${rotated.hub_token.token_id}/rotate`, {});
  t.same(await at(rotated.token), both('401 invalid_token'));
  t.same(await at(rotated.token, 'other'), both('401 invalid_token'), 'a bad token is bad before it is another hub’s');
  await ana.ask('DELETE', `/api/v1/hub-tokens/${ended.hub_token.token_id}`);
  t.same(await at(ended.token), both('401 invalid_token'));
  clock.advance(30 * dayMs - 1);
  t.same(await at(expired.token), both('in as owner'));
  clock.advance(1);
  t.same(await at(expired.token), both('401 invalid_token'));

  // Their sessions ended in these thirty days.
  await max.enter('/api/v1/session', { email: 'max@example.com', password });
  const mine = await makeToken(max, 'acme', 'No expiration');
  t.same(await at(mine.token), both('in as member'));
  t.equal((await max.ask('POST', '/api/v1/hubs/acme/leave')).status, 204);
  t.same(await at(mine.token), both('403 membership_required'), 'the next call after leaving');
  t.same(await at(mine.token, 'other'), ['403 membership_required', '403 ERR_SCOPE_UNAVAILABLE']);
  await ana.enter('/api/v1/session', { email: 'ana@example.com', password });
  await putMember(ana, 'acme', ids.Max ?? '', 'viewer');
  t.same(await at(mine.token), both('in as viewer'), 'what holds is the membership of this moment');
  t.equal((await ana.ask('DELETE', '/api/v1/hubs/acme')).status, 204);
  t.same(await at(mine.token), both('401 invalid_token'), 'a token ends with its hub');
});

t.test('a token follows its hub to another slug, and ends with the account of its maker', async (t) => {
  const { api, ana, max, ids } = await hubPeople(t);
  const { token } = await makeToken(max, 'acme');
  await ana.ask('PUT', '/api/v1/hubs/acme', { slug: 'renamed' });
  t.equal(short(await api.hub.door.agent(token, here)), 'in as member');
  t.equal(short(await api.hub.door.hub('renamed', token, here)), 'in as member');
  t.equal(short(await api.hub.door.hub('acme', token, here)), '403 ERR_SCOPE_UNAVAILABLE');
  await ana.ask('DELETE', `/api/v1/people/${ids.Max}`);
  t.equal(short(await api.hub.door.agent(token, here)), '401 invalid_token');
});

t.test('refusals carry their code, a sentence and a cure, and challenge with 401 only', async (t) => {
  const { api, ana, max } = await hubPeople(t);
  await makeHub(ana, 'other');
  const [own, left] = [await makeToken(ana, 'acme'), await makeToken(max, 'acme')];
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  const { door } = api.hub;
  const metadata = 'https://vp.example.com/hub/acme/.well-known/oauth-protected-resource';
  const refusals: [HubEntrance, string | undefined, number, string, string | null][] = [
    [await door.agent(undefined, here), undefined, 401, 'missing_token', 'Bearer realm="vp hub"'],
    [await door.agent('vph_x', here), undefined, 401, 'invalid_token', 'Bearer realm="vp hub", error="invalid_token"'],
    [await door.agent(left.token, here), undefined, 403, 'membership_required', null],
    [await door.hub('other', own.token, here), metadata, 403, 'ERR_SCOPE_UNAVAILABLE', null],
    [
      await door.hub('acme', undefined, here),
      metadata,
      401,
      'missing_token',
      `Bearer realm="vp hub", resource_metadata="${metadata}"`,
    ],
  ];
  for (const [entrance, resourceMetadata, status, code, challenge] of refusals) {
    if (entrance.kind === 'in') throw new Error('was let in');
    const response = refusalResponse(entrance, resourceMetadata);
    t.equal(response.status, status);
    t.equal(response.headers.get('www-authenticate'), challenge, code);
    t.equal(response.headers.get('content-type'), 'application/json');
    const body = await response.json();
    t.same(Object.keys(body), ['code', 'error', 'message', 'cure']);
    t.equal(body.code, code);
    t.equal(body.error, code);
    t.ok(body.message.length > 10 && body.cure.length > 10);
  }
});

t.test('a mistyped token is told from an unknown one in words alone', async (t) => {
  const { api, ana } = await hubPeople(t);
  const { token } = await makeToken(ana, 'acme');
  const messageOf = async (text: string) => {
    const entrance = await api.hub.door.agent(text, here);
    return entrance.kind === 'in' ? 'in' : entrance.message;
  };
  t.equal(await messageOf(mintPersonalToken(systemRandom)), invalidToken.message);
  t.match(await messageOf(token.slice(0, -1)), /no whole token/);
});

t.test('nothing but the very token is let in', async (t) => {
  const { api, ana } = await hubPeople(t, { hubSettings: { refusalsAMinute: 1_000_000 } });
  const { token } = await makeToken(ana, 'acme');
  const change = fc.tuple(fc.nat(token.length - 1), fc.constantFrom(...'abcXYZ019 _-\u0000é'));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      let text = token;
      for (const [at, letter] of changes) text = text.slice(0, at) + letter + text.slice(at + 1);
      const entrance = await api.hub.door.agent(text, here);
      return text === token || entrance.kind === 'refused';
    }),
    { numRuns: 300 },
  );
  t.equal(short(await api.hub.door.agent(token, here)), 'in as owner');
});

t.test('guessing is answered with a wait, for that network alone, and never holds up a token that holds', async (t) => {
  const clock = fakeClock();
  const { api, ana } = await hubPeople(t, { clock, hubSettings: { refusalsAMinute: 3 } });
  const { token } = await makeToken(ana, 'acme');
  const guess = async (address = here) => short(await api.hub.door.agent(mintPersonalToken(systemRandom), address));
  t.same([await guess(), await guess(), await guess()], Array(3).fill('401 invalid_token'));
  t.same([await guess(), await guess()], Array(2).fill('429 too_many_attempts'));
  t.equal(short(await api.hub.door.agent(token, here)), 'in as owner');
  t.equal(await guess('10.0.0.2'), '401 invalid_token');
  t.equal(api.security.filter(({ event }) => event === 'hub_tokens_limited').length, 1);
  const refused = await api.hub.door.hub('acme', 'other', here);
  t.match(refused, { code: 'too_many_attempts', retryAfterSeconds: 60 });
  if (refused.kind === 'refused') t.equal(refusalResponse(refused).headers.get('retry-after'), '60');
  clock.advance(60_000);
  t.equal(await guess(), '401 invalid_token');
  t.equal(await guess('2001:db8::1'), '401 invalid_token');
});

t.test('calls without a token are answered with a wait after many, at every door, and hold up no token', async (t) => {
  const clock = fakeClock();
  const { api, ana } = await hubPeople(t, { clock, hubSettings: { knocksAMinute: 3 } });
  const { token } = await makeToken(ana, 'acme');
  const { door } = api.hub;
  const knocks = [() => door.agent(undefined, here), () => door.hub('acme', undefined, here)];
  for (const knock of [...knocks, () => door.memory('acme', undefined, here)])
    t.equal(short(await knock()), '401 missing_token');
  for (const knock of knocks) t.match(await knock(), { code: 'too_many_attempts', retryAfterSeconds: 60 });
  t.equal(short(await door.agent('wrong', here)), '401 invalid_token', 'those are counted by themselves');
  t.equal(short(await door.agent(token, here)), 'in as owner');
  t.equal(short(await door.agent(undefined, '10.0.0.2')), '401 missing_token');
  clock.advance(60_000);
  t.equal(short(await door.agent(undefined, here)), '401 missing_token');
});

t.test('where it was used last and when stands with the token, within a minute', async (t) => {
  const clock = fakeClock();
  const { api, ana } = await hubPeople(t, { clock });
  const { token, hub_token: made } = await makeToken(ana, 'acme');
  const shown = async () => {
    // No call waits for the note: it is in the commit after it.
    await api.control.database.write(() => undefined);
    const { items } = await (await ana.ask('GET', '/api/v1/hub-tokens')).json();
    return [items[0].last_used_at, items[0].last_address];
  };
  t.same([made.last_used_at, made.last_address], [null, null]);
  clock.advance(1000);
  await api.hub.door.agent(token, '192.0.2.7');
  t.same(await shown(), ['2026-11-20T14:30:13.345Z', '192.0.2.7']);
  clock.advance(1000);
  await api.hub.door.agent(token, '192.0.2.7');
  t.same(await shown(), ['2026-11-20T14:30:13.345Z', '192.0.2.7'], 'most uses write nothing');
  clock.advance(10_000);
  await api.hub.door.agent(token, '192.0.2.8');
  t.same(await shown(), ['2026-11-20T14:30:24.345Z', '192.0.2.8'], 'another place is noted soon');
});

t.test('no secret stands in the log of security, in other logs or in the store', async (t) => {
  const { api, ana } = await hubPeople(t);
  const { token } = await makeToken(ana, 'acme');
  await api.hub.door.agent(token, here);
  await api.hub.door.agent(`${token}x`, here);
  const secret = token.slice(4, 47);
  t.notMatch(JSON.stringify(api.security) + JSON.stringify(api.lines), secret);
  const rows = await api.control.database.read((sql) =>
    ['hub_tokens', 'hub_token_secrets'].flatMap((table) => sql.prepare(`SELECT * FROM ${table}`).all()),
  );
  const text = JSON.stringify(rows, (_name, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  );
  t.ok(rows.length >= 2);
  t.notMatch(text, secret);
});

t.test('a program’s grant is let in where it was given out, while its person belongs there', async (t) => {
  const clock = fakeClock();
  const { api, max, hub, ids } = await hubPeople(t, { clock });
  const context = {
    database: api.control.database,
    keys: api.control.keyring,
    clock,
    random: systemRandom,
    settings: defaultHubSettings,
    tell: () => undefined,
    signedInAtMs: async () => undefined,
    onFault: (fault: unknown) => void t.fail(String(fault)),
    changed: () => undefined,
    signInsEnded: () => undefined,
  };
  const grant = {
    personId: ids.Max ?? '',
    hubId: hub.hub_id,
    clientId: 'c1',
    clientName: 'A client',
    scopes: ['hub:read'],
  };
  const door = doorOf(context, async ({ bearer, slug }) =>
    bearer === 'old' ? 'expired' : bearer === 'good' && slug === 'acme' ? grant : undefined,
  );
  t.match(await door.hub('acme', 'good', here), {
    kind: 'in',
    principal: { role: 'member', via: { kind: 'grant', clientId: 'c1', clientName: 'A client' } },
  });
  t.equal(short(await door.hub('other', 'good', here)), '401 invalid_token', 'another hub’s access token is no token');
  t.match(await door.hub('acme', 'old', here), { status: 401, code: 'invalid_token', message: /expired/ });
  t.equal(short(await door.agent('good', here)), '401 invalid_token', 'nor is one here: the address has no hub');
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  t.equal(short(await door.hub('acme', 'good', here)), '403 membership_required');
});

t.test('nobody is let in while the store cannot be read', async (t) => {
  const { api, ana } = await hubPeople(t);
  const { token } = await makeToken(ana, 'acme');
  await api.control.close();
  await t.rejects(api.hub.door.agent(token, here), { code: 'STORE_CLOSED' });
});

t.test('a challenge holds nothing that ends it or begins another', async (t) => {
  const metadata = 'https://plane.example/hub/a", x="\\\r\nb\u4e2d/.well-known';
  const challenge = refusalResponse(invalidToken, metadata).headers.get('www-authenticate');
  t.equal(
    challenge,
    'Bearer realm="vp hub", error="invalid_token", resource_metadata="https://plane.example/hub/a, x=b/.well-known"',
  );
});
