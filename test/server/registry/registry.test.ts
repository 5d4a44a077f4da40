/** Reading the registry over HTTP, by its official API. */
import t from 'tap';
import { createClient } from '../../../src/client/client.ts';
import { createRegistryClient } from '../../../src/client/registry.ts';
import { registryMetaName } from '../../../src/contract/registry/registry-api.ts';
import { insertVersions } from '../../registry/version-fixture.ts';
import { origin } from '../test-server.ts';
import { requestRegistry, startRegistryServer } from './registry-server.ts';

const listNames = (list: { servers: { server: { name: string; version: string } }[] }): string[] =>
  list.servers.map(({ server: { name, version } }) => `${name}@${version}`);

t.test('an empty registry returns an empty list, without a credential, under both prefixes', async (t) => {
  const api = await startRegistryServer(t);
  for (const root of ['/v0', '/v0.1'])
    t.same(await requestRegistry(api, `${root}/servers`), {
      status: 200,
      body: { servers: [], metadata: { count: 0 } },
    });
});

t.test('servers are found by part of their name, in any case, with registry metadata', async (t) => {
  const api = await startRegistryServer(t);
  await insertVersions(api.control.database, [
    { name: 'com.example/Hub' },
    { name: 'com.example/memory' },
    { name: 'org.other/x' },
  ]);
  const { body } = await requestRegistry(api, '/v0/servers?search=HUB');
  t.same(listNames(body), ['com.example/Hub@1.0.0']);
  t.match(body.servers[0], {
    server: { description: 'Tools of com.example/Hub', remotes: [{ url: 'https://mcp.example.com/com.example/Hub' }] },
    _meta: {
      [registryMetaName]: { status: 'active', publishedAt: '1970-01-01T00:00:01.000Z', isLatest: true },
    },
  });
  t.same(listNames((await requestRegistry(api, '/v0.1/servers?search=com.example')).body), [
    'com.example/Hub@1.0.0',
    'com.example/memory@1.0.0',
  ]);
  t.same(
    listNames((await requestRegistry(api, '/v0/servers?search=%25')).body),
    [],
    'a percent sign is a percent sign',
  );
});

t.test('unknown parameters are ignored like by the official registry, and only here', async (t) => {
  const api = await startRegistryServer(t);
  await insertVersions(api.control.database, [{ name: 'com.example/hub' }]);
  for (const root of ['/v0', '/v0.1']) {
    const { body } = await requestRegistry(api, `${root}/servers?search=hub&sort=stars&_=1&sort=name&__proto__=1`);
    t.same(listNames(body), ['com.example/hub@1.0.0']);
    const server = `${root}/servers/com.example%2Fhub/versions`;
    for (const path of [server, `${server}/latest`, `${root}/health`, `${root}/ping`, `${root}/version`])
      t.equal((await requestRegistry(api, `${path}?sort=stars`)).status, 200, path);
    t.equal(
      (await requestRegistry(api, `${root}/servers?limit=many`)).status,
      400,
      'what is known must still be right',
    );
    t.equal((await requestRegistry(api, `${root}/servers?limit=1&limit=2`)).status, 400);
  }
  t.equal((await requestRegistry(api, '/api/v1/sign-in-options?sort=stars')).status, 400);
});

