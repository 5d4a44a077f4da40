import t, { type Test } from 'tap';
import { registryMetaName } from '../../../src/contract/registry/registry-api.ts';
import type { RegistrySettings } from '../../../src/registry/context.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { startNameServer } from '../name-server.ts';
import { openTestRegistry } from '../registry-fixture.ts';
import { createTestPublisher } from '../test-publisher.ts';
import { createServerDocument } from '../version-fixture.ts';

async function setUpRegistry(t: Test, settings: Partial<RegistrySettings> = {}) {
  const server = await startNameServer(t);
  const clock = fakeClock();
  const domains = ['example.com', 'example.org'];
  const testRegistry = await openTestRegistry(t, {
    clock,
    settings: { domains, ...settings },
    resolvers: [server.address],
  });
  const getToken = async (domain: string) => {
    clock.advance(1);
    return (
      await testRegistry.registry.exchangeProof(createTestPublisher(domain, server).proof(clock.nowMs()), '192.0.2.1')
    ).registry_token;
  };
  const token = await getToken('example.com');
  const { writer: publishing, reader: reading } = testRegistry.registry;
  return {
    ...testRegistry,
    clock,
    token,
    tokenOf: getToken,
    publish: async (document: unknown, bearer = token) => JSON.parse(await publishing.publish(bearer, document)),
    setStatus: async (version: string, change: Parameters<typeof publishing.setStatus>[2], bearer = token) =>
      JSON.parse(await publishing.setStatus(bearer, { name: 'com.example/hub', version }, change)),
    latest: async () => {
      const { server } = JSON.parse(await reading.version('com.example/hub', 'latest', true));
      return server.version;
    },
  };
}

const hub = (version = '1.0.0', more: object = {}) => createServerDocument('com.example/hub', version, more);

t.test("a published document is returned as it was sent, with the registry's own metadata", async (t) => {
  const { registry, publish, clock, events } = await setUpRegistry(t);
  const document = hub('1.0.0', {
    title: 'Hub “of” <Example> 工具',
    _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { bearer: 'vp' } },
  });
  const entry = await publish(document);
  const publishedAt = new Date(clock.nowMs()).toISOString();
  t.same(entry, {
    server: document,
    _meta: {
      [registryMetaName]: { status: 'active', publishedAt: publishedAt, updatedAt: publishedAt, isLatest: true },
    },
  });
  const { servers } = JSON.parse(await registry.reader.list({ search: 'EXAMPLE/h' }));
  t.same(servers, [entry]);
  t.match(events.at(-1), {
    event: 'registry_published',
    domain: 'example.com',
    name: 'com.example/hub',
    version: '1.0.0',
  });
});

t.test('a version never changes, and the highest version is the latest in any order of publishing', async (t) => {
  const { publish, latest } = await setUpRegistry(t);
  await publish(hub('1.1.0'));
  await publish(hub('1.0.5'));
  t.equal(await latest(), '1.1.0');
  await publish(hub('2.0.0-rc.1'));
  t.equal(await latest(), '2.0.0-rc.1');
  await t.rejects(publish(hub('1.1.0', { description: 'Another' })), {
    code: 'REGISTRY_VERSION_EXISTS',
    message: /1\.1\.0/,
  });
  const twice = await Promise.allSettled([publish(hub('3.0.0')), publish(hub('3.0.0'))]);
  t.equal(twice.filter(({ status }) => status === 'fulfilled').length, 1);
});

t.test('names must belong to the proven domain', async (t) => {
  const { publish, tokenOf: getToken, events } = await setUpRegistry(t);
  await publish(createServerDocument('com.example.team/hub'));
  for (const name of [
    'org.example/hub',
    'com.examplee/hub',
    'com/hub',
    'com.example-x/hub',
    'com.examp1e/hub',
    'net.com.example/hub',
  ])
    await t.rejects(publish(createServerDocument(name)), { code: /REGISTRY_(NAME_FOREIGN|DOCUMENT_INVALID)/ }, name);
  t.match(events.at(-1), { event: 'registry_name_refused', level: 'warn', domain: 'example.com' });
  await t.rejects(publish(createServerDocument('org.example/hub')), {
    code: 'REGISTRY_NAME_FOREIGN',
    cure: /com\.example\//,
  });
  await publish(createServerDocument('org.example/hub'), await getToken('example.org'));
});

t.test('names that differ only in case are the same', async (t) => {
  const { publish } = await setUpRegistry(t);
  await publish(hub('1.0.0'));
  for (const name of ['com.example/Hub', 'Com.Example/hub'])
    await t.rejects(publish(createServerDocument(name, '2.0.0')), {
      code: 'REGISTRY_NAME_TAKEN',
      message: /published as com\.example\/hub/,
    });
});

