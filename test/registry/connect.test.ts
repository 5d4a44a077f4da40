/**
 * From publishing to connecting, using only what the registry returns: both services are published over TLS under a proven
 * name, found by search, and reached by the official client through both of their remotes.
 */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { startControlPlane } from '../../src/assemble/control-plane/control-plane.ts';
import type { RegistryList, RegistryRemote } from '../../src/contract/registry/registry-api.ts';
import { buildConnectionRequest, listRemoteOffers } from '../../src/contract/registry/remote-connection.ts';
import { createWorkspace } from '../commands/test-workspace.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { modernClient } from '../hub/fixtures/test-gateway.ts';
import { createClientStore } from '../server/oauth/client-store.ts';
import { createHttpBrowser, type HttpBrowser, password } from '../server/oauth/oauth-control-plane.ts';
import { connectWithSignIn } from '../server/oauth/official-client.ts';
import { cheapIdentitySettings } from '../server/test-server.ts';
import { startNameServer } from './name-server.ts';
import { startTlsGateway } from './tls-gateway.ts';

/** Makes `fetch` of this process resolve vp.example.com to this machine and trust the test's root certificate. */
function routeToGateway(t: Test, ca: string): void {
  const before = getGlobalDispatcher();
  const agent = new Agent({
    connect: {
      ca,
      lookup: (_name, { all }, done) =>
        all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
    },
  });
  setGlobalDispatcher(agent);
  t.teardown(async () => {
    setGlobalDispatcher(before);
    await agent.destroy();
  });
}

/** A control plane at https://vp.example.com with a first owner, the hub `acme` and both services published. */
async function publishServices(t: Test) {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9');
  const testNameServer = await startNameServer(t);
  const gateway = await startTlsGateway(t, testWorkspace.folder, ['vp.example.com', 'localhost']);
  routeToGateway(t, gateway.root.cert);
  const url = `https://vp.example.com:${gateway.port}`;
  const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
  const plane = await startControlPlane({
    environment: memoryEnvironment().environment,
    folder: join(testWorkspace.folder, 'plane'),
    host: '127.0.0.1',
    port: 0,
    publicUrl: new URL(url),
    identitySettings: cheapIdentitySettings,
    registry: { settings: { domains: ['example.com'] }, resolvers: [testNameServer.address] },
    log: silent,
  });
  t.teardown(() => plane.close());
  gateway.setTarget(plane.url);
  const ana = createHttpBrowser(url);
  const secret = new URL((await plane.setupLink()) ?? '').hash.slice(1);
  const account = { secret, name: 'Ana', email: 'ana@example.com', password };
  t.equal((await ana.api('POST', '/setup', account)).status, 201);
  t.equal((await ana.api('POST', '/hubs', { slug: 'acme', name: 'Acme' })).status, 201);
  const variables = { VP_REGISTRY: `https://localhost:${gateway.port}`, VP_CA: gateway.root.file };
  const vp = async (line: string, stdin?: string) => {
    const { code, stdout, stderr } = await testWorkspace.vp(line.split(' '), {
      variables,
      ...(stdin === undefined ? {} : { stdin: Readable.from([stdin]) }),
    });
    t.equal(code, 0, `${line}: ${stderr}`);
    return stdout;
  };
  testNameServer.records.set('example.com', [[JSON.parse(await vp('registry key --json')).record]]);
  for (const service of ['hub', 'memory'])
    await vp(
      `registry publish - --resolver ${testNameServer.address}`,
      await vp(`registry create ${service} --url ${url} --domain example.com`),
    );
  return { url, ana };
}

async function findRemotes(url: string, name: string): Promise<readonly [RegistryRemote, RegistryRemote]> {
  const list: RegistryList = await (await fetch(`${url}/v0/servers?search=${name}`)).json();
  const [oauth, token, ...more] = list.servers[0]?.server.remotes ?? [];
  if (!oauth || !token || more.length > 0 || list.servers.length !== 1) throw new Error(`not found: ${name}`);
  return [oauth, token];
}

function fillSlug(remote: RegistryRemote): string {
  if (String(Object.keys(remote.variables ?? {})) !== 'slug') throw new Error('not one variable, the slug');
  return remote.url.replace('{slug}', 'acme');
}

function connectByOAuth(ana: HttpBrowser, remote: RegistryRemote): Promise<Client> {
  return connectWithSignIn(ana, fillSlug(remote), createClientStore({ name: 'Finder' }), modernClient);
}

async function connectByToken(remote: RegistryRemote, token: string): Promise<Client> {
  const headers = Object.fromEntries(
    (remote.headers ?? []).map(({ name, value = '' }) => [name, value.replace('{token}', token)]),
  );
  const client = new Client({ name: 'finder', version: '1' }, modernClient);
  await client.connect(new StreamableHTTPClientTransport(new URL(remote.url), { requestInit: { headers } }));
  return client;
}

t.test('both services are found by search, and a client can connect through each of their remotes', async (t) => {
  const { url, ana } = await publishServices(t);
  const created = await ana.api('POST', '/hubs/acme/tokens', { name: 'finder', expiry: '30 days' });
  const { token } = await created.json();
  for (const [service, minTools] of [
    ['com.example/hub', 0],
    ['com.example/memory', 1],
  ] as const) {
    const [oauth, withToken] = await findRemotes(url, service);
    for (const client of [await connectByOAuth(ana, oauth), await connectByToken(withToken, token)]) {
      const { tools } = await client.listTools();
      t.ok(tools.length >= minTools, `${service}: ${tools.length} tools`);
      await client.close();
    }
    await t.rejects(connectByToken(withToken, `${token}x`), 'and not with another token');
  }
});

t.test('a server that was found is added to a hub by one call, under the same rules as a typed URL', async (t) => {
  const { url, ana } = await publishServices(t);
  const [, remote] = await findRemotes(url, 'com.example/memory');
  const [offer] = listRemoteOffers({ remotes: [remote] });
  if (!offer) throw new Error('nothing is offered');
  const answers = { name: 'memory', values: { 'Authorization/token': 'vph_secret' } };
  const { connection } = buildConnectionRequest(offer, answers);
  const added = await ana.api('POST', '/hubs/acme/connections', connection);
  t.equal(added.status, 201);
  const document = await added.json();
  t.match(document, {
    name: 'memory',
    url: `${url}/memory/mcp`,
    credential: { kind: 'header', header: 'Authorization' },
  });
  t.notMatch(JSON.stringify(document), 'vph_secret');
  const [internalOffer] = listRemoteOffers({ remotes: [{ type: 'sse', url: 'https://10.0.0.1/sse' }] });
  const refused = internalOffer && buildConnectionRequest(internalOffer, { name: 'inward', values: {} }).connection;
  t.match(await (await ana.api('POST', '/hubs/acme/connections', refused)).json(), { code: 'CONNECTION_URL_REFUSED' });
});
