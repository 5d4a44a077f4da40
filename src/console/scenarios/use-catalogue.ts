import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ScenarioEntry } from '../../contract/api.ts';
import { useClient } from '../session/client.ts';

/** Returns the scenarios of an instance. They are not loaded again within `staleMs`. */
export function useCatalogue(instance: string, staleMs = 0): UseQueryResult<readonly ScenarioEntry[]> {
  const { scenarios } = useClient();
  return useQuery({
    queryKey: ['scenarios', instance],
    queryFn: ({ signal }) => scenarios.listAll(instance, { signal }),
    staleTime: staleMs,
  });
}

/** Returns true if the ID, the title or a tag contains `searchText`. */
export function matchesSearch({ scenario_id, title, tags, owner = '' }: ScenarioEntry, searchText: string): boolean {
  return [scenario_id, title, owner, ...tags].some((text) => text.toLowerCase().includes(searchText.toLowerCase()));
}
