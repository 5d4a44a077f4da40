/** Keys of machines: each takes down the one instance it was made for, and does nothing else. */
import t from 'tap';
import { inviteMember, setUpOwner } from '../test-browser.ts';
import { registerInstance, startTestServer, type TestServer } from '../test-server.ts';

async function keyFor(api: TestServer, instance: string): Promise<string> {
  const answer = await api.ask('POST', `/api/v1/instances/${instance}/machine-key`);
  return (await answer.json()).machine_key;
}

t.test('a machine key reads and removes its instance, which revokes it', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api, 'shop');
  await registerInstance(api, 'other');
  const key = await keyFor(api, 'shop');
  t.match(key, /^vpm_[\w-]{43}$/);
  t.match((await (await api.ask('GET', '/api/v1/instances', undefined, key)).json()).items, [{ instance_id: 'shop' }]);
  t.equal((await api.ask('DELETE', '/api/v1/instances/shop', undefined, key)).status, 204);
  const after = await api.ask('GET', '/api/v1/instances', undefined, key);
  t.match(await after.json(), { code: 'CREDENTIAL_INVALID', cure: /machine key expires when its instance is removed/ });
  t.same(
    (await api.control.instances.list()).map(({ instance_id }) => instance_id),
    ['other'],
  );
});

t.test('a machine key does nothing else, and does not learn whether another instance exists', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api, 'shop');
  await registerInstance(api, 'other');
  const key = await keyFor(api, 'shop');
  const ask = (method: string, path: string) => api.ask(method, path, undefined, key);
  const foreign = await (await ask('DELETE', '/api/v1/instances/other')).json();
  t.match(foreign, { code: 'MACHINE_INSTANCE_FOREIGN', status: 403 });
  t.same(await (await ask('DELETE', '/api/v1/instances/nothing')).json(), foreign);
  for (const [method, path] of [
    ['POST', '/api/v1/instances/shop/executor-key'],
    ['POST', '/api/v1/instances/shop/machine-key'],
    ['POST', '/api/v1/instances/shop/agent-tokens'],
    ['GET', '/api/v1/instances/shop/scenarios'],
    ['GET', '/api/v1/runs'],
    ['GET', '/metrics'],
  ] as const)
    t.match(await (await ask(method, path)).json(), { code: 'CREDENTIAL_INSUFFICIENT' }, `${method} ${path}`);
});

t.test('a machine key is valid as long as its creator may remove the instance', async (t) => {
  const api = await startTestServer(t);
  const ana = await setUpOwner(api);
  const max = await inviteMember(api, ana, 'Max', 'member');
  await max.ask('POST', '/api/v1/instances', { instance_id: 'of-max' });
  const { machine_key: key } = await (await max.ask('POST', '/api/v1/instances/of-max/machine-key')).json();
  t.equal((await api.ask('GET', '/api/v1/instances/of-max', undefined, key)).status, 200);
  const { items } = await (await ana.ask('GET', '/api/v1/people')).json();
  const { person_id: id } = items.find(({ name }: { name: string }) => name === 'Max');
  await ana.ask('DELETE', `/api/v1/people/${id}`);
  t.equal((await api.ask('DELETE', '/api/v1/instances/of-max', undefined, key)).status, 401);
  t.match(
    api.security.filter(({ event }) => event === 'machine_key_used_after_end'),
    [{ level: 'warn' }],
  );
});

t.test('the key is stored as a keyed hash only', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api, 'shop');
  const key = await keyFor(api, 'shop');
  const rows = await api.control.database.read((sql) => sql.all('SELECT * FROM machine_keys'));
  t.equal(rows.length, 1);
  t.notOk(JSON.stringify(rows).includes(key.slice(4)));
});

t.test('the socket folder is returned to callers on this machine only', async (t) => {
  const api = await startTestServer(t, { executorSocket: { folder: '/data/executors' } });
  const ask = async (address: string) => {
    const headers = { authorization: `Bearer ${api.owner}` };
    const request = new Request('http://localhost:7700/api/v1/executor-ways', { headers });
    return (await api.fetch(request, { address })).json();
  };
  t.same(await ask('127.0.0.1'), { socket_folder: '/data/executors' });
  t.same(await ask('::1'), { socket_folder: '/data/executors' });
  t.same(await ask('10.0.0.7'), { socket_folder: null });
});
