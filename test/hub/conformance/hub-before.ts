/** A hub of a real control plane before an upstream of tests. */
import type { Test } from 'tap';
import { openHubGateway } from '../../../src/assemble/hub-gateway.ts';
import { processEnvironment } from '../../../src/environment/environment.ts';
import { hubGatewayRoutes } from '../../../src/server/hub-gateway.ts';
import { serverRoutes } from '../../../src/server/routes.ts';
import { keptLog } from '../../http/kept-log.ts';
import { listening } from '../../http/listening.ts';
import { origin } from '../../server/served.ts';
import { hubPeople, makeToken } from '../hub-people.ts';
import { adapter } from './adapter.ts';

const connection = 'up';

/** A hub with one connection: the address where the suite reaches it, and the token that the adapter sends. */
export async function hubBefore(t: Test, upstream: string): Promise<{ readonly url: string; readonly token: string }> {
  let gateway: Awaited<ReturnType<typeof openHubGateway>> | undefined;
  const front = () => gateway?.front() ?? Promise.reject(new Error('too early'));
  const routes = [...serverRoutes, ...hubGatewayRoutes(front)];
  const { api, ana } = await hubPeople(t, { routes, hubSettings: { allowPrivateUpstreams: true } });
  const { log } = keptLog();
  gateway = await openHubGateway({
    folder: t.testdirName,
    control: api.control,
    identity: api.identity,
    hub: api.hub,
    environment: { ...processEnvironment(), variables: {} },
    settings: { allowPrivate: true, extraRoots: [], commands: new Map(), unsafeStdio: false },
    address: () => origin,
    log: { ...log, warn: () => {}, info: () => {}, debug: () => {} },
  });
  t.teardown(async () => {
    await gateway?.drain();
    await gateway?.close();
  });
  const { url: plane } = await listening(t, (request, env) => api.fetch(request, env));
  await ana.ask('POST', '/api/v1/hubs/acme/connections', { name: connection, kind: 'http', url: upstream });
  const { token } = await makeToken(ana, 'acme');
  const { url } = await adapter(t, { url: new URL('/agent/mcp', plane).href, token, connection });
  return { url, token };
}
