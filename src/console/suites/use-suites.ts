import {
  infiniteQueryOptions,
  useInfiniteQuery,
  useMutation,
  usePrefetchInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Client } from '../../client/client.ts';
import type { RerunSuiteRequest } from '../../contract/suites-api.ts';
import { suitePath } from '../paths.ts';
import { useClient } from '../session/client.ts';

/** Runs refresh a suite as they end; this is for what has no event, such as a shard that was requested. */
const refetchInterval = 15_000;

export type SuitesPageFilter = { readonly branch?: string | undefined; readonly commit?: string | undefined };

export function useSuites(instance: string, filter: SuitesPageFilter) {
  const { suites } = useClient();
  return useInfiniteQuery({
    queryKey: ['suites', instance, 'list', filter],
    queryFn: ({ pageParam, signal }) => suites.list(instance, { ...filter, limit: 25, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval,
  });
}

export function useSuite(instance: string, suite: string) {
  const { suites } = useClient();
  return useQuery({
    queryKey: ['suites', instance, 'one', suite],
    queryFn: ({ signal }) => suites.get(instance, suite, { signal }),
    refetchInterval,
  });
}

type SuiteRunsPart = 'failed' | 'open' | 'ended';

function buildSuiteRunsQuery({ runs }: Pick<Client, 'runs'>, instance: string, suite: string, part: SuiteRunsPart) {
  return infiniteQueryOptions({
    queryKey: ['suites', instance, 'runs', { instance, suite, part }],
    queryFn: ({ pageParam, signal }) =>
      runs.list({ instance, suite, states: statesOf[part], limit: 100, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    // What was asked for beside the suite is not asked again when the list is rendered.
    staleTime: 2_000,
  });
}

/** The runs of a suite by result. */
export function useSuiteRuns(instance: string, suite: string, part: SuiteRunsPart) {
  return useInfiniteQuery({ ...buildSuiteRunsQuery(useClient(), instance, suite, part), refetchInterval });
}

/** Asks for what most suites have beside the suite, not after it. */
export function usePrefetchedSuiteRuns(instance: string, suite: string): void {
  const client = useClient();
  usePrefetchInfiniteQuery(buildSuiteRunsQuery(client, instance, suite, 'failed'));
  usePrefetchInfiniteQuery(buildSuiteRunsQuery(client, instance, suite, 'ended'));
}

const statesOf = {
  failed: ['failed', 'cancelled'],
  open: ['in_progress', 'queued'],
  ended: ['passed'],
} as const;

/** Goes to the new suite. */
export function useRerunSuite(instance: string, suite: string) {
  const { suites } = useClient();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: (input: RerunSuiteRequest) => suites.rerun(instance, suite, input),
    onSuccess: (result) => navigate(suitePath(instance, result.suite.suite_id)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['suites', instance] }),
  });
}

export function useCancelSuite(instance: string, suite: string) {
  const { suites } = useClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => suites.cancel(instance, suite),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['suites', instance] }),
  });
}
