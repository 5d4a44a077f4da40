import type { Run, RunDocument } from '../../contract/api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { formatQuarantineEnd } from '../../run/quarantine.ts';
import { getRunOutcome, outcomeLabels } from '../../run/state.ts';
import type { AgentPorts } from '../ports.ts';
import type { ToolContext } from '../tools/tool.ts';
import { formatTarget } from './target-process.ts';

/**
 * A run of the token's instance, after waiting up to `waitMs` for its end. Throws RUN_UNKNOWN for a run of another
 * instance.
 */
export async function getOwnRun(
  { control }: Pick<AgentPorts, 'control'>,
  { instance, signal }: ToolContext,
  runId: string,
  waitMs = 0,
): Promise<RunDocument> {
  const run = await control.runs.get(runId, { waitMs, signal });
  if (run.instance !== instance) throw vpError('RUN_UNKNOWN', { run: runId });
  return run;
}

export function toRunEntry(run: Run) {
  return {
    run_id: run.run_id,
    scenario_id: run.scenario_id,
    state: run.state,
    result: run.result,
    outcome: getRunOutcome(run.state, run.failure_kind) ?? null,
    queue_position: run.queue_position,
    requested_by: run.requested_by,
    requested_at: run.requested_at,
    duration_ms: run.duration_ms,
    observed_status: run.observed_status,
    target_process: run.target_process ?? null,
    target_version: run.target_version ?? null,
    quarantine: run.quarantine ?? null,
    failure_kind: run.failure_kind,
    failure_summary: (run.failure_summary ?? run.failure_message)?.slice(0, 300) ?? null,
  };
}

export function formatRunLine(run: Run): string {
  const { run_id, scenario_id, outcome, failure_kind, failure_summary } = toRunEntry(run);
  const state = outcome === null ? run.state : outcomeLabels[outcome];
  const failureText = failure_kind === null ? '' : `  ${failure_kind}: ${failure_summary ?? ''}`;
  const apart = run.quarantine ? `  (in quarantine until ${formatQuarantineEnd(run.quarantine.until)})` : '';
  const target = formatTarget(run);
  return `${run_id}  ${state}  ${scenario_id}${apart}${failureText}${target === undefined ? '' : `  [${target}]`}`;
}
