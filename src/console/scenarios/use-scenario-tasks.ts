/** Deleting and restoring several scenarios. Each refuses to act on a revision that is no longer the newest one. */
import { type BulkItem, type BulkTask, oneByOne } from '../bulk/bulk-task.ts';
import { useDeleteScenario, useRestoreScenario } from './use-scenario-changes.ts';

export type RevisionItem = BulkItem & { readonly revision: number };

export function useScenarioTasks(instance: string) {
  const { mutateAsync: removeOne } = useDeleteScenario(instance);
  const { mutateAsync: restoreOne } = useRestoreScenario(instance);

  const restore = (items: readonly RevisionItem[]): BulkTask => ({
    ...{ noun: 'scenario', doing: 'Restoring', done: 'restored', items },
    perform: oneByOne(items, async ({ id, revision }) => {
      await restoreOne({ id, revision });
      return undefined;
    }),
  });

  const remove = (items: readonly RevisionItem[]): BulkTask => ({
    ...{ noun: 'scenario', doing: 'Deleting', done: 'deleted', items },
    perform: oneByOne(items, async ({ id, revision }) => {
      await removeOne({ id, revision });
      return undefined;
    }),
    undo: (succeeded) => {
      const ids = new Set(succeeded.map(({ id }) => id));
      return restore(items.filter(({ id }) => ids.has(id)));
    },
  });

  return { remove, restore };
}
