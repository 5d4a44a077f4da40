/** Authentication at hubs: every credential in every state, with status and body. */
import fc from 'fast-check';
import t from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { readOptionalBearerToken } from '../../../src/http/bearer.ts';
import { createHubAuthenticator } from '../../../src/hub/access/authenticator.ts';
import type { AccessDecision } from '../../../src/hub/access/principal.ts';
import { invalidTokenRefusal, toRefusalResponse } from '../../../src/hub/access/refusals.ts';
import { defaultHubSettings } from '../../../src/hub/context.ts';
import { mintPersonalToken } from '../../../src/secrets/personal-token.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createApiKey, password } from '../../server/test-browser.ts';
import { createHub, createHubPeople, createToken, putMember } from '../fixtures/hub-people.ts';

const clientAddress = '10.0.0.1';
const dayMs = 86_400_000;

/** `in as <role>`, or `<status> <code>`. */
const describe = (decision: AccessDecision): string =>
  decision.kind === 'in' ? `in as ${decision.principal.role}` : `${decision.status} ${decision.code}`;

t.test('a valid token opens its hub in the name of its owner', async (t) => {
  const { api, max, hub, ids } = await createHubPeople(t);
  const { token, hub_token: created } = await createToken(max, 'acme');
  const principal = {
    hub: { id: hub.hub_id, slug: 'acme' },
    person: { personId: ids.Max, name: 'Max' },
    role: 'member',
    via: { kind: 'token', tokenId: created.token_id, tokenName: 'ci' },
    client: undefined,
    toolList: 'all',
  };
  t.same(await api.hub.authenticator.agent(token, clientAddress), { kind: 'in', principal });
  t.same(await api.hub.authenticator.hub('acme', token, clientAddress), { kind: 'in', principal });
});

t.test('every state of a token at both endpoints', async (t) => {
  const clock = fakeClock();
  const { api, ana, max, ids } = await createHubPeople(t, { clock });
  await createHub(ana, 'other');
  const authenticateEverywhere = async (token: string | undefined, slug = 'acme') => [
    describe(await api.hub.authenticator.agent(token, clientAddress)),
    describe(await api.hub.authenticator.hub(slug, token, clientAddress)),
  ];
  const twice = (text: string): string[] => [text, text];
  t.same(await authenticateEverywhere(undefined), twice('401 missing_token'));
  for (const text of ['', 'x', 'vph_', `vph_${'0'.repeat(49)}`, mintPersonalToken(systemRandom), 'x'.repeat(5000)])
    t.same(await authenticateEverywhere(text), twice('401 invalid_token'), text.slice(0, 60));
  t.same(
    await authenticateEverywhere(await createApiKey(ana, 'owner')),
    twice('401 invalid_token'),
    'an API key is not a token',
  );
  t.same(await authenticateEverywhere(api.owner), twice('401 invalid_token'));

  const createAcmeToken = async (slug: string) => createToken(ana, slug, '30 days');
  const [validToken, rotated, revokedToken, expired] = [
    await createAcmeToken('acme'),
    await createAcmeToken('acme'),
    await createAcmeToken('acme'),
    await createAcmeToken('acme'),
  ];
  t.same(await authenticateEverywhere(validToken.token), twice('in as owner'));
  t.same(await authenticateEverywhere(validToken.token, 'other'), ['in as owner', '403 ERR_SCOPE_UNAVAILABLE']);
  t.same(
    await authenticateEverywhere(validToken.token, 'nothing'),
    ['in as owner', '403 ERR_SCOPE_UNAVAILABLE'],
    'no other hub is revealed',
  );
  t.same(await authenticateEverywhere(`${validToken.token}x`), twice('401 invalid_token'));
  await ana.ask('POST', `/api/v1/hub-tokens/${rotated.hub_token.token_id}/rotate`, {});
  t.same(await authenticateEverywhere(rotated.token), twice('401 invalid_token'));
  t.same(
    await authenticateEverywhere(rotated.token, 'other'),
    twice('401 invalid_token'),
    'an invalid token is invalid before it belongs to another hub',
  );
  await ana.ask('DELETE', `/api/v1/hub-tokens/${revokedToken.hub_token.token_id}`);
  t.same(await authenticateEverywhere(revokedToken.token), twice('401 invalid_token'));
  clock.advance(30 * dayMs - 1);
  t.same(await authenticateEverywhere(expired.token), twice('in as owner'));
  clock.advance(1);
  t.same(await authenticateEverywhere(expired.token), twice('401 invalid_token'));

  // Their sessions expired in these thirty days.
  await max.signIn('/api/v1/session', { email: 'max@example.com', password });
  const ownToken = await createToken(max, 'acme', 'No expiration');
  t.same(await authenticateEverywhere(ownToken.token), twice('in as member'));
  t.equal((await max.ask('POST', '/api/v1/hubs/acme/leave')).status, 204);
  t.same(await authenticateEverywhere(ownToken.token), twice('403 membership_required'), 'the next call after leaving');
  t.same(await authenticateEverywhere(ownToken.token, 'other'), [
    '403 membership_required',
    '403 ERR_SCOPE_UNAVAILABLE',
  ]);
  await ana.signIn('/api/v1/session', { email: 'ana@example.com', password });
  await putMember(ana, 'acme', ids.Max ?? '', 'viewer');
  t.same(await authenticateEverywhere(ownToken.token), twice('401 invalid_token'), 'a new membership has no old token');
  await max.signIn('/api/v1/session', { email: 'max@example.com', password });
  const newToken = await createToken(max, 'acme');
  t.same(await authenticateEverywhere(newToken.token), twice('in as viewer'), 'the current membership counts');
  await ana.signIn('/api/v1/session', { email: 'ana@example.com', password });
  t.equal((await ana.ask('DELETE', '/api/v1/hubs/acme')).status, 204);
  t.same(await authenticateEverywhere(ownToken.token), twice('401 invalid_token'));
  t.same(await authenticateEverywhere(newToken.token), twice('401 invalid_token'), 'a token ends with its hub');
});

