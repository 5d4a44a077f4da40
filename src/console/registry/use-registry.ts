import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { createRegistryClient, type RegistryClient } from '../../client/registry.ts';
import type { RegistryEntry, registryMetaName } from '../../contract/registry/registry-api.ts';
import { useClient } from '../session/client.ts';

// Repeated here, so that the bundle does not include the schemas of the module that defines it.
const metaName: typeof registryMetaName = 'io.modelcontextprotocol.registry/official';

/** The status that the registry itself assigns to a version. */
export function readRegistryStatus({ _meta }: RegistryEntry): RegistryEntry['_meta'][typeof registryMetaName] {
  return _meta[metaName];
}

function useRegistryClient(): RegistryClient {
  const { transport } = useClient();
  return useMemo(() => createRegistryClient(transport), [transport]);
}

/** Sorted by name, a page at a time. */
export function useRegistryServers(search: string) {
  const registry = useRegistryClient();
  return useInfiniteQuery({
    queryKey: ['registry', search],
    queryFn: ({ pageParam, signal }) =>
      registry.search(
        { ...(search === '' ? {} : { search }), ...(pageParam ? { cursor: pageParam } : {}) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ metadata }) => metadata.nextCursor,
  });
}

/** Newest first. */
export function useServerVersions(name: string) {
  const registry = useRegistryClient();
  return useQuery({
    queryKey: ['registry-versions', name],
    queryFn: ({ signal }) => registry.listVersions(name, { signal }),
  });
}
