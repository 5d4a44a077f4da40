import type { Run } from '../../contract/api.ts';
import { getRunOutcome, outcomeLabels, pendingStateLabels } from '../../run/state.ts';

/** The status of a run as displayed; each has its own colour and shape. `broken`: there was no response to judge. */
export type RunStatus = 'passed' | 'failed' | 'broken' | 'running' | 'queued' | 'cancelled';

export const runStatusLabels: Readonly<Record<RunStatus, string>> = {
  ...outcomeLabels,
  running: pendingStateLabels.in_progress,
  queued: pendingStateLabels.queued,
};

export type RunStatusFields = Pick<Run, 'state' | 'failure_kind'>;

export function getRunStatus({ state, failure_kind: kind }: RunStatusFields): RunStatus {
  if (state === 'in_progress') return 'running';
  return getRunOutcome(state, kind) ?? 'queued';
}

/** True for a run of a text that is not in the catalogue, such as an unsaved draft. */
export function isDraftRun({ origin, revision }: Pick<Run, 'origin' | 'revision'>): boolean {
  return origin === 'queue' && revision === null;
}
