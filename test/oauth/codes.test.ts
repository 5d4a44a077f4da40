/** How a code may not be redeemed. */
import { createHash } from 'node:crypto';
import t from 'tap';
import {
  asking,
  but,
  callback,
  codeBy,
  type Fields,
  posted,
  publicClient,
  redemption,
  registered,
  registering,
  resourceOf,
} from './program.ts';
import { entrance, openTown } from './town.ts';

const town = await openTown(t);
const program = await registered(town);
const stranger = await registered(town);

/** A fresh code with the form that redeems it. */
async function fresh() {
  const asked = asking(program);
  const code = await codeBy(town.max, asked);
  return { form: redemption(program, code, asked), verifier: asked.verifier, code };
}

const refused = (error = 'invalid_grant') => ({ status: 400, body: { error, access_token: undefined } });

t.test('a code with its verifier gives tokens that open the hub', async (t) => {
  const { form } = await fresh();
  const { status, headers, body } = await posted(town, 'token', form);
  t.equal(status, 200);
  t.match(body, { token_type: 'Bearer', access_token: /./, refresh_token: /./ });
  t.match(headers.get('cache-control'), /no-store/);
  t.equal(await entrance(town, '/hub/acme/mcp', body.access_token), '200');
});

type Row = readonly [name: string, spoil: (form: Fields, verifier: string) => Fields, error?: string];
const rows: readonly Row[] = [
  ['no verifier', (form) => but(form, 'code_verifier'), 'invalid_grant'],
  ['an empty verifier', (form) => but(form, 'code_verifier', '')],
  ['another verifier', (form) => but(form, 'code_verifier', 'x'.repeat(43))],
  ['a verifier that is too short', (form) => but(form, 'code_verifier', 'x'), 'invalid_request'],
  [
    'the challenge for the verifier, as if it were plain',
    (form, verifier) => but(form, 'code_verifier', createHash('sha256').update(verifier).digest('base64url')),
  ],
  ['another redirect address', (form) => but(form, 'redirect_uri', 'http://127.0.0.1:45679/callback')],
  ['no redirect address', (form) => but(form, 'redirect_uri'), 'invalid_request'],
  ['another client', (form) => but(form, 'client_id', stranger.clientId)],
  ['an unknown client', (form) => but(form, 'client_id', 'nobody'), 'invalid_client'],
  ['another code', (form) => but(form, 'code', 'x'.repeat(43))],
  ['another hub', (form) => but(form, 'resource', resourceOf(town, 'other')), 'invalid_target'],
  ['the API', (form) => but(form, 'resource', `${town.url}/api/v1`), 'invalid_target'],
  ['a resource elsewhere', (form) => but(form, 'resource', 'https://elsewhere.example/hub/acme'), 'invalid_target'],
  ['two resources', (form) => [...form, ['resource', resourceOf(town, 'other')]], 'invalid_target'],
  ['two verifiers', (form) => [...form, ['code_verifier', 'x'.repeat(43)]], 'invalid_request'],
];
for (const [name, spoil, error = 'invalid_grant'] of rows) {
  t.test(`a code is not redeemed with ${name}`, async (t) => {
    const { form, verifier } = await fresh();
    const { status, body } = await posted(town, 'token', spoil(form, verifier));
    t.ok(status === 400 || status === 401, `${status}`);
    t.equal(body.error, error, body.error_description ?? '');
    t.notOk(body.access_token);
    if (error === 'invalid_target')
      t.equal((await posted(town, 'token', form)).status, 200, 'asked for rightly it still holds');
  });
}

t.test('the second use of a code ends the tokens of the first', async (t) => {
  const { form } = await fresh();
  const { body } = await posted(town, 'token', form);
  t.equal(await entrance(town, '/hub/acme/mcp', body.access_token), '200');
  t.match(await posted(town, 'token', form), refused());
  t.equal(await entrance(town, '/hub/acme/mcp', body.access_token), '401 invalid_token');
  const renewal: Fields = [
    ['grant_type', 'refresh_token'],
    ['client_id', program.clientId],
    ['refresh_token', body.refresh_token ?? ''],
  ];
  t.match(await posted(town, 'token', renewal), refused());
});

t.test('of two uses of a code at the same time one succeeds at most', async (t) => {
  const { form } = await fresh();
  const both = await Promise.all([posted(town, 'token', form), posted(town, 'token', form)]);
  t.ok(both.filter(({ status }) => status === 200).length <= 1);
});

t.test('a code that stands in an address of the token endpoint is none', async (t) => {
  const { form } = await fresh();
  const query = new URLSearchParams(form.map(([name, value]) => [name, value]));
  for (const method of ['GET', 'POST']) {
    const response = await fetch(`${town.url}/oauth/token?${query}`, { method });
    t.not(response.status, 200);
    t.notMatch(await response.text(), /access_token/);
  }
});

t.test('a client that has a secret shows it, and no other', async (t) => {
  const { body: client } = await registering(town, publicClient({ token_endpoint_auth_method: 'client_secret_post' }));
  t.ok(client.client_secret);
  const confidential = { url: town.url, clientId: client.client_id ?? '', redirectUri: callback };
  const asked = asking(confidential);
  const form = redemption(confidential, await codeBy(town.max, asked), asked);
  for (const secret of [undefined, '', 'x'.repeat(43), client.client_secret?.slice(0, -1)]) {
    const { status, body } = await posted(town, 'token', but(form, 'client_secret', secret));
    t.equal(status, 401, `${secret}`);
    t.equal(body.error, 'invalid_client');
  }
  t.ok((await posted(town, 'token', but(form, 'client_secret', client.client_secret))).body.access_token);
});

t.test('a code that is late is none', async (t) => {
  const hurried = await openTown(t, { codeSeconds: 1 });
  const late = await registered(hurried);
  const asked = asking(late);
  const form = redemption(late, await codeBy(hurried.max, asked), asked);
  await new Promise((resolve) => setTimeout(resolve, 1600));
  t.match(await posted(hurried, 'token', form), refused());
});
