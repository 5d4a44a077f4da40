import type { StatusRun } from '../../insight/status-summary.ts';
import { getRunOutcome } from '../../run/state.ts';
import type { StatusRunRow } from '../../store/control/status-pages/status-runs.ts';

/** A scenario of the catalogue that a status page selects. */
export type SelectedScenario = {
  readonly id: string;
  readonly title: string;
  /** With the former ones. */
  readonly ids: readonly string[];
  readonly isQuarantined: boolean;
  readonly newestRunId: number | undefined;
};

/** Newest first; `isCut`: there are older ones in the window. */
export type RunHistory = { readonly runs: readonly StatusRun[]; readonly isCut: boolean };

export function toStatusRun({ id, state, failure_kind: kind, finished_at_ms: finishedAtMs }: StatusRunRow): StatusRun {
  const outcome = getRunOutcome(state, kind);
  return {
    atMs: finishedAtMs ?? id,
    outcome: outcome === 'passed' || outcome === 'broken' ? outcome : 'failed',
    failureKind: kind,
  };
}
