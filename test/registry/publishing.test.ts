import t, { type Test } from 'tap';
import { registryMetaName } from '../../src/contract/registry-api.ts';
import type { RegistrySettings } from '../../src/registry/context.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { nameServer } from './name-server.ts';
import { opened } from './opened.ts';
import { aServer } from './published.ts';
import { publisher } from './publisher.ts';

async function setUp(t: Test, settings: Partial<RegistrySettings> = {}) {
  const server = await nameServer(t);
  const clock = fakeClock();
  const domains = ['example.com', 'example.org'];
  const own = await opened(t, { clock, settings: { domains, ...settings }, resolvers: [server.address] });
  const tokenOf = async (domain: string) => {
    clock.advance(1);
    return (await own.registry.prove(publisher(domain, server).proof(clock.nowMs()), '192.0.2.1')).registry_token;
  };
  const token = await tokenOf('example.com');
  const { publishing, reading } = own.registry;
  return {
    ...own,
    clock,
    token,
    tokenOf,
    publish: async (document: unknown, by = token) => JSON.parse(await publishing.publish(by, document)),
    setStatus: async (version: string, to: Parameters<typeof publishing.setStatus>[2], by = token) =>
      JSON.parse(await publishing.setStatus(by, { name: 'com.example/hub', version }, to)),
    latest: async () => {
      const { server } = JSON.parse(await reading.version('com.example/hub', 'latest', true));
      return server.version;
    },
  };
}

const hub = (version = '1.0.0', more: object = {}) => aServer('com.example/hub', version, more);

t.test('what is published is found as it was sent, and the registry says the rest', async (t) => {
  const { registry, publish, clock, events } = await setUp(t);
  const document = hub('1.0.0', {
    title: 'Hub “of” <Example> 工具',
    _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { by: 'vp' } },
  });
  const entry = await publish(document);
  const at = new Date(clock.nowMs()).toISOString();
  t.same(entry, {
    server: document,
    _meta: { [registryMetaName]: { status: 'active', publishedAt: at, updatedAt: at, isLatest: true } },
  });
  const { servers } = JSON.parse(await registry.reading.list({ search: 'EXAMPLE/h' }));
  t.same(servers, [entry]);
  t.match(events.at(-1), {
    event: 'registry_published',
    domain: 'example.com',
    name: 'com.example/hub',
    version: '1.0.0',
  });
});

