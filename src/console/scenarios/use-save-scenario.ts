import { useMutation, useQueryClient } from '@tanstack/react-query';
import { VpError } from '../../errors/vp-error.ts';
import { useClient } from '../session/client.ts';

/** `revision` is the one that the text is based on; 0 for a new scenario. */
export type ScenarioSave = { readonly id: string; readonly text: string; readonly revision: number };

/** Saves a text. Fails if its `revision` is no longer the current one. */
export function useSaveScenario(instance: string) {
  const { scenarios } = useClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, text, revision }: ScenarioSave) =>
      scenarios.write(instance, id, { text, if_revision: revision }),
    onSuccess: (savedScenario) => {
      queryClient.setQueryData(['scenario', instance, savedScenario.scenario_id], savedScenario);
      void queryClient.invalidateQueries({ queryKey: ['scenarios', instance] });
      void queryClient.invalidateQueries({ queryKey: ['revisions', instance, savedScenario.scenario_id] });
    },
  });
}

/** Returns true if the text is based on an outdated revision. */
export function isSaveConflict(error: unknown): boolean {
  return error instanceof VpError && error.row.status === 409;
}
