/** An access token of one hub is rejected by every other resource, and every other credential is rejected by the hub. */
import t from 'tap';
import { apiScope } from '../../src/identity/oauth/resources/resources.ts';
import { buildAuthorization, obtainCode, redeemCode } from '../server/oauth/oauth-control-plane.ts';
import { describeAccess, postMcp, startHubControlPlane } from './hub-control-plane.ts';
import { obtainHubCode, obtainTokens, prepareAuthorization, registerClient } from './oauth-client.ts';

const plane = await startHubControlPlane(t);
const client = await registerClient(plane);
const { access_token: token = '', refresh_token: refresh = '' } = await obtainTokens(plane.ana, client);
const acme = '/hub/acme/mcp';

t.test('a token is accepted by its own hub', async (t) => {
  t.equal(await describeAccess(plane, acme, token), '200');
});

for (const [name, path] of [
  ['another hub of the same person', '/hub/other/mcp'],
  ['an unknown hub', '/hub/none/mcp'],
  ['the endpoint of personal access tokens', '/agent/mcp'],
  ['the memory service', '/memory/mcp'],
  ['the memory of its hub', '/memory/hub/acme/mcp'],
  ['the memory of another hub', '/memory/hub/other/mcp'],
] as const) {
  t.test(`it is rejected by ${name}`, async (t) => {
    t.equal(await describeAccess(plane, path, token), '401 invalid_token');
  });
}

for (const path of ['/session', '/hubs', '/hubs/acme', '/people', '/grants', '/hub-tokens', '/events', '/instances']) {
  t.test(`it is rejected by the API: ${path}`, async (t) => {
    const headers = { authorization: `Bearer ${token}` };
    t.equal((await fetch(`${plane.url}/api/v1${path}`, { headers })).status, 401);
  });
}

t.test('it is rejected by /metrics', async (t) => {
  const headers = { authorization: `Bearer ${token}` };
  t.equal((await fetch(`${plane.url}/metrics`, { headers })).status, 401);
});

t.test('at the endpoint without a hub it sees the baseline tools only', async (t) => {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: {},
  };
  const response = await postMcp(plane, '/mcp', token, { message, headers: { 'mcp-protocol-version': '2025-11-25' } });
  t.equal(response.status, 200);
  const names = [...(await response.text()).matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name);
  t.same(names.sort(), ['about', 'how_to_connect', 'my_hubs']);
});

t.test('a token for the API is rejected by a hub', async (t) => {
  const authorization = buildAuthorization(plane);
  const { body } = await redeemCode(plane, await obtainCode(plane.ana, authorization.url), authorization);
  t.equal(body.scope, apiScope);
  t.equal(await describeAccess(plane, acme, body.access_token), '401 invalid_token');
});

t.test('other secrets are not accepted as access tokens', async (t) => {
  const { key } = await (await plane.ana.api('POST', '/api-keys', { name: 'ci', role: 'owner' })).json();
  const invalidBearers: readonly (readonly [name: string, bearer: string])[] = [
    ['a refresh token', refresh],
    ['a code', await obtainHubCode(plane.ana, prepareAuthorization(client))],
    ['an API key', key],
    ['the id of a client', client.clientId],
    ['the proof of a session', plane.ana.proof ?? ''],
    ['half a token', token.slice(0, -1)],
    ['a token with a suffix', `${token}x`],
    ['a token twice', `${token} ${token}`],
    ['nothing', ''],
  ];
  for (const [name, bearer] of invalidBearers)
    t.equal(await describeAccess(plane, acme, bearer), '401 invalid_token', name);
});

t.test('a token is accepted in the authorization header only', async (t) => {
  t.equal(await describeAccess(plane, `${acme}?access_token=${token}`, undefined), '400 REQUEST_INVALID');
  const cookie = await postMcp(plane, acme, undefined, { headers: { cookie: `access_token=${token}` } });
  t.equal(cookie.status, 401);
  const basic = await postMcp(plane, acme, undefined, { headers: { authorization: `Basic ${token}` } });
  t.equal(basic.status, 401);
});

t.test('a browser session gives no access to a hub, which prevents cross-site requests', async (t) => {
  const cookie = [...plane.ana.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
  const response = await postMcp(plane, acme, undefined, { headers: { cookie, 'x-vp-proof': plane.ana.proof ?? '' } });
  t.equal(response.status, 401);
});

t.test('the 401 response names the metadata of exactly this hub', async (t) => {
  for (const bearer of [undefined, 'x'.repeat(43)]) {
    const response = await postMcp(plane, acme, bearer);
    const challenge = response.headers.get('www-authenticate') ?? '';
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    t.equal((await (await fetch(metadata)).json()).resource, `${plane.url}/hub/acme`);
  }
  const response = await postMcp(plane, '/agent/mcp', undefined);
  t.notMatch(response.headers.get('www-authenticate'), /resource_metadata/, 'personal access tokens have no discovery');
});

t.test('membership is checked on every call', async (t) => {
  const { access_token: ownToken } = await obtainTokens(plane.max, client);
  t.equal(await describeAccess(plane, acme, ownToken), '200');
  t.equal((await plane.ana.api('DELETE', `/hubs/acme/members/${plane.ids.Max}`)).status, 204);
  t.equal(await describeAccess(plane, acme, ownToken), '403 membership_required');
  t.equal((await plane.ana.api('DELETE', `/people/${plane.ids.Max}`)).status, 204);
  t.equal(
    await describeAccess(plane, acme, ownToken),
    '401 invalid_token',
    'the tokens of a removed person are invalid',
  );
});

t.test('a token is invalid after its hub was deleted, also for a new hub of the same slug', async (t) => {
  await plane.ana.api('POST', '/hubs', { slug: 'brief', name: 'Brief' });
  const brief = (query: URLSearchParams) => query.set('resource', `${plane.url}/hub/brief`);
  const { access_token: ownToken } = await obtainTokens(plane.ana, client, brief);
  t.equal(await describeAccess(plane, '/hub/brief/mcp', ownToken), '200');
  await plane.ana.api('DELETE', '/hubs/brief');
  t.not(await describeAccess(plane, '/hub/brief/mcp', ownToken), '200');
  await plane.ana.api('POST', '/hubs', { slug: 'brief', name: 'Brief again' });
  t.not(await describeAccess(plane, '/hub/brief/mcp', ownToken), '200');
});
