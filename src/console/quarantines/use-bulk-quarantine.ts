import { useQueryClient } from '@tanstack/react-query';
import type { SetQuarantineRequest } from '../../contract/quarantines-api.ts';
import { type BulkItem, type BulkTask, oneByOne } from '../bulk/bulk-task.ts';
import { useClient } from '../session/client.ts';
import { invalidateQuarantines } from './use-quarantines.ts';

/** Tasks for scenarios, whose ids are those of the items. */
export function useBulkQuarantine(instance: string) {
  const { quarantines } = useClient();
  const queryClient = useQueryClient();
  const act = (items: readonly BulkItem[], change: (scenario: string) => Promise<unknown>): BulkTask['perform'] => {
    const perform = oneByOne(items, async ({ id }) => {
      await change(id);
      return undefined;
    });
    return (...call) => perform(...call).finally(() => void invalidateQuarantines(queryClient, instance));
  };
  const release = (items: readonly BulkItem[]): BulkTask => ({
    ...{ noun: 'scenario', doing: 'Releasing', done: 'released', items },
    perform: act(items, (id) => quarantines.release(instance, id)),
  });
  const set = (items: readonly BulkItem[], input: SetQuarantineRequest): BulkTask => ({
    ...{ noun: 'scenario', doing: 'Putting in quarantine', done: 'put in quarantine', items },
    perform: act(items, (id) => quarantines.set(instance, id, input)),
  });
  return { release, set };
}
