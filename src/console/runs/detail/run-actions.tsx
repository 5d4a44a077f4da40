import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import type { RunDocument } from '../../../contract/api.ts';
import { isFinalState } from '../../../run/state.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { runPath } from '../../paths.ts';
import { useClient } from '../../session/client.ts';
import { useHasRole } from '../../session/use-session.ts';
import { useKeys } from '../../shell/use-keys.ts';
import { useRequestRuns } from '../use-request-runs.ts';

/** Buttons to run again, cancel and compare. A run without a catalogue revision is repeated with its own text. */
export function RunActions({ run, onCompare }: { run: RunDocument; onCompare: () => void }) {
  const canRun = useHasRole('member');
  const { runs } = useClient();
  const rerun = useRerun(run);
  const cancellation = useCancelRun(run);
  const { mutate } = rerun;
  const actions = useMemo(() => ({ r: () => canRun && mutate() }), [canRun, mutate]);
  useKeys(actions);
  const error = rerun.error ?? cancellation.error;
  return (
    <div className="actions">
      {isFinalState(run.state) ? (
        <button type="button" onClick={onCompare}>
          Compare with last passed
        </button>
      ) : null}
      {run.report && run.state !== 'passed' ? (
        <CopyButton label="Copy for an agent" text={() => runs.renderReport(run.run_id, 'agent')} />
      ) : null}
      {run.report ? (
        <a href={`/api/v1/runs/${run.run_id}/report?format=html`} download={`${run.run_id}.html`}>
          HTML file
        </a>
      ) : null}
      {canRun && !isFinalState(run.state) ? (
        <button
          type="button"
          disabled={cancellation.isPending || run.cancel_requested}
          onClick={() => cancellation.mutate()}
        >
          {run.cancel_requested ? 'Cancelling…' : 'Cancel'}
        </button>
      ) : null}
      {canRun ? (
        <button type="button" className="strong" disabled={rerun.isPending} onClick={() => mutate()}>
          Run again
        </button>
      ) : null}
      {error ? <ErrorNotice error={error} /> : null}
    </div>
  );
}

function useRerun(run: RunDocument) {
  const request = useRequestRuns(run.instance);
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async () => {
      const text = run.revision === null ? run.scenario_text : null;
      const scenarios = [text === null ? { id: run.scenario_id } : { text }];
      const [requested] = await request.mutateAsync({ scenarios });
      return requested;
    },
    onSuccess: (requested) => requested && navigate(runPath(requested.run_id)),
  });
}

function useCancelRun(run: RunDocument) {
  const { runs } = useClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => runs.cancel(run.run_id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['run', run.run_id] }),
  });
}
