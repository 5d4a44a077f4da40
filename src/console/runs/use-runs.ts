import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Page } from '../../client/call.ts';
import type { Run } from '../../contract/api.ts';
import { nowMs } from '../browser.ts';
import { useConnection } from '../session/connection.ts';
import { type RunFilter, wantedOf } from './filter.ts';
import { firstPageOf, type RunPages } from './merge.ts';

const pageSize = 50;

/** A list of runs, page by page; the stream of changes keeps it true (live/apply.ts). */
export function useRuns(filter: RunFilter) {
  const { runs } = useConnection();
  return useInfiniteQuery({
    queryKey: ['runs', filter],
    queryFn: ({ pageParam, signal }): Promise<Page<Run>> =>
      runs.list({ ...wantedOf(filter, nowMs()), limit: pageSize, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: 30_000,
  });
}

/** Loads a list anew from its first page on. */
export function useRenew(filter: RunFilter): () => void {
  const queries = useQueryClient();
  return useCallback(() => {
    const queryKey = ['runs', filter];
    queries.setQueryData<RunPages>(queryKey, (known) => known && firstPageOf(known));
    void queries.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
  }, [queries, filter]);
}
