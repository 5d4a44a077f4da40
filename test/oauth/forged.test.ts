/** Tokens that somebody made themselves, and tokens past their time. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import t from 'tap';
import { registered, tokensBy } from './program.ts';
import { entrance, openTown } from './town.ts';

const town = await openTown(t);
const program = await registered(town);
const acme = '/hub/acme/mcp';
const nowS = Math.floor(Date.now() / 1000);
const claims = {
  iss: town.url,
  sub: town.ids.Ana,
  aud: `${town.url}/hub/acme`,
  client_id: program.clientId,
  scope: 'hub',
  iat: nowS - 10,
  exp: nowS + 600,
  jti: 'x',
};

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const { keys } = await (await fetch(`${town.url}/oauth/jwks`)).json();
const [published] = keys;

function signed(header: object, payload: object, key: KeyObject): string {
  const body = `${part(header)}.${part(payload)}`;
  return `${body}.${sign('sha256', Buffer.from(body), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const es256 = { alg: 'ES256', typ: 'at+jwt', kid: published.kid };
const macBody = `${part({ alg: 'HS256', kid: published.kid })}.${part(claims)}`;
const forged: readonly (readonly [name: string, token: string])[] = [
  ['without a signature', `${part({ alg: 'none' })}.${part(claims)}.`],
  ['signed by a key of its own under our key’s name', signed(es256, claims, privateKey)],
  [
    'that brings its own key',
    signed({ ...es256, jwk: { ...privateKey.export({ format: 'jwk' }), d: undefined } }, claims, privateKey),
  ],
  ['that names where its key is', signed({ ...es256, jku: 'https://evil.example/jwks' }, claims, privateKey)],
  [
    'sealed with our public key as a secret',
    `${macBody}.${createHmac('sha256', JSON.stringify(published)).update(macBody).digest('base64url')}`,
  ],
  ['with another audience', signed(es256, { ...claims, aud: `${town.url}/hub/other` }, privateKey)],
  ['of another issuer', signed(es256, { ...claims, iss: 'https://elsewhere.example' }, privateKey)],
  ['past its time', signed(es256, { ...claims, exp: nowS - 1 }, privateKey)],
  ['before its time', signed(es256, { ...claims, nbf: nowS + 600 }, privateKey)],
];
for (const [name, token] of forged) {
  t.test(`a token ${name} opens nothing`, async (t) => {
    for (const path of [acme, '/agent/mcp', '/memory/mcp'])
      t.equal(await entrance(town, path, token), '401 invalid_token', path);
    const headers = { authorization: `Bearer ${token}` };
    t.equal((await fetch(`${town.url}/api/v1/session`, { headers })).status, 401);
  });
}

t.test('what our own key signed for another purpose opens nothing', async (t) => {
  const tokens = await tokensBy(town.ana, program, (query) => query.set('scope', 'openid')).catch(() => undefined);
  if (tokens?.id_token) t.equal(await entrance(town, acme, tokens.id_token), '401 invalid_token');
  else t.pass('no identity is told to a hub’s client');
});

t.test('a token of another control plane opens nothing here', async (t) => {
  const elsewhere = await openTown(t);
  const { access_token: token } = await tokensBy(elsewhere.ana, await registered(elsewhere));
  t.equal(await entrance(elsewhere, acme, token), '200');
  t.equal(await entrance(town, acme, token), '401 invalid_token');
});

t.test('a token is none once its time is over, and never gets longer by use', async (t) => {
  const hurried = await openTown(t, { accessSeconds: 4 });
  await entrance(hurried, acme, 'x');
  const tokens = await tokensBy(hurried.max, await registered(hurried));
  t.equal(Number(tokens.expires_in), 4);
  t.equal(await entrance(hurried, acme, tokens.access_token), '200');
  await new Promise((resolve) => setTimeout(resolve, 4100));
  t.equal(await entrance(hurried, acme, tokens.access_token), '401 invalid_token');
});

t.test('guessing tokens is slowed down, and those that hold are let in meanwhile', async (t) => {
  const { access_token: good } = await tokensBy(town.max, program);
  let said = '';
  for (let round = 0; round < 200 && !said.startsWith('429'); round += 1)
    said = await entrance(town, acme, `${String(round).padStart(3, '0')}${'x'.repeat(40)}`);
  t.equal(said, '429 too_many_attempts');
  t.equal(await entrance(town, acme, good), '200');
});