t.test('a URL belongs to one name, in any spelling', async (t) => {
  const { publish, tokenOf: getToken, setStatus } = await setUpRegistry(t);
  const withRemote = (url: string) => ({ remotes: [{ type: 'streamable-http', url }] });
  await publish(hub('1.0.0', withRemote('https://mcp.example.com/mcp')));
  await publish(hub('1.0.1', withRemote('https://mcp.example.com/mcp')));
  const otherToken = await getToken('example.org');
  const copy = (url: string, variables: object = {}) =>
    publish(
      createServerDocument('org.example/copy', '1.0.0', { remotes: [{ type: 'streamable-http', url, variables }] }),
      otherToken,
    );
  const expectedError = { code: 'REGISTRY_URL_TAKEN', message: /an address of com\.example\/hub/ };
  for (const path of ['/mcp', './mcp', '//mcp', '/%6dcp', '/mcp?', '/mcp/', '/MCP'])
    await t.rejects(copy(`https://mcp.example.com${path}`), expectedError, path);
  await t.rejects(copy('https://mcp.example.com/{p}', { p: { value: 'mcp' } }), expectedError, 'with a fixed value');
  await t.rejects(
    copy('https://mcp.example.com/{p}', { p: { default: 'mcp' } }),
    expectedError,
    'with what people need not change',
  );
  for (const url of [
    'https://mcp.example.com:0443/mcp',
    'https://mcp.example.com\\mcp',
    'https://mcp.example.com/x/../mcp',
  ])
    await t.rejects(
      copy(url),
      { code: 'REGISTRY_DOCUMENT_INVALID', message: /write https:\/\/mcp\.example\.com\/mcp/ },
      url,
    );
  const disguised = copy('https://mcp.example.com{h}/u', { h: { value: '.evil.example' } });
  await t.rejects(disguised, { code: 'REGISTRY_DOCUMENT_INVALID', message: /hides its host/ });
  for (const version of ['1.0.0', '1.0.1']) await setStatus(version, { status: 'deleted' });
  await publish(
    createServerDocument('org.example/copy', '1.0.0', withRemote('https://mcp.example.com/mcp')),
    otherToken,
  );
  await t.rejects(setStatus('1.0.0', { status: 'active' }), { code: 'REGISTRY_URL_TAKEN' }, 'nor does it come back');
});

t.test('all problems of a document are reported', async (t) => {
  const { publish } = await setUpRegistry(t);
  const invalidDocument = { ...hub('latest'), description: 'x'.repeat(101), remotes: [{ type: 'stdio' }] };
  await t.rejects(publish(invalidDocument), {
    code: 'REGISTRY_DOCUMENT_INVALID',
    message: /\.description has more than 100 characters \(and 1 more\)/,
    diagnostics: [{ where: '.description' }, { where: '.remotes[0].type', problem: /one of streamable-http, sse/ }],
  });
  await t.rejects(publish(undefined), {
    code: 'REGISTRY_DOCUMENT_INVALID',
    diagnostics: [{ where: 'the document', problem: 'must be an object' }],
  });
  const inherited = JSON.stringify(hub()).replace(/"name":"[^"]*"/, '"__proto__":{"name":"com.example/hub"}');
  await t.rejects(publish(JSON.parse(inherited)), { code: 'REGISTRY_DOCUMENT_INVALID', message: /lacks `name`/ });
});

t.test('a version is deprecated, deleted and brought back; the latest is one that is not deleted', async (t) => {
  const { registry, publish, setStatus, latest, clock, tokenOf: getToken, token } = await setUpRegistry(t);
  await publish(hub('1.0.0'));
  await publish(hub('2.0.0'));
  clock.advance(60_000);
  const entry = await setStatus('2.0.0', { status: 'deprecated', statusMessage: 'Use 3' });
  t.match(entry._meta[registryMetaName], { status: 'deprecated', statusMessage: 'Use 3', isLatest: true });
  t.ok(entry._meta[registryMetaName].updatedAt > entry._meta[registryMetaName].publishedAt);
  await setStatus('2.0.0', { status: 'deleted' });
  t.equal(await latest(), '1.0.0');
  const refused = { code: 'REGISTRY_STATUS_REFUSED' };
  await t.rejects(setStatus('2.0.0', { status: 'deleted' }), { ...refused, message: /already deleted/ });
  await t.rejects(setStatus('2.0.0', { status: 'active', statusMessage: 'x' }), refused);
  await t.rejects(setStatus('2.0.0', { status: 'deleted', statusMessage: '\u001b[2J' }), refused);
  t.match((await setStatus('2.0.0', { status: 'active' }))._meta[registryMetaName], {
    status: 'active',
    isLatest: true,
  });
  await t.rejects(setStatus('9.9.9', { status: 'deleted' }), { code: 'REGISTRY_SERVER_UNKNOWN' });
  await t.rejects(setStatus('1.0.0', { status: 'deleted' }, await getToken('example.org')), {
    code: 'REGISTRY_NAME_FOREIGN',
  });
  const all = JSON.parse(await registry.writer.setAllStatus(token, 'com.example/hub', { status: 'deleted' }));
  t.equal(all.updatedCount, 2);
  t.equal(await latest(), '2.0.0', 'of deleted ones the newest, for who looks for them');
});

t.test('the number of versions is limited', async (t) => {
  const { publish } = await setUpRegistry(t, { maxVersionsPerServer: 2, maxVersions: 3 });
  for (const version of ['1.0.0', '1.0.1']) await publish(hub(version));
  await t.rejects(publish(hub('1.0.2')), { code: 'REGISTRY_FULL', message: /2 versions of this server/ });
  await publish(createServerDocument('com.example/memory'));
  await t.rejects(publish(createServerDocument('com.example/more')), {
    code: 'REGISTRY_FULL',
    message: /3 versions in total/,
  });
});
