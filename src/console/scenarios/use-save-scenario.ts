import { useMutation, useQueryClient } from '@tanstack/react-query';
import { VpError } from '../../errors/vp-error.ts';
import type { DraftStorage } from '../drafts/draft-storage.ts';
import { useClient } from '../session/client.ts';

/** `revision` is the one that the text is based on; 0 for a new scenario. `storage` holds the draft of the text. */
export type ScenarioSave = {
  readonly id: string;
  readonly text: string;
  readonly revision: number;
  readonly storage: DraftStorage;
};

/** What was typed while the text was being saved stays a draft, on top of the new revision. */
function settleDraft({ storage, text }: ScenarioSave, revision: number): void {
  const draft = storage.read();
  if (draft?.text === text) storage.remove();
  else if (draft) storage.write(draft.text, revision);
}

/** Saves a text. Fails if its `revision` is no longer the current one. */
export function useSaveScenario(instance: string) {
  const { scenarios } = useClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, text, revision }: ScenarioSave) =>
      scenarios.write(instance, id, { text, if_revision: revision }),
    onSuccess: (savedScenario, input) => {
      settleDraft(input, savedScenario.revision);
      queryClient.setQueryData(['scenario', instance, savedScenario.scenario_id], savedScenario);
      void queryClient.invalidateQueries({ queryKey: ['scenarios', instance] });
      void queryClient.invalidateQueries({ queryKey: ['revisions', instance, savedScenario.scenario_id] });
    },
    // Somebody may have taken the ID or saved meanwhile.
    onError: () => void queryClient.invalidateQueries({ queryKey: ['scenarios', instance] }),
  });
}

/** Returns true if the text is based on an outdated revision. */
export function isSaveConflict(error: unknown): boolean {
  return error instanceof VpError && error.code === 'SCENARIO_CHANGED';
}
