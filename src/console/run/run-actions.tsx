import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import type { RunDocument } from '../../contract/api.ts';
import { isFinal } from '../../run/state.ts';
import { Problem } from '../parts/problem.tsx';
import { useRequestRuns } from '../runs/use-request-runs.ts';
import { useConnection } from '../session/connection.ts';
import { useMay } from '../session/use-session.ts';
import { runPath } from '../shell/paths.ts';
import { useKeys } from '../shell/use-keys.ts';

/** Run again, cancel. A run of a text outside the catalogue is run again by its text. */
export function RunActions({ run, onCompare }: { run: RunDocument; onCompare: () => void }) {
  const mayRun = useMay('member');
  const again = useAgain(run);
  const cancel = useCancel(run);
  const { mutate } = again;
  const actions = useMemo(() => ({ r: () => mayRun && mutate() }), [mayRun, mutate]);
  useKeys(actions);
  const error = again.error ?? cancel.error;
  return (
    <div className="actions">
      {isFinal(run.state) ? (
        <button type="button" onClick={onCompare}>
          Compare with last passed
        </button>
      ) : null}
      {mayRun && !isFinal(run.state) ? (
        <button type="button" disabled={cancel.isPending || run.cancel_requested} onClick={() => cancel.mutate()}>
          {run.cancel_requested ? 'Stopping…' : 'Cancel'}
        </button>
      ) : null}
      {mayRun ? (
        <button type="button" className="strong" disabled={again.isPending} onClick={() => mutate()}>
          Run again
        </button>
      ) : null}
      {error ? <Problem error={error} /> : null}
    </div>
  );
}

function useAgain(run: RunDocument) {
  const request = useRequestRuns(run.instance);
  const [, go] = useLocation();
  return useMutation({
    mutationFn: async () => {
      const text = run.revision === null ? run.scenario_text : null;
      const scenarios = [text === null ? { id: run.scenario_id } : { text }];
      const [requested] = await request.mutateAsync({ scenarios });
      return requested;
    },
    onSuccess: (requested) => requested && go(runPath(requested.run_id)),
  });
}

function useCancel(run: RunDocument) {
  const { runs } = useConnection();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => runs.cancel(run.run_id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['run', run.run_id] }),
  });
}
