import { useMutation, useQueryClient } from '@tanstack/react-query';
import { VpError } from '../../errors/vp-error.ts';
import { useConnection } from '../session/connection.ts';

/** A text to be saved over the revision that it was made from; 0 for a new scenario. */
export type Draft = { readonly id: string; readonly text: string; readonly revision: number };

/** Saves, unless somebody else has saved meanwhile. */
export function useSave(instance: string) {
  const { scenarios } = useConnection();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, text, revision }: Draft) => scenarios.write(instance, id, { text, if_revision: revision }),
    onSuccess: (saved) => {
      queries.setQueryData(['scenario', instance, saved.scenario_id], saved);
      void queries.invalidateQueries({ queryKey: ['scenarios', instance] });
      void queries.invalidateQueries({ queryKey: ['revisions', instance, saved.scenario_id] });
    },
  });
}

/** True when the catalogue has another revision than the text was made from. */
export function isConflict(error: unknown): boolean {
  return error instanceof VpError && error.row.status === 409;
}
