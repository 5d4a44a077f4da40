/** Every route of the registry, in both families of its API's versions. */
import { type RegistryRouteParts, type RegistryVersion, registryReadRoutes } from './registry.ts';
import { registryWriteRoutes } from './registry-publish.ts';
import { registryStateRoutes } from './registry-state.ts';
import type { ServerRoute } from './route.ts';

const families: readonly RegistryVersion[] = [
  { root: '/v0', suffix: '' },
  { root: '/v0.1', suffix: 'V01' },
];

/** The routes. */
export function registryRoutes(parts: RegistryRouteParts): ServerRoute[] {
  return families.flatMap((family) => [
    ...registryReadRoutes(parts, family),
    ...registryWriteRoutes(parts, family),
    ...registryStateRoutes(family),
  ]);
}