t.test('a token follows its hub to another slug, and ends with the account of its owner', async (t) => {
  const { api, ana, max, ids } = await createHubPeople(t);
  const { token } = await createToken(max, 'acme');
  await ana.ask('PUT', '/api/v1/hubs/acme', { slug: 'renamed' });
  t.equal(describe(await api.hub.authenticator.agent(token, clientAddress)), 'in as member');
  t.equal(describe(await api.hub.authenticator.hub('renamed', token, clientAddress)), 'in as member');
  t.equal(describe(await api.hub.authenticator.hub('acme', token, clientAddress)), '403 ERR_SCOPE_UNAVAILABLE');
  await ana.ask('DELETE', `/api/v1/people/${ids.Max}`);
  t.equal(describe(await api.hub.authenticator.agent(token, clientAddress)), '401 invalid_token');
});

t.test('refusals have a code, a message and a fix, and challenge only with 401', async (t) => {
  const { api, ana, max } = await createHubPeople(t);
  await createHub(ana, 'other');
  const [ownToken, leftToken] = [await createToken(ana, 'acme'), await createToken(max, 'acme')];
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  const { authenticator } = api.hub;
  const metadata = 'https://vp.example.com/hub/acme/.well-known/oauth-protected-resource';
  const refusals: [AccessDecision, string | undefined, number, string, string | null][] = [
    [await authenticator.agent(undefined, clientAddress), undefined, 401, 'missing_token', 'Bearer realm="vp hub"'],
    [
      await authenticator.agent('vph_x', clientAddress),
      undefined,
      401,
      'invalid_token',
      'Bearer realm="vp hub", error="invalid_token"',
    ],
    [await authenticator.agent(leftToken.token, clientAddress), undefined, 403, 'membership_required', null],
    [await authenticator.hub('other', ownToken.token, clientAddress), metadata, 403, 'ERR_SCOPE_UNAVAILABLE', null],
    [
      await authenticator.hub('acme', undefined, clientAddress),
      metadata,
      401,
      'missing_token',
      `Bearer realm="vp hub", resource_metadata="${metadata}"`,
    ],
  ];
  for (const [decision, resourceMetadata, status, code, challenge] of refusals) {
    if (decision.kind === 'in') throw new Error('was let in');
    const response = toRefusalResponse(decision, resourceMetadata);
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

t.test('a mistyped token differs from an unknown one only in its message', async (t) => {
  const { api, ana } = await createHubPeople(t);
  const { token } = await createToken(ana, 'acme');
  const getMessage = async (text: string) => {
    const decision = await api.hub.authenticator.agent(text, clientAddress);
    return decision.kind === 'in' ? 'in' : decision.message;
  };
  t.equal(await getMessage(mintPersonalToken(systemRandom)), invalidTokenRefusal.message);
  t.match(await getMessage(token.slice(0, -1)), /token is malformed/);
});

t.test('a header that is not Bearer and a token says how it is written', async (t) => {
  const { api, ana } = await createHubPeople(t);
  const { token } = await createToken(ana, 'acme');
  for (const authorization of [token, `Token ${token}`, `Bearer "${token}"`, 'Bearer', 'Basic YTpi']) {
    const bearer = readOptionalBearerToken(new Headers({ authorization }));
    t.match(
      await api.hub.authenticator.agent(bearer, clientAddress),
      { status: 401, code: 'invalid_token', message: /no bearer token/, cure: /`Authorization: Bearer <token>`/ },
      authorization,
    );
  }
});

t.test('only the exact token is accepted', async (t) => {
  const { api, ana } = await createHubPeople(t, { hubSettings: { maxRefusalsPerMinute: 1_000_000 } });
  const { token } = await createToken(ana, 'acme');
  const letterChange = fc.tuple(fc.nat(token.length - 1), fc.constantFrom(...'abcXYZ019 _-\u0000é'));
  await fc.assert(
    fc.asyncProperty(fc.array(letterChange, { minLength: 1, maxLength: 3 }), async (letterChanges) => {
      let text = token;
      for (const [authenticateEverywhere, letter] of letterChanges)
        text = text.slice(0, authenticateEverywhere) + letter + text.slice(authenticateEverywhere + 1);
      const decision = await api.hub.authenticator.agent(text, clientAddress);
      return text === token || decision.kind === 'refused';
    }),
    { numRuns: 300 },
  );
  t.equal(describe(await api.hub.authenticator.agent(token, clientAddress)), 'in as owner');
});

t.test('guessing is rate limited per network and never blocks a valid token', async (t) => {
  const clock = fakeClock();
  const { api, ana } = await createHubPeople(t, { clock, hubSettings: { maxRefusalsPerMinute: 3 } });
  const { token } = await createToken(ana, 'acme');
  const tryRandomToken = async (address = clientAddress) =>
    describe(await api.hub.authenticator.agent(mintPersonalToken(systemRandom), address));
  t.same([await tryRandomToken(), await tryRandomToken(), await tryRandomToken()], Array(3).fill('401 invalid_token'));
  t.same([await tryRandomToken(), await tryRandomToken()], Array(2).fill('429 too_many_attempts'));
  t.equal(describe(await api.hub.authenticator.agent(token, clientAddress)), 'in as owner');
  t.equal(await tryRandomToken('10.0.0.2'), '401 invalid_token');
  t.equal(api.security.filter(({ event }) => event === 'hub_tokens_limited').length, 1);
  const refused = await api.hub.authenticator.hub('acme', 'other', clientAddress);
  t.match(refused, { code: 'too_many_attempts', retryAfterSeconds: 60 });
  if (refused.kind === 'refused') t.equal(toRefusalResponse(refused).headers.get('retry-after'), '60');
  clock.advance(60_000);
  t.equal(await tryRandomToken(), '401 invalid_token');
  t.equal(await tryRandomToken('2001:db8::1'), '401 invalid_token');
});

t.test('calls without a token are rate limited at every endpoint and never block a valid token', async (t) => {
  const clock = fakeClock();
  const { api, ana } = await createHubPeople(t, { clock, hubSettings: { maxAnonymousCallsPerMinute: 3 } });
  const { token } = await createToken(ana, 'acme');
  const { authenticator } = api.hub;
  const anonymousCalls = [
    () => authenticator.agent(undefined, clientAddress),
    () => authenticator.hub('acme', undefined, clientAddress),
  ];
  for (const callAnonymously of [...anonymousCalls, () => authenticator.memory('acme', undefined, clientAddress)])
    t.equal(describe(await callAnonymously()), '401 missing_token');
  for (const callAnonymously of anonymousCalls)
    t.match(await callAnonymously(), { code: 'too_many_attempts', retryAfterSeconds: 60 });
  t.equal(
    describe(await authenticator.agent('wrong', clientAddress)),
    '401 invalid_token',
    'invalid tokens are counted separately',
  );
  t.equal(describe(await authenticator.agent(token, clientAddress)), 'in as owner');
  t.equal(describe(await authenticator.agent(undefined, '10.0.0.2')), '401 missing_token');
  clock.advance(60_000);
  t.equal(describe(await authenticator.agent(undefined, clientAddress)), '401 missing_token');
});

t.test('the last use of a token is recorded within a minute', async (t) => {
  const clock = fakeClock();
  const { api, ana } = await createHubPeople(t, { clock });
  const { token, hub_token: created } = await createToken(ana, 'acme');
  const readLastUse = async () => {
    // The use is recorded in the background: wait for the commit.
    await api.control.database.write(() => undefined);
    const { items } = await (await ana.ask('GET', '/api/v1/hub-tokens')).json();
    return [items[0].last_used_at, items[0].last_address];
  };
  t.same([created.last_used_at, created.last_address], [null, null]);
  clock.advance(1000);
  await api.hub.authenticator.agent(token, '192.0.2.7');
  t.same(await readLastUse(), ['2026-11-20T14:30:13.345Z', '192.0.2.7']);
  clock.advance(1000);
  await api.hub.authenticator.agent(token, '192.0.2.7');
  t.same(await readLastUse(), ['2026-11-20T14:30:13.345Z', '192.0.2.7'], 'most uses write nothing');
  clock.advance(10_000);
  await api.hub.authenticator.agent(token, '192.0.2.8');
  t.same(await readLastUse(), ['2026-11-20T14:30:24.345Z', '192.0.2.8'], 'another address is recorded soon');
});

t.test('no secret is in the security log, other logs or the store', async (t) => {
  const { api, ana } = await createHubPeople(t);
  const { token } = await createToken(ana, 'acme');
  await api.hub.authenticator.agent(token, clientAddress);
  await api.hub.authenticator.agent(`${token}x`, clientAddress);
  const secret = token.slice(4, 47);
  t.notMatch(JSON.stringify(api.security) + JSON.stringify(api.lines), secret);
  const rows = await api.control.database.read((sql) =>
    ['hub_tokens', 'hub_token_secrets'].flatMap((table) => sql.all(`SELECT * FROM ${table}`)),
  );
  const serializedRows = JSON.stringify(rows, (_name, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  );
  t.ok(rows.length >= 2);
  t.notMatch(serializedRows, secret);
});

t.test('an OAuth grant is accepted for its hub while its person is a member', async (t) => {
  const clock = fakeClock();
  const { api, max, hub, ids } = await createHubPeople(t, { clock });
  const context = {
    database: api.control.database,
    keys: api.control.keyring,
    clock,
    random: systemRandom,
    settings: defaultHubSettings,
    logSecurityEvent: () => undefined,
    signedInAtMs: async () => undefined,
    onError: (error: unknown) => void t.fail(String(error)),
    notifyHubChanged: () => undefined,
    notifySignInsRemoved: () => undefined,
    notifyTokenEnded: () => undefined,
  };
  const grant = {
    personId: ids.Max ?? '',
    hubId: hub.hub_id,
    clientId: 'c1',
    clientName: 'A client',
    scopes: ['hub:read'],
    credentialId: 'grant g1',
  };
  const authenticator = createHubAuthenticator(context, async ({ bearer, slug }) =>
    bearer === 'old' ? 'expired' : bearer === 'good' && slug === 'acme' ? grant : undefined,
  );
  t.match(await authenticator.hub('acme', 'good', clientAddress), {
    kind: 'in',
    principal: { role: 'member', via: { kind: 'grant', clientId: 'c1', clientName: 'A client' } },
  });
  t.equal(
    describe(await authenticator.hub('other', 'good', clientAddress)),
    '401 invalid_token',
    'an access token for another hub is invalid',
  );
  t.match(await authenticator.hub('acme', 'old', clientAddress), {
    status: 401,
    code: 'invalid_token',
    message: /expired/,
  });
  t.equal(
    describe(await authenticator.agent('good', clientAddress)),
    '401 invalid_token',
    'likewise here: the endpoint has no hub',
  );
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  t.equal(describe(await authenticator.hub('acme', 'good', clientAddress)), '403 membership_required');
});

t.test('access is refused while the store cannot be read', async (t) => {
  const { api, ana } = await createHubPeople(t);
  const { token } = await createToken(ana, 'acme');
  await api.control.close();
  await t.rejects(api.hub.authenticator.agent(token, clientAddress), { code: 'STORE_CLOSED' });
});

t.test('a challenge contains nothing that ends it or starts another', async (t) => {
  const metadata = 'https://plane.example/hub/a", x="\\\r\nb\u4e2d/.well-known';
  const challenge = toRefusalResponse(invalidTokenRefusal, metadata).headers.get('www-authenticate');
  t.equal(
    challenge,
    'Bearer realm="vp hub", error="invalid_token", resource_metadata="https://plane.example/hub/a, x=b/.well-known"',
  );
});
