/** The life of an agent's token: made, shown once, used, rotated, ended. */
import t from 'tap';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createAgentToken, inviteMember, setUpOwner } from '../test-browser.ts';
import { registerInstance, startTestServer, type TestServer } from '../test-server.ts';

const base = '/api/v1/instances/own/agent-tokens';

const getIdentity = (api: TestServer, token: string) => api.ask('GET', '/api/v1/agent', undefined, token);
const getStatus = async (api: TestServer, token: string) => (await getIdentity(api, token)).status;

t.test('a token is returned once, contains its instance and role, and is stored as a hash', async (t) => {
  const clock = fakeClock();
  const api = await startTestServer(t, { clock });
  await registerInstance(api, 'own');
  const created = await api.ask('POST', base, { role: 'test', name: 'shop-tests' });
  t.equal(created.status, 201);
  const { agent_token: row, token } = await created.json();
  t.match(token, /^vpr_own_test_[\w-]{43}$/);
  t.match(row.agent_token_id, /^[0-9a-f]{16}$/);
  t.match(row, { instance: 'own', role: 'test', name: 'shop-tests', made_by: 'owner', last_used_at: null });
  clock.advance(1000);
  t.same(await (await getIdentity(api, token)).json(), {
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
  const rows = await api.control.database.read((sql) => sql.all('SELECT * FROM agent_tokens'));
  t.equal(rows.length, 1);
  t.notMatch(JSON.stringify(rows), secret);
});

t.test('rotation revokes the old secret at once, and keeps id, role and name', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api, 'own');
  const { agent_token: row, token } = await (await api.ask('POST', base, { role: 'product', name: 'p' })).json();
  const rotated = await (await api.ask('POST', `${base}/${row.agent_token_id}/rotate`)).json();
  t.match(rotated.token, /^vpr_own_product_/);
  t.not(rotated.token, token);
  t.match(rotated.agent_token, { agent_token_id: row.agent_token_id, role: 'product', name: 'p' });
  const refused = await getIdentity(api, token);
  t.equal(refused.status, 401);
  t.match(await refused.json(), { code: 'CREDENTIAL_INVALID', cure: /agent token .*vp agent-token create/ });
  t.match(api.security.at(-1), { event: 'agent_token_used_after_end', level: 'warn' });
  t.equal(await getStatus(api, rotated.token), 200);
});

t.test('a token is invalid after its revocation, and after the removal of its instance', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api, 'own');
  const { agent_token: row, token } = await (await api.ask('POST', base, { role: 'test' })).json();
  const second = await createAgentToken(api, 'own', 'product');
  t.equal((await api.ask('DELETE', `${base}/${row.agent_token_id}`)).status, 204);
  t.equal(await getStatus(api, token), 401);
  for (const [method, path] of [
    ['DELETE', row.agent_token_id],
    ['POST', `${row.agent_token_id}/rotate`],
  ])
    t.match(await (await api.ask(method ?? '', `${base}/${path}`)).json(), { code: 'AGENT_TOKEN_UNKNOWN' });
  await registerInstance(api, 'other');
  const { items } = await (await api.ask('GET', base)).json();
  const elsewhere = `/api/v1/instances/other/agent-tokens/${items[0].agent_token_id}`;
  t.equal((await api.ask('DELETE', elsewhere)).status, 404, 'another instance’s token is none of this one');
  t.equal(await getStatus(api, second), 200);
  t.equal((await api.ask('DELETE', '/api/v1/instances/own')).status, 204);
  t.equal(await getStatus(api, second), 401);
  await registerInstance(api, 'own');
  t.equal(await getStatus(api, second), 401, 'nor does it come back with the name');
  t.match(await (await api.ask('POST', '/api/v1/instances/nothing/agent-tokens', { role: 'test' })).json(), {
    code: 'INSTANCE_UNKNOWN',
    detail: /there are: other, own/,
  });
});

t.test('tokens are created by people who may change the instance, and valid while they may', async (t) => {
  const api = await startTestServer(t);
  const ana = await setUpOwner(api);
  const [max, eve] = [await inviteMember(api, ana, 'Max', 'member'), await inviteMember(api, ana, 'Eve', 'member')];
  await max.ask('POST', '/api/v1/instances', { instance_id: 'own' });
  const refused = await eve.ask('POST', base, { role: 'product' });
  t.match(await refused.json(), { code: 'INSTANCE_FOREIGN' });
  const [ofMax, ofAna] = [await createAgentToken(max, 'own', 'test'), await createAgentToken(ana, 'own', 'test')];
  t.match(await (await getIdentity(api, ofMax)).json(), { person: 'Max' });
  const { items } = await (await ana.ask('GET', '/api/v1/people')).json();
  const { person_id: id } = items.find(({ name }: { name: string }) => name === 'Max');
  const become = (role: string) => ana.ask('PUT', `/api/v1/people/${id}`, { role });
  await become('viewer');
  t.equal(await getStatus(api, ofMax), 401, 'a viewer changes nothing, so neither do their agents');
  await become('member');
  t.equal(await getStatus(api, ofMax), 200);
  t.equal((await ana.ask('DELETE', `/api/v1/people/${id}`)).status, 204);
  t.equal(await getStatus(api, ofMax), 401);
  t.equal(await getStatus(api, ofAna), 200);
});

t.test('a rotated token belongs to the person who rotated it', async (t) => {
  const api = await startTestServer(t);
  const ana = await setUpOwner(api);
  const max = await inviteMember(api, ana, 'Max', 'member');
  await max.ask('POST', '/api/v1/instances', { instance_id: 'own' });
  const created = await (await max.ask('POST', base, { role: 'test' })).json();
  const rotated = await (await ana.ask('POST', `${base}/${created.agent_token.agent_token_id}/rotate`)).json();
  t.equal(rotated.agent_token.made_by, 'Ana');
  t.match(await (await getIdentity(api, rotated.token)).json(), { person: 'Ana' });
});

t.test('tokens of the owner key stay valid after the first owner is created', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api, 'own');
  const token = await createAgentToken(api, 'own', 'test');
  const ana = await setUpOwner(api);
  t.equal(await getStatus(api, token), 200);
  const { items } = await (await ana.ask('GET', base)).json();
  t.equal((await ana.ask('DELETE', `${base}/${items[0].agent_token_id}`)).status, 204);
  t.equal(await getStatus(api, token), 401);
});

t.test('an invalid role or name is refused', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api, 'own');
  for (const body of [{}, { role: 'owner' }, { role: 'test', name: '' }, { role: 'test', scope: 'all' }])
    t.equal((await api.ask('POST', base, body)).status, 400);
  t.same((await (await api.ask('GET', base)).json()).items, []);
});
