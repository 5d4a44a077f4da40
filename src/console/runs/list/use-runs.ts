import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { RunPage } from '../../../contract/run-search-api.ts';
import { nowMs } from '../../browser.ts';
import { useClient } from '../../session/client.ts';
import { type RunsPageFilter, toListParams } from '../run-filter.ts';
import { keepFirstPage, type RunPages } from '../run-pages.ts';

const pageSize = 50;

/** A search of one page is repeated: the stream of changes does not say which new runs match it. */
const searchIntervalMs = 15_000;

/** Loads a list of runs page by page. The stream of changes keeps it up to date (live/apply-changes.ts). */
export function useRuns(filter: RunsPageFilter) {
  const { runs } = useClient();
  return useInfiniteQuery({
    queryKey: ['runs', filter],
    queryFn: ({ pageParam, signal }): Promise<RunPage> =>
      runs.list({ ...toListParams(filter, nowMs()), limit: pageSize, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: 30_000,
    refetchInterval: ({ state }) =>
      filter.find !== undefined && state.data?.pages.length === 1 ? searchIntervalMs : false,
  });
}

/** Returns a function that reloads the list from its first page. */
export function useReloadList(filter: RunsPageFilter): () => void {
  const queryClient = useQueryClient();
  return useCallback(() => {
    const queryKey = ['runs', filter];
    queryClient.setQueryData<RunPages>(queryKey, (cached) => cached && keepFirstPage(cached));
    void queryClient.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
  }, [queryClient, filter]);
}
