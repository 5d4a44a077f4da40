/** What a refresh token is not good for. */
import t from 'tap';
import { password } from '../server/oauth-plane.ts';
import { posted, registered, renewed, resourceOf, tokensBy } from './program.ts';
import { entrance, openTown, putMember } from './town.ts';

const town = await openTown(t);
const program = await registered(town);
const acme = '/hub/acme/mcp';

t.test('a renewal gives a new pair for the same hub', async (t) => {
  const first = await tokensBy(town.max, program);
  const { status, body } = await renewed(program, first.refresh_token);
  t.equal(status, 200);
  t.not(body.refresh_token, first.refresh_token);
  t.equal(await entrance(town, acme, body.access_token), '200');
  t.equal(await entrance(town, '/hub/other/mcp', body.access_token), '401 invalid_token');
});

t.test('the second use of a refresh token ends its whole family', async (t) => {
  const first = await tokensBy(town.max, program);
  const { body: second } = await renewed(program, first.refresh_token);
  t.match(await renewed(program, first.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
  for (const token of [first.access_token, second.access_token])
    t.equal(await entrance(town, acme, token), '401 invalid_token');
  t.match(await renewed(program, second.refresh_token), { status: 400 });
});

t.test('of two uses at the same time one succeeds at most', async (t) => {
  const { refresh_token: token } = await tokensBy(town.max, program);
  const both = await Promise.all([renewed(program, token), renewed(program, token)]);
  t.ok(both.filter(({ status }) => status === 200).length <= 1);
});

t.test('another client gets nothing by it, and its owner goes on', async (t) => {
  const { refresh_token: token } = await tokensBy(town.max, program);
  const stranger = await registered(town);
  t.match(await renewed(stranger, token), { status: 400, body: { error: 'invalid_grant' } });
});

for (const [name, resource] of [
  ['another hub', resourceOf(town, 'other')],
  ['the API', `${town.url}/api/v1`],
  ['a resource elsewhere', 'https://elsewhere.example/hub/acme'],
  ['no hub', town.url],
  ['the address of the hub', `${resourceOf(town)}/mcp`],
] as const) {
  t.test(`it gives no token for ${name}`, async (t) => {
    const { refresh_token: token } = await tokensBy(town.ana, program);
    const { status, body } = await renewed(program, token, [['resource', resource]]);
    t.equal(status, 400);
    t.equal(body.error, 'invalid_target');
    t.equal((await renewed(program, token)).status, 200, 'which costs nobody their sign-in');
  });
}

t.test('it does not widen what was allowed', async (t) => {
  const { refresh_token: token } = await tokensBy(town.max, program);
  const { body } = await renewed(program, token, [['scope', 'api']]);
  const answer = await fetch(`${town.url}/api/v1/session`, {
    headers: { authorization: `Bearer ${body.access_token ?? 'none'}` },
  });
  t.equal(answer.status, 401);
});

t.test('it is no access token, and an access token is no refresh token', async (t) => {
  const tokens = await tokensBy(town.max, program);
  t.equal(await entrance(town, acme, tokens.refresh_token), '401 invalid_token');
  t.match(await renewed(program, tokens.access_token), { status: 400, body: { error: 'invalid_grant' } });
});

t.test('it ends with what the person gave, at their word', async (t) => {
  const own = await registered(town, undefined, { client_name: 'Ended program' });
  const tokens = await tokensBy(town.max, own);
  const { items } = await (await town.max.api('GET', '/grants')).json();
  const grant = items.find((one: { client_name: string }) => one.client_name === 'Ended program');
  t.ok(grant, 'it stands in the list');
  t.equal((await town.max.api('DELETE', `/grants/${grant?.grant_id}`)).status, 204);
  t.equal(await entrance(town, acme, tokens.access_token), '401 invalid_token');
  t.match(await renewed(own, tokens.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
});

t.test('revoking ends both, and nobody revokes for another client', async (t) => {
  const tokens = await tokensBy(town.max, program);
  const stranger = await registered(town);
  const revoke = (clientId: string) =>
    posted(town, 'revoke', [
      ['client_id', clientId],
      ['token', tokens.refresh_token ?? ''],
    ]);
  await revoke(stranger.clientId);
  t.equal(await entrance(town, acme, tokens.access_token), '200');
  t.equal((await revoke(program.clientId)).status, 200);
  t.equal(await entrance(town, acme, tokens.access_token), '401 invalid_token');
  t.match(await renewed(program, tokens.refresh_token), { status: 400 });
});

t.test('who left the hub is refused at the next call, also after a renewal', async (t) => {
  const tokens = await tokensBy(town.max, program);
  t.equal((await town.max.api('POST', '/hubs/acme/leave')).status, 204);
  t.equal(await entrance(town, acme, tokens.access_token), '403 membership_required');
  const { body } = await renewed(program, tokens.refresh_token);
  if (body.access_token) t.equal(await entrance(town, acme, body.access_token), '403 membership_required');
  await putMember(town.ana, 'acme', town.ids.Max ?? '');
});

t.test('a new password ends what programs were given', async (t) => {
  const tokens = await tokensBy(town.max, program);
  const next = 'window-otter-31-basalt';
  t.equal((await town.max.api('PUT', '/session/password', { current: password, next })).status, 204);
  t.equal(await entrance(town, acme, tokens.access_token), '401 invalid_token');
  t.match(await renewed(program, tokens.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
});
