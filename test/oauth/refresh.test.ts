/** What a refresh token must not be accepted for. */
import t from 'tap';
import { password } from '../server/oauth/oauth-control-plane.ts';
import { describeAccess, putMember, startHubControlPlane } from './hub-control-plane.ts';
import { buildHubResource, obtainTokens, postFields, refreshTokens, registerClient } from './oauth-client.ts';

const plane = await startHubControlPlane(t);
const client = await registerClient(plane);
const acme = '/hub/acme/mcp';

t.test('refreshing gives new tokens for the same hub', async (t) => {
  const firstTokens = await obtainTokens(plane.max, client);
  const { status, body } = await refreshTokens(client, firstTokens.refresh_token);
  t.equal(status, 200);
  t.not(body.refresh_token, firstTokens.refresh_token);
  t.equal(await describeAccess(plane, acme, body.access_token), '200');
  t.equal(await describeAccess(plane, '/hub/other/mcp', body.access_token), '401 invalid_token');
});

t.test('the second use of a refresh token revokes the whole grant', async (t) => {
  const firstTokens = await obtainTokens(plane.max, client);
  const { body: secondTokens } = await refreshTokens(client, firstTokens.refresh_token);
  t.match(await refreshTokens(client, firstTokens.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
  for (const token of [firstTokens.access_token, secondTokens.access_token])
    t.equal(await describeAccess(plane, acme, token), '401 invalid_token');
  t.match(await refreshTokens(client, secondTokens.refresh_token), { status: 400 });
});

t.test('at most one of two concurrent uses succeeds, and the grant is revoked', async (t) => {
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    const { refresh_token: token, access_token: first } = await obtainTokens(plane.max, client);
    const responses = await Promise.all([refreshTokens(client, token), refreshTokens(client, token)]);
    t.ok(responses.filter(({ status }) => status === 200).length <= 1);
    for (const accessToken of [first, ...responses.map(({ body }) => body.access_token)])
      if (accessToken) t.equal(await describeAccess(plane, acme, accessToken), '401 invalid_token');
  }
});

t.test('another client cannot use it', async (t) => {
  const { refresh_token: token } = await obtainTokens(plane.max, client);
  const otherClient = await registerClient(plane);
  t.match(await refreshTokens(otherClient, token), { status: 400, body: { error: 'invalid_grant' } });
});

for (const [name, resource] of [
  ['another hub', buildHubResource(plane, 'other')],
  ['the API', `${plane.url}/api/v1`],
  ['a resource elsewhere', 'https://elsewhere.example/hub/acme'],
  ['no hub', plane.url],
  ['the URL of the hub’s MCP endpoint', `${buildHubResource(plane)}/mcp`],
] as const) {
  t.test(`a refresh token gives no token for ${name}`, async (t) => {
    const { refresh_token: token } = await obtainTokens(plane.ana, client);
    const { status, body } = await refreshTokens(client, token, [['resource', resource]]);
    t.equal(status, 400);
    t.equal(body.error, 'invalid_target');
    t.equal((await refreshTokens(client, token)).status, 200, 'the refresh token is still valid');
  });
}

t.test('refreshing does not extend the scopes', async (t) => {
  const { refresh_token: token } = await obtainTokens(plane.max, client);
  const { body } = await refreshTokens(client, token, [['scope', 'api']]);
  const response = await fetch(`${plane.url}/api/v1/session`, {
    headers: { authorization: `Bearer ${body.access_token ?? 'none'}` },
  });
  t.equal(response.status, 401);
});

t.test('a refresh token is not an access token, and an access token is not a refresh token', async (t) => {
  const tokens = await obtainTokens(plane.max, client);
  t.equal(await describeAccess(plane, acme, tokens.refresh_token), '401 invalid_token');
  t.match(await refreshTokens(client, tokens.access_token), { status: 400, body: { error: 'invalid_grant' } });
});

t.test('it is revoked when the person revokes the grant', async (t) => {
  const ownClient = await registerClient(plane, undefined, { client_name: 'Revoked app' });
  const tokens = await obtainTokens(plane.max, ownClient);
  const { items } = await (await plane.max.api('GET', '/grants')).json();
  const grant = items.find((item: { client_name: string }) => item.client_name === 'Revoked app');
  t.ok(grant, 'the grant is listed');
  t.equal((await plane.max.api('DELETE', `/grants/${grant?.grant_id}`)).status, 204);
  t.equal(await describeAccess(plane, acme, tokens.access_token), '401 invalid_token');
  t.match(await refreshTokens(ownClient, tokens.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
});

t.test('revocation invalidates both tokens, and only for the own client', async (t) => {
  const tokens = await obtainTokens(plane.max, client);
  const otherClient = await registerClient(plane);
  const revoke = (clientId: string) =>
    postFields(plane, 'revoke', [
      ['client_id', clientId],
      ['token', tokens.refresh_token ?? ''],
    ]);
  await revoke(otherClient.clientId);
  t.equal(await describeAccess(plane, acme, tokens.access_token), '200');
  t.equal((await revoke(client.clientId)).status, 200);
  t.equal(await describeAccess(plane, acme, tokens.access_token), '401 invalid_token');
  t.match(await refreshTokens(client, tokens.refresh_token), { status: 400 });
});

t.test('after leaving the hub the tokens are rejected, also after a refresh', async (t) => {
  const tokens = await obtainTokens(plane.max, client);
  t.equal((await plane.max.api('POST', '/hubs/acme/leave')).status, 204);
  t.equal(await describeAccess(plane, acme, tokens.access_token), '403 membership_required');
  const { body } = await refreshTokens(client, tokens.refresh_token);
  if (body.access_token) t.equal(await describeAccess(plane, acme, body.access_token), '403 membership_required');
  await putMember(plane.ana, 'acme', plane.ids.Max ?? '');
});

t.test('a new password revokes all grants', async (t) => {
  const tokens = await obtainTokens(plane.max, client);
  const next = 'window-otter-31-basalt';
  t.equal((await plane.max.api('PUT', '/session/password', { current: password, next })).status, 204);
  t.equal(await describeAccess(plane, acme, tokens.access_token), '401 invalid_token');
  t.match(await refreshTokens(client, tokens.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
});