t.test('a version never changes, and the newest is the latest whenever it came', async (t) => {
  const { publish, latest } = await setUp(t);
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

t.test('names belong to the domain that was proven', async (t) => {
  const { publish, tokenOf, events } = await setUp(t);
  await publish(aServer('com.example.team/hub'));
  for (const name of [
    'org.example/hub',
    'com.examplee/hub',
    'com/hub',
    'com.example-x/hub',
    'com.examp1e/hub',
    'net.com.example/hub',
  ])
    await t.rejects(publish(aServer(name)), { code: /REGISTRY_(NAME_FOREIGN|DOCUMENT_INVALID)/ }, name);
  t.match(events.at(-1), { event: 'registry_name_refused', level: 'warn', domain: 'example.com' });
  await t.rejects(publish(aServer('org.example/hub')), { code: 'REGISTRY_NAME_FOREIGN', cure: /com\.example\// });
  await publish(aServer('org.example/hub'), await tokenOf('example.org'));
});

t.test('a name that differs in large and small letters only is the same one', async (t) => {
  const { publish } = await setUp(t);
  await publish(hub('1.0.0'));
  for (const name of ['com.example/Hub', 'Com.Example/hub'])
    await t.rejects(publish(aServer(name, '2.0.0')), {
      code: 'REGISTRY_NAME_TAKEN',
      message: /written com\.example\/hub/,
    });
});

t.test('an address belongs to one name, however it is written', async (t) => {
  const { publish, tokenOf, setStatus } = await setUp(t);
  const at = (url: string) => ({ remotes: [{ type: 'streamable-http', url }] });
  await publish(hub('1.0.0', at('https://mcp.example.com/mcp')));
  await publish(hub('1.0.1', at('https://mcp.example.com/mcp')));
  const other = await tokenOf('example.org');
  const copy = (url: string, variables: object = {}) =>
    publish(aServer('org.example/copy', '1.0.0', { remotes: [{ type: 'streamable-http', url, variables }] }), other);
  const taken = { code: 'REGISTRY_URL_TAKEN', message: /an address of com\.example\/hub/ };
  for (const path of ['/mcp', './mcp', '//mcp', '/%6dcp', '/mcp?', '/mcp/', '/MCP'])
    await t.rejects(copy(`https://mcp.example.com${path}`), taken, path);
  await t.rejects(copy('https://mcp.example.com/{p}', { p: { value: 'mcp' } }), taken, 'with a fixed value');
  await t.rejects(
    copy('https://mcp.example.com/{p}', { p: { default: 'mcp' } }),
    taken,
    'with what people need not change',
  );
  for (const url of [
    'https://mcp.example.com:0443/mcp',
    'https://mcp.example.com\\mcp',
    'https://mcp.example.com/x/../mcp',
  ])
    await t.rejects(
      copy(url),
      { code: 'REGISTRY_DOCUMENT_INVALID', message: /which is https:\/\/mcp\.example\.com\/mcp/ },
      url,
    );
  const hidden = copy('https://mcp.example.com{h}/u', { h: { value: '.evil.example' } });
  await t.rejects(hidden, { code: 'REGISTRY_DOCUMENT_INVALID', message: /hides whose host/ });
  for (const version of ['1.0.0', '1.0.1']) await setStatus(version, { status: 'deleted' });
  await publish(aServer('org.example/copy', '1.0.0', at('https://mcp.example.com/mcp')), other);
  await t.rejects(setStatus('1.0.0', { status: 'active' }), { code: 'REGISTRY_URL_TAKEN' }, 'nor does it come back');
});

t.test('what is wrong with a document is told whole', async (t) => {
  const { publish } = await setUp(t);
  const bad = { ...hub('latest'), description: 'x'.repeat(101), remotes: [{ type: 'stdio' }] };
  await t.rejects(publish(bad), {
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
  const { registry, publish, setStatus, latest, clock, tokenOf, token } = await setUp(t);
  await publish(hub('1.0.0'));
  await publish(hub('2.0.0'));
  clock.advance(60_000);
  const entry = await setStatus('2.0.0', { status: 'deprecated', statusMessage: 'Use 3' });
  t.match(entry._meta[registryMetaName], { status: 'deprecated', statusMessage: 'Use 3', isLatest: true });
  t.ok(entry._meta[registryMetaName].updatedAt > entry._meta[registryMetaName].publishedAt);
  await setStatus('2.0.0', { status: 'deleted' });
  t.equal(await latest(), '1.0.0');
  const refused = { code: 'REGISTRY_STATUS_REFUSED' };
  await t.rejects(setStatus('2.0.0', { status: 'deleted' }), { ...refused, message: /deleted already/ });
  await t.rejects(setStatus('2.0.0', { status: 'active', statusMessage: 'x' }), refused);
  await t.rejects(setStatus('2.0.0', { status: 'deleted', statusMessage: '\u001b[2J' }), refused);
  t.match((await setStatus('2.0.0', { status: 'active' }))._meta[registryMetaName], {
    status: 'active',
    isLatest: true,
  });
  await t.rejects(setStatus('9.9.9', { status: 'deleted' }), { code: 'REGISTRY_SERVER_UNKNOWN' });
  await t.rejects(setStatus('1.0.0', { status: 'deleted' }, await tokenOf('example.org')), {
    code: 'REGISTRY_NAME_FOREIGN',
  });
  const all = JSON.parse(await registry.publishing.setAllStatus(token, 'com.example/hub', { status: 'deleted' }));
  t.equal(all.updatedCount, 2);
  t.equal(await latest(), '2.0.0', 'of deleted ones the newest, for who looks for them');
});

t.test('there is room for so many versions', async (t) => {
  const { publish } = await setUp(t, { mostVersionsOfOne: 2, mostVersions: 3 });
  for (const version of ['1.0.0', '1.0.1']) await publish(hub(version));
  await t.rejects(publish(hub('1.0.2')), { code: 'REGISTRY_FULL', message: /2 versions of this server/ });
  await publish(aServer('com.example/memory'));
  await t.rejects(publish(aServer('com.example/more')), { code: 'REGISTRY_FULL', message: /3 versions in all/ });
});
