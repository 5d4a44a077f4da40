import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { toVpError } from '../../errors/vp-error.ts';

/** After success, and after a conflict with what is displayed, refetches the queries under `queryKey`. `onDone` may wait for the refetch. */
export function useInvalidatingMutation<I, O>(
  queryKey: string,
  mutate: (input: I) => Promise<O>,
  onDone?: (data: O, refetched: Promise<void>) => Promise<void> | void,
): UseMutationResult<O, Error, I> {
  const queries = useQueryClient();
  const refetch = (): Promise<void> => queries.invalidateQueries({ queryKey: [queryKey] });
  return useMutation({
    mutationFn: mutate,
    onSuccess: (data) => {
      const refetched = refetch();
      return onDone?.(data, refetched);
    },
    onError: (error) => {
      if (toVpError(error).row.status === 409) void refetch();
    },
  });
}
