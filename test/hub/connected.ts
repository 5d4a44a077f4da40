/** People with a hub on a real control plane, with its gateway, its memory, and all that the console uses of connections. */
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Test } from 'tap';
import { type HubGateway, openHubGateway, type UpstreamSettings } from '../../src/assemble/hub-gateway.ts';
import { openMemoryRole } from '../../src/assemble/memory.ts';
import { hubSettingsOf } from '../../src/commands/serve/hub-flags.ts';
import { processEnvironment } from '../../src/environment/environment.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { hubUsedRoutes } from '../../src/server/hub-connections-used.ts';
import { hubGatewayRoutes } from '../../src/server/hub-gateway.ts';
import { hubPolicyRoutes } from '../../src/server/hub-policy.ts';
import { serverRoutes } from '../../src/server/routes.ts';
import { keptLog, type Logged } from '../http/kept-log.ts';
import { origin } from '../server/served.ts';
import { newest } from './gateway/house.ts';
import { type HubPeople, hubPeople } from './hub-people.ts';

/** All of it. */
export type Connected = HubPeople & {
  readonly gateway: HubGateway;
  readonly lines: Logged[];
  /** An MCP client at the hub of a token. */
  client(token: string, options?: ClientOptions): Promise<Client>;
};

/** Opens it; closed when the test ends. */
export async function connected(
  t: Test,
  more: Partial<UpstreamSettings> = {},
  publicUrls: readonly URL[] = [],
): Promise<Connected> {
  let gateway: HubGateway | undefined;
  const open = (): HubGateway => {
    if (gateway) return gateway;
    throw new Error('too early');
  };
  const later =
    <T>(work: (opened: HubGateway) => Promise<T>) =>
    async () =>
      work(open());
  const settings = { allowPrivate: true, extraRoots: [], commands: new Map(), unsafeStdio: false, ...more };
  const governed = new Proxy({} as HubGateway['governance'], {
    get: (_target, name) => Reflect.get(open().governance, name),
  });
  const routes = [
    ...serverRoutes,
    ...hubPolicyRoutes(governed),
    ...hubGatewayRoutes(later((opened) => opened.front())),
    ...hubUsedRoutes({
      inUse: later((opened) => opened.inUse()),
      signIns: later((opened) => opened.signIns()),
      secret: () => systemRandom.token(32),
    }),
  ];
  const hubSettings = hubSettingsOf(settings);
  const people = await hubPeople(t, { routes, hubSettings, publicUrls });
  const { api } = people;
  const { log, lines } = keptLog();
  // Programs of the operator need the engine's own; everything else is none of a test's business.
  const { PATH, HOME } = process.env;
  const variables = settings.commands.size > 0 ? { PATH, HOME } : {};
  const environment = { ...processEnvironment(), variables };
  const place = { folder: t.testdirName, environment, log: { ...log, info: () => {}, debug: () => {} } };
  const memory = openMemoryRole(place);
  const parts = { control: api.control, identity: api.identity, hub: api.hub, memory: memory.connection };
  gateway = await openHubGateway({ ...place, ...parts, settings, address: () => origin });
  const clients: Client[] = [];
  t.teardown(async () => {
    await Promise.all(clients.map((client) => client.close().catch(() => {})));
    await gateway?.drain();
    await gateway?.close();
    await memory.close();
  });
  return {
    ...people,
    gateway,
    lines,
    async client(token, options = newest) {
      const client = new Client({ name: 'test', version: '1' }, options);
      clients.push(client);
      const transport = new StreamableHTTPClientTransport(new URL(`${origin}/agent/mcp`), {
        fetch: (url, init) => api.fetch(new Request(url, init)),
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
      });
      await client.connect(transport);
      return client;
    },
  };
}
