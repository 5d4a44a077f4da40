/** Every route of the registry, under both version prefixes of its API. */
import type { ServerRoute } from '../route.ts';
import { createRegistryWriteRoutes } from './publish-routes.ts';
import { createRegistryReadRoutes, type RegistryApiFamily } from './read-routes.ts';
import { createRegistryStatusRoutes } from './status-routes.ts';

const families: readonly RegistryApiFamily[] = [
  { root: '/v0', suffix: '' },
  { root: '/v0.1', suffix: 'V01' },
];

export const registryRoutes: readonly ServerRoute[] = families.flatMap((family) => [
  ...createRegistryReadRoutes(family),
  ...createRegistryWriteRoutes(family),
  ...createRegistryStatusRoutes(family),
]);
