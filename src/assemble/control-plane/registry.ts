import type { OpenControl } from '../../control/open-control.ts';
import type { Environment } from '../../environment/environment.ts';
import type { Identity } from '../../identity/identity.ts';
import type { RegistrySettings } from '../../registry/context.ts';
import { createRegistry, type Registry } from '../../registry/registry.ts';

/** Who may publish, and which DNS resolvers check domain proofs. */
export type RegistrySetup = {
  readonly settings?: Partial<RegistrySettings>;
  readonly resolvers?: readonly string[];
};

export type RegistryDependencies = {
  readonly control: Pick<OpenControl, 'database' | 'keyring'>;
  readonly identity: Pick<Identity, 'logSecurityEvent'>;
  readonly environment: Pick<Environment, 'clock' | 'random'>;
  readonly options?: RegistrySetup | undefined;
};

export function openRegistry({ control, identity, environment, options = {} }: RegistryDependencies): Registry {
  return createRegistry({
    database: control.database,
    hashKey: control.keyring.tokenHashKey,
    clock: environment.clock,
    random: environment.random,
    logEvent: (event) => identity.logSecurityEvent(event),
    ...options,
  });
}
