import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { findSearchedPath, listIdsOfPath } from '../../client/scenario-search.ts';
import type { ScenarioEntry } from '../../contract/api.ts';
import { useClient } from '../session/client.ts';

/** Returns the scenarios of an instance, once it is known. They are not loaded again within `staleMs`. */
export function useCatalogue(instance: string | undefined, staleMs = 0): UseQueryResult<readonly ScenarioEntry[]> {
  const { scenarios } = useClient();
  return useQuery({
    queryKey: ['scenarios', instance],
    queryFn: ({ signal }) => scenarios.listAll(instance ?? '', { signal }),
    enabled: instance !== undefined,
    staleTime: staleMs,
  });
}

const noIds: ReadonlySet<string> = new Set();

/** The scenarios that have a request to the path in `searchText`; undefined without one. Entries do not name their requests. */
export function useIdsOfPath(
  instance: string,
  searchText: string,
  isDeleted: boolean,
): ReadonlySet<string> | undefined {
  const client = useClient();
  const path = findSearchedPath(searchText);
  const { data } = useQuery({
    queryKey: [isDeleted ? 'deleted-scenarios' : 'scenarios', instance, 'path', path],
    queryFn: ({ signal }) => listIdsOfPath(client, instance, path ?? '', { isDeleted, signal }),
    enabled: path !== undefined,
    staleTime: 30_000,
  });
  return path === undefined ? undefined : (data ?? noIds);
}
