import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createNameResolver, type NameResolver } from '../../../src/outbound/names/name-resolver.ts';
import { createSystemNames } from '../../../src/outbound/names/system-names.ts';
import { startNameServer, type TestNameServer } from '../../registry/name-server.ts';

type Setup = { readonly server: TestNameServer; readonly resolver: NameResolver };

async function createSetup(
  t: Test,
  files: { hosts?: string; resolver?: string } = {},
  timeoutMs = 10_000,
): Promise<Setup> {
  const server = await startNameServer(t);
  const folder = t.testdir();
  const paths = { hosts: join(folder, 'hosts'), resolver: join(folder, 'resolv.conf'), sources: join(folder, 'none') };
  writeFileSync(paths.hosts, files.hosts ?? '');
  writeFileSync(paths.resolver, files.resolver ?? '');
  // Other sources than files and DNS depend on the machine; these tests are about the two.
  const systemNames = { ...createSystemNames(paths), hasOtherSources: () => false };
  return { server, resolver: createNameResolver({ servers: [server.address], systemNames, timeoutMs }) };
}

async function resolve({ resolver }: Setup, name: string, signal = new AbortController().signal): Promise<string[]> {
  return (await resolver.resolve(name, signal)).map(({ address }) => address);
}

t.test('the hosts file comes first, in any case, and localhost needs neither it nor a server', async (t) => {
  const setup = await createSetup(t, { hosts: '10.0.0.7 App.Example app # name\n::7\tapp\nnonsense app\n' });
  setup.server.mode = 'silent';
  t.same(await resolve(setup, 'app'), ['10.0.0.7', '::7']);
  t.same(await resolve(setup, 'APP.example.'), ['10.0.0.7']);
  t.same(await resolve(setup, 'localhost'), ['127.0.0.1', '::1']);
  t.same(await resolve(setup, 'api.localhost'), ['127.0.0.1', '::1']);
  t.same(await resolve(setup, '192.0.2.1'), ['192.0.2.1']);
  t.same(setup.server.queriedNames, []);
});

t.test('a name of a container network is asked as it is, underscores included', async (t) => {
  const setup = await createSetup(t, { resolver: 'options ndots:0\n' });
  setup.server.addresses.set('my_app', ['172.18.0.2']);
  t.same(await resolve(setup, 'my_app'), ['172.18.0.2']);
});

t.test('search domains are tried in the order that ndots asks for', async (t) => {
  const setup = await createSetup(t, { resolver: 'search a.example b.example.\noptions timeout:1 ndots:2\n' });
  setup.server.addresses.set('db.b.example', ['10.0.0.2']);
  setup.server.addresses.set('x.y.z', ['10.0.0.3']);
  t.same(await resolve(setup, 'db'), ['10.0.0.2']);
  t.same([...new Set(setup.server.queriedNames)], ['db.a.example', 'db.b.example']);
  t.same(await resolve(setup, 'x.y.z'), ['10.0.0.3']);
  t.same(setup.server.queriedNames.slice(4), ['x.y.z', 'x.y.z']);
  await t.rejects(resolve(setup, 'db.'), { code: 'ENOTFOUND' });
});

t.test('an absent name, and a name server that fails, have the codes of getaddrinfo', async (t) => {
  const setup = await createSetup(t);
  await t.rejects(resolve(setup, 'absent.example'), { code: 'ENOTFOUND', hostname: 'absent.example' });
  setup.server.mode = 'failing';
  await t.rejects(resolve(setup, 'absent.example'), { code: 'EAI_AGAIN', message: 'ESERVFAIL' });
});

t.test('a server that keeps silent about IPv6 does not hold up IPv4', async (t) => {
  const setup = await createSetup(t);
  setup.server.addresses.set('app', ['10.0.0.2', 'fd00::2']);
  setup.server.silentNames.add('app AAAA');
  t.same(await resolve(setup, 'app'), ['10.0.0.2']);
});

t.test('names that nobody answers delay no other name', async (t) => {
  const setup = await createSetup(t);
  setup.server.addresses.set('app', ['10.0.0.2']);
  const controller = new AbortController();
  const silent = Array.from({ length: 100 }, (_, index) => `silent${index}.example`);
  for (const name of silent) setup.server.silentNames.add(name);
  let ended = 0;
  const pending = silent.map((name) => resolve(setup, name, controller.signal).finally(() => (ended += 1)));
  const settled = Promise.allSettled(pending);
  t.same(await resolve(setup, 'app'), ['10.0.0.2']);
  t.equal(ended, 0, 'it was not waited for the others');
  controller.abort(new Error('given up'));
  for (const result of await settled) t.match(result, { status: 'rejected', reason: { message: 'given up' } });
});

t.test('calls for one name share its queries, and each may leave alone', async (t) => {
  const setup = await createSetup(t);
  setup.server.addresses.set('app', ['10.0.0.2']);
  setup.server.silentNames.add('app AAAA');
  const firstCaller = new AbortController();
  const left = resolve(setup, 'app', firstCaller.signal);
  const others = Promise.all([resolve(setup, 'app'), resolve(setup, 'APP')]);
  firstCaller.abort(new Error('left'));
  await t.rejects(left, { message: 'left' });
  t.same(await others, [['10.0.0.2'], ['10.0.0.2']]);
  t.equal(setup.server.queriedNames.length, 2);
  await t.rejects(resolve(setup, 'app', AbortSignal.abort(new Error('before'))), { message: 'before' });
  t.same(await resolve(setup, 'app'), ['10.0.0.2']);
  t.equal(setup.server.queriedNames.length, 4, 'a later call asks again');
});

t.test('a name server that never answers is given up after the limit', async (t) => {
  const setup = await createSetup(t, {}, 100);
  setup.server.mode = 'silent';
  await t.rejects(resolve(setup, 'app'), { code: 'EAI_AGAIN', message: 'do not answer' });
});

t.test('files that changed are read again', async (t) => {
  const folder = t.testdir({ hosts: '10.0.0.1 app\n' });
  const hosts = join(folder, 'hosts');
  const sources = join(folder, 'nsswitch.conf');
  const names = createSystemNames({ hosts, resolver: join(folder, 'resolv.conf'), sources });
  t.match(names.findInHostsFile('app'), [{ address: '10.0.0.1', family: 4 }]);
  writeFileSync(hosts, '10.0.0.22 app\n');
  t.match(names.findInHostsFile('app'), [{ address: '10.0.0.22' }]);
  if (process.platform !== 'linux') return;
  t.equal(names.hasOtherSources(), false);
  writeFileSync(sources, 'passwd: files ldap\nhosts: files dns\n');
  t.equal(names.hasOtherSources(), false);
  writeFileSync(sources, 'hosts: files mdns4_minimal [NOTFOUND=return] dns\n');
  t.equal(names.hasOtherSources(), true);
});
