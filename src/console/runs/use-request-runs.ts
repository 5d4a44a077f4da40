import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RunsNew } from '../../contract/api.ts';
import { uniqueText } from '../browser.ts';
import { applyChanges } from '../live/apply.ts';
import { useConnection } from '../session/connection.ts';

/** Requests runs; they are in the lists as soon as they are acknowledged. A repetition requests nothing twice. */
export function useRequestRuns(instance: string) {
  const { runs } = useConnection();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (asked: Pick<RunsNew, 'scenarios' | 'prove'>) =>
      runs.request(instance, asked, { idempotencyKey: uniqueText() }),
    onSuccess: (requested) =>
      applyChanges(
        queries,
        requested.map((run) => ({ seq: 0, type: 'run', run })),
      ),
  });
}
