/** An access token of one hub at every other door, and every other credential at the hub. */
import t from 'tap';
import { apiScope } from '../../src/identity/oauth/resources.ts';
import { authorization, codeFor, redeem } from '../server/oauth-plane.ts';
import { asking, codeBy, registered, tokensBy } from './program.ts';
import { entrance, mcp, openTown } from './town.ts';

const town = await openTown(t);
const program = await registered(town);
const { access_token: token = '', refresh_token: refresh = '' } = await tokensBy(town.ana, program);
const acme = '/hub/acme/mcp';

t.test('it opens its own hub', async (t) => {
  t.equal(await entrance(town, acme, token), '200');
});

for (const [name, path] of [
  ['another hub of the same person', '/hub/other/mcp'],
  ['a hub that is none', '/hub/none/mcp'],
  ['the door of personal access tokens', '/agent/mcp'],
  ['the memory service', '/memory/mcp'],
  ['the memory of its hub, a resource of its own', '/memory/hub/acme/mcp'],
  ['the memory of another hub', '/memory/hub/other/mcp'],
] as const) {
  t.test(`at ${name} it is no token`, async (t) => {
    t.equal(await entrance(town, path, token), '401 invalid_token');
  });
}

for (const path of ['/session', '/hubs', '/hubs/acme', '/people', '/grants', '/hub-tokens', '/events', '/instances']) {
  t.test(`at the console's API it is no token: ${path}`, async (t) => {
    const headers = { authorization: `Bearer ${token}` };
    t.equal((await fetch(`${town.url}/api/v1${path}`, { headers })).status, 401);
  });
}

t.test('it reads no metrics', async (t) => {
  const headers = { authorization: `Bearer ${token}` };
  t.equal((await fetch(`${town.url}/metrics`, { headers })).status, 401);
});

t.test('at the address without a hub it finds the baseline tools only', async (t) => {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: {},
  };
  const listed = await mcp(town, '/mcp', token, { message, headers: { 'mcp-protocol-version': '2025-11-25' } });
  t.equal(listed.status, 200);
  const names = [...(await listed.text()).matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name);
  t.same(names.sort(), ['about', 'how_to_connect', 'my_hubs']);
});

t.test('a token for the API opens no hub', async (t) => {
  const asked = authorization(town);
  const { body } = await redeem(town, await codeFor(town.ana, asked.url), asked);
  t.equal(body.scope, apiScope);
  t.equal(await entrance(town, acme, body.access_token), '401 invalid_token');
});

t.test('what is no access token opens nothing', async (t) => {
  const { key } = await (await town.ana.api('POST', '/api-keys', { name: 'ci', role: 'owner' })).json();
  const others: readonly (readonly [name: string, bearer: string])[] = [
    ['a refresh token', refresh],
    ['a code', await codeBy(town.ana, asking(program))],
    ['an API key', key],
    ['the id of a client', program.clientId],
    ['the proof of a session', town.ana.proof ?? ''],
    ['half a token', token.slice(0, -1)],
    ['a token with more behind it', `${token}x`],
    ['a token twice', `${token} ${token}`],
    ['nothing', ''],
  ];
  for (const [name, bearer] of others) t.equal(await entrance(town, acme, bearer), '401 invalid_token', name);
});

t.test('a token counts in the header alone', async (t) => {
  t.equal(await entrance(town, `${acme}?access_token=${token}`, undefined), '400 REQUEST_INVALID');
  const cookie = await mcp(town, acme, undefined, { headers: { cookie: `access_token=${token}` } });
  t.equal(cookie.status, 401);
  const basic = await mcp(town, acme, undefined, { headers: { authorization: `Basic ${token}` } });
  t.equal(basic.status, 401);
});

t.test('a browser’s session opens no hub: another page could ride on it', async (t) => {
  const cookie = [...town.ana.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
  const response = await mcp(town, acme, undefined, { headers: { cookie, 'x-vp-proof': town.ana.proof ?? '' } });
  t.equal(response.status, 401);
});

t.test('who is refused is told where to sign in, by 401 alone and for that hub alone', async (t) => {
  for (const bearer of [undefined, 'x'.repeat(43)]) {
    const response = await mcp(town, acme, bearer);
    const challenge = response.headers.get('www-authenticate') ?? '';
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    t.equal((await (await fetch(metadata)).json()).resource, `${town.url}/hub/acme`);
  }
  const agent = await mcp(town, '/agent/mcp', undefined);
  t.notMatch(agent.headers.get('www-authenticate'), /resource_metadata/, 'a personal token is not found by discovery');
});

t.test('membership is asked at every call', async (t) => {
  const { access_token: own } = await tokensBy(town.max, program);
  t.equal(await entrance(town, acme, own), '200');
  t.equal((await town.ana.api('DELETE', `/hubs/acme/members/${town.ids.Max}`)).status, 204);
  t.equal(await entrance(town, acme, own), '403 membership_required');
  t.equal((await town.ana.api('DELETE', `/people/${town.ids.Max}`)).status, 204);
  t.equal(await entrance(town, acme, own), '401 invalid_token', 'a person who is gone has no tokens');
});

t.test('a token ends with its hub, and a hub of the same slug is another one', async (t) => {
  await town.ana.api('POST', '/hubs', { slug: 'brief', name: 'Brief' });
  const brief = (query: URLSearchParams) => query.set('resource', `${town.url}/hub/brief`);
  const { access_token: own } = await tokensBy(town.ana, program, brief);
  t.equal(await entrance(town, '/hub/brief/mcp', own), '200');
  await town.ana.api('DELETE', '/hubs/brief');
  t.not(await entrance(town, '/hub/brief/mcp', own), '200');
  await town.ana.api('POST', '/hubs', { slug: 'brief', name: 'Brief again' });
  t.not(await entrance(town, '/hub/brief/mcp', own), '200');
});
