/** Deleting, renaming and restoring. Each refuses to act on a revision that is no longer the newest one. */
import { type UseMutationResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DeletedScenario, ScenarioDocument } from '../../contract/api.ts';
import type { ScenarioResult } from '../../contract/scenario-results-api.ts';
import { useClient } from '../session/client.ts';

/** Refetches lists and histories of an instance after a change. */
function useCatalogueMutation<I, O>(
  instance: string,
  mutationFn: (input: I) => Promise<O>,
): UseMutationResult<O, Error, I> {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    // Not awaited: the page of a deleted scenario would be replaced before it can lead away.
    onSettled: () => {
      for (const name of ['scenarios', 'deleted-scenarios', 'scenario', 'revisions', 'scenario-results'])
        void queryClient.invalidateQueries({ queryKey: [name, instance] });
    },
  });
}

type ScenarioRevision = { readonly id: string; readonly revision: number };

export function useDeleteScenario(instance: string) {
  const { scenarios } = useClient();
  return useCatalogueMutation(instance, ({ id, revision }: ScenarioRevision) =>
    scenarios.remove(instance, id, { ifRevision: revision }),
  );
}

export function useRenameScenario(instance: string) {
  const { scenarios } = useClient();
  return useCatalogueMutation(instance, ({ id, newId, revision }: ScenarioRevision & { readonly newId: string }) =>
    scenarios.rename(instance, id, { new_id: newId, if_revision: revision }),
  );
}

/** Also restores a deleted scenario. */
export function useRestoreScenario(instance: string): UseMutationResult<ScenarioDocument, Error, ScenarioRevision> {
  const { scenarios } = useClient();
  return useCatalogueMutation(instance, ({ id, revision }) => scenarios.restore(instance, id, { revision }));
}

export function useDeletedScenarios(instance: string) {
  const { scenarios } = useClient();
  return useQuery({
    queryKey: ['deleted-scenarios', instance],
    queryFn: ({ signal }): Promise<readonly DeletedScenario[]> => scenarios.listDeleted(instance, { signal }),
  });
}

/** The last result of each scenario, by ID. */
export function useScenarioResults(instance: string) {
  const { runs } = useClient();
  return useQuery({
    queryKey: ['scenario-results', instance],
    queryFn: ({ signal }) => runs.listScenarioResults(instance, { signal }),
    select: (results: readonly ScenarioResult[]) => new Map(results.map((result) => [result.scenario_id, result])),
  });
}
