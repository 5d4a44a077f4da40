import type { Environment } from '../../environment/environment.ts';
import type { Progress } from '../../terminal/progress.ts';
import type { RunCollector } from './run-collector.ts';
import type { RunOutput } from './run-output.ts';

/** What all ways to run share in one invocation of `vp run`. */
export type RunSession = {
  readonly environment: Environment;
  readonly json: boolean;
  readonly collector: RunCollector;
  readonly output: RunOutput;
  readonly progress: Progress;
  /** Aborted by the first interrupt. */
  readonly signal: AbortSignal;
};
