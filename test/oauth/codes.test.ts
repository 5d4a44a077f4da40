/** Invalid redemptions of authorization codes. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { advanceDate } from '../environment/advance-date.ts';
import { describeAccess, startHubControlPlane } from './hub-control-plane.ts';
import {
  buildCodeRedemption,
  buildHubResource,
  buildPublicClient,
  callbackUrl,
  type Fields,
  obtainHubCode,
  postFields,
  postRegistration,
  prepareAuthorization,
  registerClient,
  replaceField,
} from './oauth-client.ts';

const plane = await startHubControlPlane(t);
const client = await registerClient(plane);
const otherClient = await registerClient(plane);

/** A new authorization code with the form that redeems it. */
async function obtainCode() {
  const authorization = prepareAuthorization(client);
  const code = await obtainHubCode(plane.max, authorization);
  return { form: buildCodeRedemption(client, code, authorization), verifier: authorization.verifier, code };
}

const refusal = (error = 'invalid_grant') => ({ status: 400, body: { error, access_token: undefined } });

t.test('a code with its verifier gives tokens for the hub', async (t) => {
  const { form } = await obtainCode();
  const { status, headers, body } = await postFields(plane, 'token', form);
  t.equal(status, 200);
  t.match(body, { token_type: 'Bearer', access_token: /./, refresh_token: /./ });
  t.match(headers.get('cache-control'), /no-store/);
  t.equal(await describeAccess(plane, '/hub/acme/mcp', body.access_token), '200');
});

type Row = readonly [name: string, spoil: (form: Fields, verifier: string) => Fields, error?: string];
const rows: readonly Row[] = [
  ['no verifier', (form) => replaceField(form, 'code_verifier'), 'invalid_grant'],
  ['an empty verifier', (form) => replaceField(form, 'code_verifier', '')],
  ['another verifier', (form) => replaceField(form, 'code_verifier', 'x'.repeat(43))],
  ['a verifier that is too short', (form) => replaceField(form, 'code_verifier', 'x'), 'invalid_request'],
  [
    'the challenge as the verifier',
    (form, verifier) => replaceField(form, 'code_verifier', createHash('sha256').update(verifier).digest('base64url')),
  ],
  ['another redirect URI', (form) => replaceField(form, 'redirect_uri', 'http://127.0.0.1:45679/callback')],
  ['no redirect URI', (form) => replaceField(form, 'redirect_uri'), 'invalid_request'],
  ['another client', (form) => replaceField(form, 'client_id', otherClient.clientId)],
  ['an unknown client', (form) => replaceField(form, 'client_id', 'nobody'), 'invalid_client'],
  ['another code', (form) => replaceField(form, 'code', 'x'.repeat(43))],
  ['another hub', (form) => replaceField(form, 'resource', buildHubResource(plane, 'other')), 'invalid_target'],
  ['the API', (form) => replaceField(form, 'resource', `${plane.url}/api/v1`), 'invalid_target'],
  [
    'a resource elsewhere',
    (form) => replaceField(form, 'resource', 'https://elsewhere.example/hub/acme'),
    'invalid_target',
  ],
  ['two resources', (form) => [...form, ['resource', buildHubResource(plane, 'other')]], 'invalid_target'],
  ['two verifiers', (form) => [...form, ['code_verifier', 'x'.repeat(43)]], 'invalid_request'],
];
for (const [name, change, error = 'invalid_grant'] of rows) {
  t.test(`a code is not redeemed with ${name}`, async (t) => {
    const { form, verifier } = await obtainCode();
    const { status, body } = await postFields(plane, 'token', change(form, verifier));
    t.ok(status === 400 || status === 401, `${status}`);
    t.equal(body.error, error, body.error_description ?? '');
    t.notOk(body.access_token);
    if (error === 'invalid_target')
      t.match(await postFields(plane, 'token', form), { status: 200 }, 'the code is valid for the right resource');
  });
}

