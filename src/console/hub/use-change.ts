import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';

/**
 * Something that is changed by a call; afterwards what was read under `key` is read again, which `done` may wait for.
 */
export function useChange<I, O>(
  key: string,
  change: (input: I) => Promise<O>,
  done?: (answer: O, readAgain: Promise<void>) => Promise<void> | void,
): UseMutationResult<O, Error, I> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (answer) => {
      const readAgain = queries.invalidateQueries({ queryKey: [key] });
      return done?.(answer, readAgain);
    },
  });
}
