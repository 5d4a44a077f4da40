/** The life of an agent's token: made, shown once, used, rotated, ended. */
import t from 'tap';
import { fakeClock } from '../environment/fake-clock.ts';
import { agentToken, invite, setUp } from './browser.ts';
import { register, type Served, served } from './served.ts';

const base = '/api/v1/instances/own/agent-tokens';

const selfOf = (api: Served, token: string) => api.ask('GET', '/api/v1/agent', undefined, token);
const statusOf = async (api: Served, token: string) => (await selfOf(api, token)).status;

t.test('a token is shown once, says what it is for, and stands in the store as a hash', async (t) => {
  const clock = fakeClock();
  const api = await served(t, { clock });
  await register(api, 'own');
  const made = await api.ask('POST', base, { role: 'test', name: 'shop-tests' });
  t.equal(made.status, 201);
  const { agent_token: row, token } = await made.json();
  t.match(token, /^vpr_own_test_[\w-]{43}$/);
  t.match(row.agent_token_id, /^[0-9a-f]{16}$/);
  t.match(row, { instance: 'own', role: 'test', name: 'shop-tests', made_by: 'owner', last_used_at: null });
  clock.advance(1000);
  t.same(await (await selfOf(api, token)).json(), {
    agent_token_id: row.agent_token_id,
    instance: 'own',
    role: 'test',
    person: 'owner',
  });
  const list = await (await api.ask('GET', base)).text();
  t.match(JSON.parse(list).items, [{ ...row, last_used_at: '2026-11-20T14:30:13.345Z' }]);
  const secret = token.slice('vpr_own_test_'.length);
  t.notMatch(list, secret);
  t.notMatch(JSON.stringify(api.security) + JSON.stringify(api.lines), secret);
  const rows = await api.control.database.read((sql) => sql.prepare('SELECT * FROM agent_tokens').all());
  t.equal(rows.length, 1);
  t.notMatch(JSON.stringify(rows), secret);
});

t.test('a rotated token ends at once, and keeps its id, role and name', async (t) => {
  const api = await served(t);
  await register(api, 'own');
  const { agent_token: row, token } = await (await api.ask('POST', base, { role: 'product', name: 'p' })).json();
  const rotated = await (await api.ask('POST', `${base}/${row.agent_token_id}/rotate`)).json();
  t.match(rotated.token, /^vpr_own_product_/);
  t.not(rotated.token, token);
  t.match(rotated.agent_token, { agent_token_id: row.agent_token_id, role: 'product', name: 'p' });
  const refused = await selfOf(api, token);
  t.equal(refused.status, 401);
  t.match(await refused.json(), { code: 'CREDENTIAL_INVALID', cure: /agent token .*vp agent-token make/ });
  t.match(api.security.at(-1), { event: 'agent_token_used_after_end', level: 'warn' });
  t.equal(await statusOf(api, rotated.token), 200);
});

t.test('a token ends when it is ended, and with its instance', async (t) => {
  const api = await served(t);
  await register(api, 'own');
  const { agent_token: row, token } = await (await api.ask('POST', base, { role: 'test' })).json();
  const second = await agentToken(api, 'own', 'product');
  t.equal((await api.ask('DELETE', `${base}/${row.agent_token_id}`)).status, 204);
  t.equal(await statusOf(api, token), 401);
  for (const [method, path] of [
    ['DELETE', row.agent_token_id],
    ['POST', `${row.agent_token_id}/rotate`],
  ])
    t.match(await (await api.ask(method ?? '', `${base}/${path}`)).json(), { code: 'AGENT_TOKEN_UNKNOWN' });
  await register(api, 'other');
  const { items } = await (await api.ask('GET', base)).json();
  const elsewhere = `/api/v1/instances/other/agent-tokens/${items[0].agent_token_id}`;
  t.equal((await api.ask('DELETE', elsewhere)).status, 404, 'another instance’s token is none of this one');
  t.equal(await statusOf(api, second), 200);
  t.equal((await api.ask('DELETE', '/api/v1/instances/own')).status, 204);
  t.equal(await statusOf(api, second), 401);
  await register(api, 'own');
  t.equal(await statusOf(api, second), 401, 'nor does it come back with the name');
  t.match(await (await api.ask('POST', '/api/v1/instances/nothing/agent-tokens', { role: 'test' })).json(), {
    code: 'INSTANCE_UNKNOWN',
    detail: /there are: other, own/,
  });
});

t.test('tokens are made by those who may change the instance, and hold while they may', async (t) => {
  const api = await served(t);
  const ana = await setUp(api);
  const [max, eve] = [await invite(api, ana, 'Max', 'member'), await invite(api, ana, 'Eve', 'member')];
  await max.ask('POST', '/api/v1/instances', { instance_id: 'own' });
  const refused = await eve.ask('POST', base, { role: 'product' });
  t.match(await refused.json(), { code: 'INSTANCE_FOREIGN' });
  const [ofMax, ofAna] = [await agentToken(max, 'own', 'test'), await agentToken(ana, 'own', 'test')];
  t.match(await (await selfOf(api, ofMax)).json(), { person: 'Max' });
  const { items } = await (await ana.ask('GET', '/api/v1/people')).json();
  const { person_id: id } = items.find(({ name }: { name: string }) => name === 'Max');
  const become = (role: string) => ana.ask('PUT', `/api/v1/people/${id}`, { role });
  await become('viewer');
  t.equal(await statusOf(api, ofMax), 401, 'a viewer changes nothing, so neither do their agents');
  await become('member');
  t.equal(await statusOf(api, ofMax), 200);
  t.equal((await ana.ask('DELETE', `/api/v1/people/${id}`)).status, 204);
  t.equal(await statusOf(api, ofMax), 401);
  t.equal(await statusOf(api, ofAna), 200);
});

t.test('a token that somebody rotates is theirs from then on', async (t) => {
  const api = await served(t);
  const ana = await setUp(api);
  const max = await invite(api, ana, 'Max', 'member');
  await max.ask('POST', '/api/v1/instances', { instance_id: 'own' });
  const made = await (await max.ask('POST', base, { role: 'test' })).json();
  const rotated = await (await ana.ask('POST', `${base}/${made.agent_token.agent_token_id}/rotate`)).json();
  t.equal(rotated.agent_token.made_by, 'Ana');
  t.match(await (await selfOf(api, rotated.token)).json(), { person: 'Ana' });
});

t.test('what the owner key made goes on after the first owner is made', async (t) => {
  const api = await served(t);
  await register(api, 'own');
  const token = await agentToken(api, 'own', 'test');
  const ana = await setUp(api);
  t.equal(await statusOf(api, token), 200);
  const { items } = await (await ana.ask('GET', base)).json();
  t.equal((await ana.ask('DELETE', `${base}/${items[0].agent_token_id}`)).status, 204);
  t.equal(await statusOf(api, token), 401);
});

t.test('a role or name of another kind makes no token', async (t) => {
  const api = await served(t);
  await register(api, 'own');
  for (const body of [{}, { role: 'owner' }, { role: 'test', name: '' }, { role: 'test', scope: 'all' }])
    t.equal((await api.ask('POST', base, body)).status, 400);
  t.same((await (await api.ask('GET', base)).json()).items, []);
});
