/**
 * From publishing to connecting, by what the registry says alone: both services are published over TLS under a name that is
 * proven, found by search, and reached by the official client through both of their remotes.
 */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { startControlPlane } from '../../src/assemble/control-plane.ts';
import type { RegistryList, RegistryRemote } from '../../src/contract/registry-api.ts';
import { connectionFrom, remoteOffers } from '../../src/contract/registry-remote.ts';
import { workspace } from '../commands/workspace.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { newest } from '../hub/gateway/house.ts';
import { clientStore } from '../server/client-store.ts';
import { password, type RealBrowser, realBrowser } from '../server/oauth-plane.ts';
import { wayIn } from '../server/official-client.ts';
import { cheap } from '../server/served.ts';
import { nameServer } from './name-server.ts';
import { tlsFront } from './tls-front.ts';

/** Lets `fetch` of this process find vp.example.com at this machine, and trust the root of the test. */
function worldOf(t: Test, ca: string): void {
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

/** A control plane at https://vp.example.com, its first owner with the hub `acme`, and both services published in it. */
async function published(t: Test) {
  const here = workspace(t, 'http://127.0.0.1:9');
  const names = await nameServer(t);
  const front = await tlsFront(t, here.folder, ['vp.example.com', 'localhost']);
  worldOf(t, front.root.cert);
  const url = `https://vp.example.com:${front.port}`;
  const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
  const plane = await startControlPlane({
    environment: memoryEnvironment().environment,
    folder: join(here.folder, 'plane'),
    host: '127.0.0.1',
    port: 0,
    publicUrl: new URL(url),
    identitySettings: cheap,
    registry: { settings: { domains: ['example.com'] }, resolvers: [names.address] },
    log: silent,
  });
  t.teardown(() => plane.close());
  front.leadTo(plane.url);
  const ana = realBrowser(url);
  const secret = new URL((await plane.setupLink()) ?? '').hash.slice(1);
  const account = { secret, name: 'Ana', email: 'ana@example.com', password };
  t.equal((await ana.api('POST', '/setup', account)).status, 201);
  t.equal((await ana.api('POST', '/hubs', { slug: 'acme', name: 'Acme' })).status, 201);
  const variables = { VP_REGISTRY: `https://localhost:${front.port}`, VP_CA: front.root.file };
  const vp = async (line: string, stdin?: string) => {
    const { code, stdout, stderr } = await here.vp(line.split(' '), {
      variables,
      ...(stdin === undefined ? {} : { stdin: Readable.from([stdin]) }),
    });
    t.equal(code, 0, `${line}: ${stderr}`);
    return stdout;
  };
  names.records.set('example.com', [[JSON.parse(await vp('registry key --json')).record]]);
  for (const service of ['hub', 'memory'])
    await vp(
      `registry publish - --resolver ${names.address}`,
      await vp(`registry make ${service} --url ${url} --domain example.com`),
    );
  return { url, ana };
}

async function remotesOf(url: string, name: string): Promise<readonly [RegistryRemote, RegistryRemote]> {
  const list: RegistryList = await (await fetch(`${url}/v0/servers?search=${name}`)).json();
  const [oauth, token, ...more] = list.servers[0]?.server.remotes ?? [];
  if (!oauth || !token || more.length > 0 || list.servers.length !== 1) throw new Error(`not found: ${name}`);
  return [oauth, token];
}

/** What the address becomes when a person says the slug. */
function addressIn(remote: RegistryRemote): string {
  if (String(Object.keys(remote.variables ?? {})) !== 'slug') throw new Error('not one variable, the slug');
  return remote.url.replace('{slug}', 'acme');
}

function byOAuth(ana: RealBrowser, remote: RegistryRemote): Promise<Client> {
  return wayIn(ana, addressIn(remote), clientStore({ name: 'Finder' }), newest);
}

async function byToken(remote: RegistryRemote, token: string): Promise<Client> {
  const headers = Object.fromEntries(
    (remote.headers ?? []).map(({ name, value = '' }) => [name, value.replace('{token}', token)]),
  );
  const client = new Client({ name: 'finder', version: '1' }, newest);
  await client.connect(new StreamableHTTPClientTransport(new URL(remote.url), { requestInit: { headers } }));
  return client;
}

t.test('both services are found by search, and a client gets in by each of their remotes', async (t) => {
  const { url, ana } = await published(t);
  const made = await ana.api('POST', '/hubs/acme/tokens', { name: 'finder', expiry: '30 days' });
  const { token } = await made.json();
  for (const [service, least] of [
    ['com.example/hub', 0],
    ['com.example/memory', 1],
  ] as const) {
    const [oauth, withToken] = await remotesOf(url, service);
    for (const client of [await byOAuth(ana, oauth), await byToken(withToken, token)]) {
      const { tools } = await client.listTools();
      t.ok(tools.length >= least, `${service}: ${tools.length} tools`);
      await client.close();
    }
    await t.rejects(byToken(withToken, `${token}x`), 'and not with another token');
  }
});

t.test('what is found is added to a hub by one call, under the same rules as an address that is typed', async (t) => {
  const { url, ana } = await published(t);
  const [, remote] = await remotesOf(url, 'com.example/memory');
  const [offer] = remoteOffers({ remotes: [remote] });
  if (!offer) throw new Error('nothing is offered');
  const answers = { name: 'memory', values: { 'Authorization/token': 'vph_secret' } };
  const { connection } = connectionFrom(offer, answers);
  const added = await ana.api('POST', '/hubs/acme/connections', connection);
  t.equal(added.status, 201);
  const document = await added.json();
  t.match(document, {
    name: 'memory',
    url: `${url}/memory/mcp`,
    credential: { kind: 'header', header: 'Authorization' },
  });
  t.notMatch(JSON.stringify(document), 'vph_secret');
  const [inward] = remoteOffers({ remotes: [{ type: 'sse', url: 'https://10.0.0.1/sse' }] });
  const refused = inward && connectionFrom(inward, { name: 'inward', values: {} }).connection;
  t.match(await (await ana.api('POST', '/hubs/acme/connections', refused)).json(), { code: 'CONNECTION_URL_REFUSED' });
});