t.test('codes that are sent with another resource at once stay valid for theirs', async (t) => {
  const forms: Fields[] = [];
  for (let count = 0; count < 8; count += 1) forms.push((await obtainCode()).form);
  const sendTo = (resource: string, index: number) =>
    postFields(plane, 'token', replaceField(forms[index] ?? [], 'resource', resource));
  const [hub, other] = [buildHubResource(plane), buildHubResource(plane, 'other')];
  const first = await Promise.all(forms.map((_, index) => sendTo(index % 2 === 0 ? hub : other, index)));
  const second = await Promise.all(forms.map((_, index) => sendTo(index % 2 === 0 ? other : hub, index)));
  for (const [index, { status, body }] of first.entries())
    if (index % 2 === 0) t.equal(status, 200, 'the right resource');
    else t.equal(body.error, 'invalid_target', 'another resource');
  for (const [index, { status }] of second.entries())
    if (index % 2 === 1) t.equal(status, 200, 'the right resource, after another one');
});

t.test('the second use of a code revokes the tokens of the first', async (t) => {
  const { form } = await obtainCode();
  const { body } = await postFields(plane, 'token', form);
  t.equal(await describeAccess(plane, '/hub/acme/mcp', body.access_token), '200');
  t.match(await postFields(plane, 'token', form), refusal());
  t.equal(await describeAccess(plane, '/hub/acme/mcp', body.access_token), '401 invalid_token');
  const renewal: Fields = [
    ['grant_type', 'refresh_token'],
    ['client_id', client.clientId],
    ['refresh_token', body.refresh_token ?? ''],
  ];
  t.match(await postFields(plane, 'token', renewal), refusal());
});

t.test('at most one of two concurrent uses of a code succeeds, and what it got is revoked', async (t) => {
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    const { form } = await obtainCode();
    const responses = await Promise.all([postFields(plane, 'token', form), postFields(plane, 'token', form)]);
    t.ok(responses.filter(({ status }) => status === 200).length <= 1);
    for (const { body } of responses)
      if (body.access_token)
        t.equal(await describeAccess(plane, '/hub/acme/mcp', body.access_token), '401 invalid_token');
  }
});

t.test('a code in the URL of the token endpoint is not accepted', async (t) => {
  const { form } = await obtainCode();
  const query = new URLSearchParams(form.map(([name, value]) => [name, value]));
  for (const method of ['GET', 'POST']) {
    const response = await fetch(`${plane.url}/oauth/token?${query}`, { method });
    t.not(response.status, 200);
    t.notMatch(await response.text(), /access_token/);
  }
});

t.test('a confidential client must send its secret', async (t) => {
  const { body: client } = await postRegistration(
    plane,
    buildPublicClient({ token_endpoint_auth_method: 'client_secret_post' }),
  );
  t.ok(client.client_secret);
  const confidential = { url: plane.url, clientId: client.client_id ?? '', redirectUri: callbackUrl };
  const authorization = prepareAuthorization(confidential);
  const form = buildCodeRedemption(confidential, await obtainHubCode(plane.max, authorization), authorization);
  for (const secret of [undefined, '', 'x'.repeat(43), client.client_secret?.slice(0, -1)]) {
    const { status, body } = await postFields(plane, 'token', replaceField(form, 'client_secret', secret));
    t.equal(status, 401, `${secret}`);
    t.equal(body.error, 'invalid_client');
  }
  t.ok((await postFields(plane, 'token', replaceField(form, 'client_secret', client.client_secret))).body.access_token);
});

t.test('an expired code is rejected', async (t) => {
  const hastyPlane = await startHubControlPlane(t, { authorizationCodeSeconds: 1 });
  const lateClient = await registerClient(hastyPlane);
  const authorization = prepareAuthorization(lateClient);
  const form = buildCodeRedemption(lateClient, await obtainHubCode(hastyPlane.max, authorization), authorization);
  advanceDate(t, 2000);
  t.match(await postFields(hastyPlane, 'token', form), refusal());
});
