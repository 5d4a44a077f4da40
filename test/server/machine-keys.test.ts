/** Keys of machines: each takes down the one instance it was made for, and does nothing else. */
import t from 'tap';
import { invite, setUp } from './browser.ts';
import { register, type Served, served } from './served.ts';

async function keyFor(api: Served, instance: string): Promise<string> {
  const answer = await api.ask('POST', `/api/v1/instances/${instance}/machine-key`);
  return (await answer.json()).machine_key;
}

t.test('a machine key sees and removes its instance, which ends it', async (t) => {
  const api = await served(t);
  await register(api, 'shop');
  await register(api, 'other');
  const key = await keyFor(api, 'shop');
  t.match(key, /^vpm_[\w-]{43}$/);
  t.match((await (await api.ask('GET', '/api/v1/instances', undefined, key)).json()).items, [{ instance_id: 'shop' }]);
  t.equal((await api.ask('DELETE', '/api/v1/instances/shop', undefined, key)).status, 204);
  const after = await api.ask('GET', '/api/v1/instances', undefined, key);
  t.match(await after.json(), { code: 'CREDENTIAL_INVALID', cure: /machine key ends with its instance/ });
  t.same(
    (await api.control.instances.list()).map(({ instance_id }) => instance_id),
    ['other'],
  );
});

t.test('a machine key does nothing else, and does not learn whether another instance exists', async (t) => {
  const api = await served(t);
  await register(api, 'shop');
  await register(api, 'other');
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

t.test('a machine key holds as long as its maker may remove the instance', async (t) => {
  const api = await served(t);
  const ana = await setUp(api);
  const max = await invite(api, ana, 'Max', 'member');
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

t.test('the key stands in the store as a keyed hash only', async (t) => {
  const api = await served(t);
  await register(api, 'shop');
  const key = await keyFor(api, 'shop');
  const rows = await api.control.database.read((sql) => sql.prepare('SELECT * FROM machine_keys').all());
  t.equal(rows.length, 1);
  t.notOk(JSON.stringify(rows).includes(key.slice(4)));
});

t.test('the ways of containers are told to callers of this machine alone', async (t) => {
  const api = await served(t, { executorSocketFolder: () => '/data/executors' });
  const ask = async (address: string) => {
    const headers = { authorization: `Bearer ${api.owner}` };
    const request = new Request('http://localhost:7700/api/v1/executor-ways', { headers });
    return (await api.fetch(request, { address })).json();
  };
  t.same(await ask('127.0.0.1'), { socket_folder: '/data/executors' });
  t.same(await ask('::1'), { socket_folder: '/data/executors' });
  t.same(await ask('10.0.0.7'), { socket_folder: null });
});
