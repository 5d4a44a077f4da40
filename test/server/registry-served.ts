/** A control plane's HTTP app with its registry, for the length of a test. */
import type { Test } from 'tap';
import { type Clock, systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import type { RegistrySettings } from '../../src/registry/context.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { createRate } from '../../src/server/rate.ts';
import { registryRoutes } from '../../src/server/registry-routes.ts';
import { serverRoutes } from '../../src/server/routes.ts';
import { requestOf, type Served, served, servedAgain } from './served.ts';

/** What may be chosen. */
export type RegistryServedOptions = {
  readonly clock?: Clock;
  readonly settings?: Partial<RegistrySettings>;
  readonly resolvers?: readonly string[];
  readonly readsAMinute?: number;
  readonly writesAMinute?: number;
};

/** Opens and serves. */
export async function registryServed(t: Test, options: RegistryServedOptions = {}): Promise<Served> {
  const { clock = systemClock, settings, resolvers, readsAMinute = 1000, writesAMinute = 1000 } = options;
  const first = await served(t, { clock });
  const registry = createRegistry({
    database: first.control.database,
    hashKey: first.control.keyring.tokenHashKey,
    clock,
    random: systemRandom,
    settings,
    resolvers,
    tell: (event) => first.security.push(event),
  });
  const rate = (limit: number) => createRate(clock, limit, 60_000);
  const parts = { registry, reads: rate(readsAMinute), writes: rate(writesAMinute) };
  return servedAgain(first, { routes: [...serverRoutes, ...registryRoutes(parts)] });
}

/** Asks; `token` is what a proof gave. */
export async function ask(
  api: Served,
  path: string,
  { method = 'GET', body, token = null }: { method?: string; body?: unknown; token?: string | null } = {},
) {
  const response = await api.fetch(requestOf(method, path, body, token));
  return { status: response.status, body: await response.json() };
}
