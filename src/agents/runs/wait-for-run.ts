import type { RunDocument } from '../../contract/api.ts';
import { isFinalState } from '../../run/state.ts';
import type { AgentPorts } from '../ports.ts';
import type { ToolContext } from '../tools/tool.ts';
import { getOwnRun } from './run-entry.ts';

/** Length of one poll; shorter when the caller wants progress notifications. */
const pollIntervalMs = { silent: 25_000, withProgress: 5_000 } as const;

/**
 * The run at its end, or its state after `waitMs`; reports the queue position if the caller subscribed to progress.
 */
export async function waitForOwnRun(
  ports: AgentPorts,
  context: ToolContext,
  runId: string,
  waitMs: number,
): Promise<RunDocument> {
  const { clock } = ports;
  const startMs = clock.monotonicMs();
  const maxPollMs = context.progress ? pollIntervalMs.withProgress : pollIntervalMs.silent;
  let run = await getOwnRun(ports, context, runId);
  for (;;) {
    const remainingMs = waitMs - (clock.monotonicMs() - startMs);
    if (isFinalState(run.state) || remainingMs <= 0) return run;
    await context.progress?.((waitMs - remainingMs) / 1000, waitMs / 1000, formatState(run));
    run = await getOwnRun(ports, context, runId, Math.max(1, Math.min(remainingMs, maxPollMs)));
  }
}

function formatState({ state, queue_position, scenario_id }: RunDocument): string {
  const queueText = state === 'queued' ? `, ${queue_position} before it` : '';
  return `${scenario_id} is ${state.replace('_', ' ')}${queueText}`;
}
