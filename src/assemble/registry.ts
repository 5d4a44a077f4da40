/** The registry of MCP servers of a control plane. */
import type { OpenControl } from '../control/open.ts';
import type { Environment } from '../environment/environment.ts';
import type { Identity } from '../identity/identity.ts';
import type { RegistrySettings } from '../registry/context.ts';
import { createRegistry, type Registry } from '../registry/registry.ts';
import { createRate } from '../server/rate.ts';
import { registryRoutes } from '../server/registry-routes.ts';
import type { ServerRoute } from '../server/route.ts';

/** What the operator says: who may publish, and which name servers are asked for proofs. */
export type RegistryChoice = {
  readonly settings?: Partial<RegistrySettings>;
  readonly resolvers?: readonly string[];
};

/** What it stands on. */
export type RegistryPlace = {
  readonly control: Pick<OpenControl, 'database' | 'keyring'>;
  readonly identity: Pick<Identity, 'tell'>;
  readonly environment: Pick<Environment, 'clock' | 'random'>;
  readonly choice?: RegistryChoice | undefined;
};

/** Opens it. */
export function openRegistry({ control, identity, environment, choice = {} }: RegistryPlace): Registry {
  return createRegistry({
    database: control.database,
    hashKey: control.keyring.tokenHashKey,
    clock: environment.clock,
    random: environment.random,
    tell: (event) => identity.tell(event),
    ...choice,
  });
}

/** From one address: many clients may stand behind one; proofs and publishing are rare. */
const readsAMinute = 300;
const writesAMinute = 30;

/** Its routes. */
export function openRegistryRoutes(registry: Registry, { environment, identity }: RegistryPlace): ServerRoute[] {
  const { clock } = environment;
  const tooMany = (address: string): void => identity.tell({ event: 'registry_calls_limited', level: 'warn', address });
  const reads = createRate(clock, readsAMinute, 60_000, tooMany);
  const writes = createRate(clock, writesAMinute, 60_000, tooMany);
  return registryRoutes({ registry, reads, writes });
}
