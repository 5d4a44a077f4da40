import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { parseFindQuery } from '../../client/find-query.ts';
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

function lower(text: string): string {
  return text.toLowerCase();
}

/**
 * Returns true if each text of `searchText` is in the ID, the title, the owner or a tag, and its terms hold (find-query.ts).
 * `idsOfPath`: the scenarios that have a request to the path in `searchText`.
 */
export function matchesSearch(
  { scenario_id: id, title, tags, owner = '' }: ScenarioEntry,
  searchText: string,
  idsOfPath: ReadonlySet<string> = noIds,
): boolean {
  const { text = [], tag = [], path, owner: ownerTerm } = parseFindQuery(searchText);
  const isFound = (word: string): boolean =>
    [id, title, owner, ...tags].some((field) => lower(field).includes(lower(word))) ||
    (word.startsWith('/') && idsOfPath.has(id));
  return (
    text.every(isFound) &&
    tag.every((name) => tags.includes(name)) &&
    (ownerTerm === undefined || lower(ownerTerm) === lower(owner)) &&
    (path === undefined || idsOfPath.has(id))
  );
}

/** The scenarios that have a request to the path in `searchText`; undefined without one. Entries do not name their requests. */
export function useIdsOfPath(
  instance: string,
  searchText: string,
  isDeleted: boolean,
): ReadonlySet<string> | undefined {
  const { scenarios } = useClient();
  const { path, text = [] } = parseFindQuery(searchText);
  const usedPath = path ?? text.find((word) => word.startsWith('/'));
  const { data } = useQuery({
    queryKey: [isDeleted ? 'deleted-scenarios' : 'scenarios', instance, 'path', usedPath],
    queryFn: async ({ signal }) => {
      const filter = { path: usedPath, signal };
      const entries = await (isDeleted ? scenarios.listDeleted(instance, filter) : scenarios.listAll(instance, filter));
      return new Set(entries.map(({ scenario_id }) => scenario_id));
    },
    enabled: usedPath !== undefined,
    staleTime: 30_000,
  });
  return usedPath === undefined ? undefined : (data ?? noIds);
}
