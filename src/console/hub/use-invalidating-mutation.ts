import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';

/** After success, refetches the queries under `queryKey`. `onDone` may wait for the refetch. */
export function useInvalidatingMutation<I, O>(
  queryKey: string,
  mutate: (input: I) => Promise<O>,
  onDone?: (data: O, refetched: Promise<void>) => Promise<void> | void,
): UseMutationResult<O, Error, I> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: mutate,
    onSuccess: (data) => {
      const refetched = queries.invalidateQueries({ queryKey: [queryKey] });
      return onDone?.(data, refetched);
    },
  });
}
