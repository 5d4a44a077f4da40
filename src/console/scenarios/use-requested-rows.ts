import { useCallback, useState } from 'react';
import { useRequestRuns } from '../runs/use-request-runs.ts';
import { describeError } from '../text/error-description.ts';

/** What became of a row's button. */
export type RequestedRow =
  | { readonly kind: 'pending' }
  | { readonly kind: 'requested'; readonly runId: string | undefined }
  | { readonly kind: 'failed'; readonly message: string };

/** The runs that were requested from a list, by scenario. One mutation for all rows: one of each would be most of their cost. */
export function useRequestedRows(instance: string) {
  const { mutateAsync } = useRequestRuns(instance);
  const [rows, setRows] = useState<ReadonlyMap<string, RequestedRow>>(new Map());
  const request = useCallback(
    (id: string): void => {
      const set = (row: RequestedRow): void => setRows((before) => new Map(before).set(id, row));
      set({ kind: 'pending' });
      mutateAsync({ scenarios: [{ id }] }).then(
        ([run]) => set({ kind: 'requested', runId: run?.run_id }),
        (error: unknown) => set({ kind: 'failed', message: describeError(error).message }),
      );
    },
    [mutateAsync],
  );
  return { rows, request };
}
