import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CreateRunsRequest } from '../../contract/api.ts';
import { createUniqueId } from '../browser.ts';
import { applyChangeEvents } from '../live/apply-changes.ts';
import { useClient } from '../session/client.ts';

/** Requests runs and adds them to the lists. The idempotency key prevents duplicates when a request is retried. */
export function useRequestRuns(instance: string) {
  const { runs } = useClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (params: Pick<CreateRunsRequest, 'scenarios' | 'prove'>) =>
      runs.request(instance, params, { idempotencyKey: createUniqueId() }),
    onSuccess: (requested) =>
      applyChangeEvents(
        queryClient,
        requested.map((run) => ({ seq: 0, type: 'run', run })),
      ),
  });
}
