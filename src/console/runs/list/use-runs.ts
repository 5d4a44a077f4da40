import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Page } from '../../../client/transport/api-call.ts';
import type { Run } from '../../../contract/api.ts';
import { nowMs } from '../../browser.ts';
import { useClient } from '../../session/client.ts';
import { type RunsPageFilter, toListParams } from '../run-filter.ts';
import { keepFirstPage, type RunPages } from '../run-pages.ts';

const pageSize = 50;

/** Loads a list of runs page by page. The stream of changes keeps it up to date (live/apply-changes.ts). */
export function useRuns(filter: RunsPageFilter) {
  const { runs } = useClient();
  return useInfiniteQuery({
    queryKey: ['runs', filter],
    queryFn: ({ pageParam, signal }): Promise<Page<Run>> =>
      runs.list({ ...toListParams(filter, nowMs()), limit: pageSize, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: 30_000,
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
