import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ChangeFailureRequest, FailureFilterState } from '../../contract/failures-api.ts';
import { useClient } from '../session/client.ts';

/** People change failures without an event; runs that end refresh them at once. */
const refetchInterval = 15_000;

export function useFailures(instance: string, state: FailureFilterState) {
  const { failures } = useClient();
  return useInfiniteQuery({
    queryKey: ['failures', instance, 'list', state],
    queryFn: ({ pageParam, signal }) => failures.list(instance, { state, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval,
  });
}

export function useFailure(instance: string, failureId: string) {
  const { failures } = useClient();
  return useQuery({
    queryKey: ['failures', instance, 'one', failureId],
    queryFn: ({ signal }) => failures.get(instance, failureId, { signal }),
    refetchInterval,
  });
}

export function useChangeFailure(instance: string, failureId: string) {
  const { failures } = useClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: ChangeFailureRequest) => failures.change(instance, failureId, input),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['failures', instance] }),
  });
}