t.test('each page continues after the previous one, until the last', async (t) => {
  const api = await startRegistryServer(t);
  await insertVersions(
    api.control.database,
    ['b', 'a', 'd', 'c', 'e'].map((end) => ({ name: `com.example/${end}` })),
  );
  const seenNames: string[] = [];
  let cursor = '';
  for (let pages = 1; pages <= 3; pages += 1) {
    const { body } = await requestRegistry(
      api,
      `/v0/servers?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    seenNames.push(...listNames(body));
    t.equal(body.metadata.count, body.servers.length);
    cursor = body.metadata.nextCursor ?? '';
    t.equal(cursor === '', pages === 3);
  }
  t.same(
    seenNames,
    ['a', 'b', 'c', 'd', 'e'].map((end) => `com.example/${end}@1.0.0`),
  );
});

t.test('a forged cursor is refused or harmless, and reveals nothing hidden', async (t) => {
  const api = await startRegistryServer(t);
  await insertVersions(api.control.database, [
    { name: 'com.example/a' },
    { name: 'com.example/gone', status: 'deleted' },
    { name: 'com.example/z' },
  ]);
  for (const cursor of [
    'x',
    '!!!',
    'a'.repeat(400),
    btoa("1 x' OR 1=1 --"),
    btoa('99999999999999999999 a'),
    btoa('-1 a'),
  ]) {
    const { status, body } = await requestRegistry(api, `/v0/servers?cursor=${encodeURIComponent(cursor)}`);
    t.match({ status, body }, { status: 400, body: { code: 'CURSOR_INVALID', error: /cursor/ } }, cursor);
  }
  const forged = btoa('0 com.example/b');
  t.same(listNames((await requestRegistry(api, `/v0/servers?cursor=${forged}`)).body), ['com.example/z@1.0.0']);
});

t.test('deleted versions are listed on request and for mirrors', async (t) => {
  const api = await startRegistryServer(t);
  await insertVersions(api.control.database, [
    { name: 'com.example/a', atMs: 1_000 },
    { name: 'com.example/b', status: 'deleted', atMs: 5_000 },
  ]);
  const listVisible = async (query: string) => listNames((await requestRegistry(api, `/v0/servers?${query}`)).body);
  t.same(await listVisible(''), ['com.example/a@1.0.0']);
  t.same(await listVisible('include_deleted=true'), ['com.example/a@1.0.0', 'com.example/b@1.0.0']);
  t.same(await listVisible('updated_since=1970-01-01T00:00:02Z'), ['com.example/b@1.0.0']);
  t.same(await listVisible('updated_since=1970-01-01T00:00:06%2B00:00'), []);
  const path = '/v0/servers/com.example%2Fb/versions';
  t.match(await requestRegistry(api, `${path}/latest`), { status: 404, body: { code: 'REGISTRY_SERVER_UNKNOWN' } });
  t.match(await requestRegistry(api, path), { status: 404, body: { error: /no server com.example\/b/ } });
  t.match(await requestRegistry(api, `${path}/1.0.0?include_deleted=true`), {
    status: 200,
    body: { server: { version: '1.0.0' } },
  });
});

t.test('one server: its versions, newest first, one of them, and the latest', async (t) => {
  const api = await startRegistryServer(t);
  await insertVersions(api.control.database, [
    { name: 'com.example/hub', version: '1.0.0', atMs: 1_000 },
    { name: 'com.example/hub', version: '2.0.0+build/1', atMs: 2_000 },
    { name: 'com.example/hub', version: '1.0.1', atMs: 3_000, latest: false },
  ]);
  const path = '/v0/servers/com.example%2Fhub/versions';
  t.same(listNames((await requestRegistry(api, path)).body), [
    'com.example/hub@1.0.1',
    'com.example/hub@2.0.0+build/1',
    'com.example/hub@1.0.0',
  ]);
  t.match((await requestRegistry(api, `${path}/latest`)).body, { server: { version: '2.0.0+build/1' } });
  t.match((await requestRegistry(api, `${path}/2.0.0%2Bbuild%2F1`)).body, { server: { version: '2.0.0+build/1' } });
  t.match((await requestRegistry(api, `${path}/9`)).body, { code: 'REGISTRY_SERVER_UNKNOWN', error: /in version 9/ });
  t.same(listNames((await requestRegistry(api, '/v0/servers?version=latest')).body), ['com.example/hub@2.0.0+build/1']);
  t.same(listNames((await requestRegistry(api, '/v0/servers?version=1.0.1')).body), ['com.example/hub@1.0.1']);
  t.same(listNames((await requestRegistry(api, '/v0/servers')).body).length, 3, 'all of them unless one is asked for');
});

t.test('invalid requests, and too many requests, are refused', async (t) => {
  const api = await startRegistryServer(t, { readsPerMinute: 3 });
  for (const query of [
    'limit=0',
    'limit=101',
    'updated_since=yesterday',
    `search=${'x'.repeat(201)}`,
    'limit=1&limit=2',
  ])
    t.match(
      await requestRegistry(api, `/v0/servers?${query}`),
      { status: 400, body: { code: 'REQUEST_INVALID' } },
      query,
    );
  for (let calls = 0; calls < 3; calls += 1) t.equal((await requestRegistry(api, '/v0/servers')).status, 200);
  t.match(await requestRegistry(api, '/v0/servers'), { status: 429, body: { code: 'RATE_LIMITED' } });
});

t.test('the client of the console reads it', async (t) => {
  const api = await startRegistryServer(t);
  await insertVersions(api.control.database, [
    { name: 'com.example/hub' },
    { name: 'com.example/hub', version: '2.0.0' },
  ]);
  const fetch = (url: string, init: RequestInit) => api.fetch(new Request(url, init));
  const client = createRegistryClient(createClient({ baseUrl: origin, token: undefined, fetch }).transport);
  t.same(listNames(await client.search({ search: 'hub', limit: 5 })), ['com.example/hub@2.0.0']);
  t.same(listNames(await client.search({ version: '1.0.0', include_deleted: true })), ['com.example/hub@1.0.0']);
  t.equal((await client.listVersions('com.example/hub')).metadata.count, 2);
  t.equal((await client.getVersion('com.example/hub')).server.version, '2.0.0');
  await t.rejects(client.getVersion('com.example/other'), { code: 'REGISTRY_SERVER_UNKNOWN' });
});
