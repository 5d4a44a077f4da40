/** A test server with a registry. */
import type { Test } from 'tap';
import { type Clock, systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import type { RegistrySettings } from '../../../src/registry/context.ts';
import { createRegistry } from '../../../src/registry/registry.ts';
import { createRequest, createVariantServer, startTestServer, type TestServer } from '../test-server.ts';

export type RegistryServerOptions = {
  readonly clock?: Clock;
  readonly settings?: Partial<RegistrySettings>;
  readonly resolvers?: readonly string[];
  readonly readsPerMinute?: number;
  readonly writesPerMinute?: number;
};

export async function startRegistryServer(t: Test, options: RegistryServerOptions = {}): Promise<TestServer> {
  const { clock = systemClock, settings, resolvers, readsPerMinute = 1000, writesPerMinute = 1000 } = options;
  const server = await startTestServer(t, { clock });
  const registry = createRegistry({
    database: server.control.database,
    hashKey: server.control.keyring.tokenHashKey,
    clock,
    random: systemRandom,
    settings,
    resolvers,
    logEvent: (event) => server.security.push(event),
  });
  const callRates = { registryReads: readsPerMinute, registryWrites: writesPerMinute };
  return createVariantServer(server, { registry, clock, callRates });
}

/** `token` is that of a domain proof. */
export async function requestRegistry(
  api: TestServer,
  path: string,
  { method = 'GET', body, token = null }: { method?: string; body?: unknown; token?: string | null } = {},
) {
  const response = await api.fetch(createRequest(method, path, body, token));
  return { status: response.status, body: await response.json() };
}
