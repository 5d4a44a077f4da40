import type { RunDocument } from '../../contract/api.ts';
import { isFinal } from '../../run/state.ts';
import type { AgentPorts } from '../ports.ts';
import type { ToolContext } from '../tool.ts';
import { ownRun } from './own-run.ts';

/** One poll; shorter where the caller wants to hear how it goes. */
const pollMs = { silent: 25_000, told: 5_000 } as const;

/** The run at its end, or as it is after `waitMs`; a caller that asked for it hears of the queue meanwhile. */
export async function waitForOwnRun(
  ports: AgentPorts,
  context: ToolContext,
  runId: string,
  waitMs: number,
): Promise<RunDocument> {
  const { clock } = ports;
  const startMs = clock.monotonicMs();
  const longest = context.progress ? pollMs.told : pollMs.silent;
  let run = await ownRun(ports, context, runId);
  for (;;) {
    const leftMs = waitMs - (clock.monotonicMs() - startMs);
    if (isFinal(run.state) || leftMs <= 0) return run;
    await context.progress?.((waitMs - leftMs) / 1000, waitMs / 1000, stateText(run));
    run = await ownRun(ports, context, runId, Math.max(1, Math.min(leftMs, longest)));
  }
}

function stateText({ state, queue_position, scenario_id }: RunDocument): string {
  const place = state === 'queued' ? `, ${queue_position} before it` : '';
  return `${scenario_id} is ${state.replace('_', ' ')}${place}`;
}
