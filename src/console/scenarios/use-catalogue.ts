import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ScenarioEntry } from '../../contract/api.ts';
import { useConnection } from '../session/connection.ts';

/** The scenarios of an instance; what was read within `freshMs` is not read again. */
export function useCatalogue(instance: string, freshMs = 0): UseQueryResult<readonly ScenarioEntry[]> {
  const { scenarios } = useConnection();
  return useQuery({
    queryKey: ['scenarios', instance],
    queryFn: ({ signal }) => scenarios.all(instance, { signal }),
    staleTime: freshMs,
  });
}

/** Whether an id, a title or a tag has these words in it. */
export function isFoundBy({ scenario_id, title, tags }: ScenarioEntry, words: string): boolean {
  return [scenario_id, title, ...tags].some((text) => text.toLowerCase().includes(words.toLowerCase()));
}
