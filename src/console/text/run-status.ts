import type { Run } from '../../contract/api.ts';

/** The status of a run as displayed; each has its own colour and shape. `broken`: there was no response to judge. */
export type RunStatus = 'passed' | 'failed' | 'broken' | 'running' | 'queued' | 'cancelled';

export const runStatusLabels: Readonly<Record<RunStatus, string>> = {
  passed: 'passed',
  failed: 'failed',
  broken: 'could not be judged',
  running: 'running',
  queued: 'queued',
  cancelled: 'cancelled',
};

/** Kinds of failure in which the target's response was judged. With the others there was nothing to judge. */
export const judgedFailureKinds: ReadonlySet<string> = new Set([
  'status_mismatch',
  'body_mismatch',
  'evidence_mismatch',
]);

export type RunStatusFields = Pick<Run, 'state' | 'failure_kind'>;

export function getRunStatus({ state, failure_kind: kind }: RunStatusFields): RunStatus {
  if (state === 'in_progress') return 'running';
  if (state === 'failed' && kind !== null && !judgedFailureKinds.has(kind)) return 'broken';
  return state;
}
