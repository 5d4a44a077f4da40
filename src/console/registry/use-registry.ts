import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type RegistryClient, registryOf } from '../../client/registry.ts';
import type { RegistryEntry, registryMetaName } from '../../contract/registry-api.ts';
import { useConnection } from '../session/connection.ts';

// A value of its own, so that pages do not carry the schemas that stand beside it.
const metaName: typeof registryMetaName = 'io.modelcontextprotocol.registry/official';

/** What the registry itself says of a version. */
export function statusOf({ _meta }: RegistryEntry): RegistryEntry['_meta'][typeof registryMetaName] {
  return _meta[metaName];
}

/** Calls of the registry's open API. */
function useRegistryClient(): RegistryClient {
  const { transport } = useConnection();
  return useMemo(() => registryOf(transport), [transport]);
}

/** What is published, by name, a page at a time. */
export function useServers(search: string) {
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

/** All versions of a server, newest first. */
export function useVersions(name: string) {
  const registry = useRegistryClient();
  return useQuery({
    queryKey: ['registry-versions', name],
    queryFn: ({ signal }) => registry.versions(name, { signal }),
  });
}
