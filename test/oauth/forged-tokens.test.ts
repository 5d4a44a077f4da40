/** Forged, foreign, guessed and expired access tokens. */
import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import t from 'tap';
import { openControl } from '../../src/control/open-control.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { loadSigningKeys } from '../../src/identity/oauth/signing-key.ts';
import { advanceDate } from '../environment/advance-date.ts';
import { describeAccess, startHubControlPlane } from './hub-control-plane.ts';
import { obtainTokens, registerClient } from './oauth-client.ts';

/** Creates the signing key of a new control plane, so that the test knows its private part. */
async function createSigningKey(folder: string): Promise<KeyObject> {
  const [clock, random] = [systemClock, systemRandom];
  const onError = (error: unknown): void => {
    t.fail(String(error));
  };
  const control = await openControl({ folder, clock, random, pid: process.pid, onError });
  const [key] = await loadSigningKeys({ database: control.database, keys: control.keyring, clock, random });
  await control.close();
  if (!key) throw new Error('no signing key');
  return createPrivateKey({ key, format: 'jwk' });
}

const folder = t.testdir();
const ownKey = await createSigningKey(folder);
const plane = await startHubControlPlane(t, {}, folder);
const client = await registerClient(plane);
const acme = '/hub/acme/mcp';
const nowS = Math.floor(Date.now() / 1000);
const claims = {
  iss: plane.url,
  sub: plane.ids.Ana,
  aud: `${plane.url}/hub/acme`,
  client_id: client.clientId,
  scope: 'hub',
  iat: nowS - 10,
  exp: nowS + 600,
  jti: 'x',
};

const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const { keys } = await (await fetch(`${plane.url}/oauth/jwks`)).json();
const [published] = keys;

function signJwt(header: object, payload: object, key: KeyObject): string {
  const body = `${encodePart(header)}.${encodePart(payload)}`;
  return `${body}.${sign('sha256', Buffer.from(body), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const es256 = { alg: 'ES256', typ: 'at+jwt', kid: published.kid };
const macBody = `${encodePart({ alg: 'HS256', kid: published.kid })}.${encodePart(claims)}`;
const forgedTokens: readonly (readonly [name: string, token: string])[] = [
  ['without a signature', `${encodePart({ alg: 'none' })}.${encodePart(claims)}.`],
  ['signed by a foreign key with the id of our key', signJwt(es256, claims, privateKey)],
  [
    'with an embedded key',
    signJwt({ ...es256, jwk: { ...privateKey.export({ format: 'jwk' }), d: undefined } }, claims, privateKey),
  ],
  ['with the URL of a foreign key', signJwt({ ...es256, jku: 'https://evil.example/jwks' }, claims, privateKey)],
  [
    'with our public key as an HMAC secret',
    `${macBody}.${createHmac('sha256', JSON.stringify(published)).update(macBody).digest('base64url')}`,
  ],
  ['with another audience', signJwt(es256, { ...claims, aud: `${plane.url}/hub/other` }, privateKey)],
  ['of another issuer', signJwt(es256, { ...claims, iss: 'https://elsewhere.example' }, privateKey)],
  ['that has expired', signJwt(es256, { ...claims, exp: nowS - 1 }, privateKey)],
  ['that is not yet valid', signJwt(es256, { ...claims, nbf: nowS + 600 }, privateKey)],
];
for (const [name, token] of forgedTokens) {
  t.test(`a token ${name} is rejected`, async (t) => {
    for (const path of [acme, '/agent/mcp', '/memory/mcp'])
      t.equal(await describeAccess(plane, path, token), '401 invalid_token', path);
    const headers = { authorization: `Bearer ${token}` };
    t.equal((await fetch(`${plane.url}/api/v1/session`, { headers })).status, 401);
  });
}

t.test('a JWT that our own key signed is rejected: access tokens are opaque', async (t) => {
  const { x, y } = ownKey.export({ format: 'jwk' });
  t.match(published, { x, y }, 'it is the key that the control plane publishes');
  const idToken = signJwt({ alg: 'ES256', kid: published.kid }, { ...claims, aud: client.clientId }, ownKey);
  const accessToken = signJwt(es256, claims, ownKey);
  for (const token of [idToken, accessToken]) {
    t.equal(await describeAccess(plane, acme, token), '401 invalid_token');
    const headers = { authorization: `Bearer ${token}` };
    t.equal((await fetch(`${plane.url}/api/v1/session`, { headers })).status, 401);
  }
});

t.test('a client of a hub gets no ID token', async (t) => {
  const tokens = await obtainTokens(plane.ana, client, (query) => query.set('scope', 'openid'));
  t.equal(await describeAccess(plane, acme, tokens.access_token), '200');
  t.notOk(tokens.id_token);
});

t.test('a token of another control plane is rejected', async (t) => {
  const otherPlane = await startHubControlPlane(t);
  const { access_token: token } = await obtainTokens(otherPlane.ana, await registerClient(otherPlane));
  t.equal(await describeAccess(otherPlane, acme, token), '200');
  t.equal(await describeAccess(plane, acme, token), '401 invalid_token');
});

t.test('a token expires, and using it does not extend its lifetime', async (t) => {
  const hastyPlane = await startHubControlPlane(t, { accessTokenSeconds: 4 });
  await describeAccess(hastyPlane, acme, 'x');
  const tokens = await obtainTokens(hastyPlane.max, await registerClient(hastyPlane));
  t.equal(Number(tokens.expires_in), 4);
  t.equal(await describeAccess(hastyPlane, acme, tokens.access_token), '200');
  advanceDate(t, 5000);
  t.equal(await describeAccess(hastyPlane, acme, tokens.access_token), '401 invalid_token');
});

t.test('guessing tokens is rate limited, while valid tokens are accepted', async (t) => {
  const { access_token: validToken } = await obtainTokens(plane.max, client);
  let access = '';
  for (let round = 0; round < 200 && !access.startsWith('429'); round += 1)
    access = await describeAccess(plane, acme, `${String(round).padStart(3, '0')}${'x'.repeat(40)}`);
  t.equal(access, '429 too_many_attempts');
  t.equal(await describeAccess(plane, acme, validToken), '200');
});
