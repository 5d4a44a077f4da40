import type { Environment } from '../../environment/environment.ts';
import type { RunStop, UnfinishedRun } from '../../report/results.ts';
import type { Progress } from '../../terminal/progress.ts';
import type { SelectionHistory } from './last-results.ts';
import type { RunCollector } from './run-collector.ts';
import type { RunOutput } from './run-output.ts';

/** What all ways to run share in one invocation of `vp run`. */
export type RunSession = {
  readonly environment: Environment;
  readonly json: boolean;
  readonly collector: RunCollector;
  readonly history: SelectionHistory;
  readonly output: RunOutput;
  readonly progress: Progress;
  /** Aborted by the first interrupt, and at the end of --max-time. */
  readonly signal: AbortSignal;
};

/** Why a run was left out. */
export function explainUnfinishedRun(stop: RunStop | undefined): Pick<UnfinishedRun, 'hint' | 'stoppedBy'> {
  if (!stop) return { hint: 'interrupted before it was started' };
  return { hint: `${stop.flag}: ${stop.reason}`, stoppedBy: stop.flag };
}
