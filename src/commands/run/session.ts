import type { Environment } from '../../environment/environment.ts';
import type { Progress } from '../../terminal/progress.ts';
import type { Gathering } from './gathering.ts';
import type { Teller } from './tell.ts';

/** What one invocation of `vp run` is made of, whichever way the runs take. */
export type RunSession = {
  readonly environment: Environment;
  readonly json: boolean;
  readonly gathering: Gathering;
  readonly teller: Teller;
  readonly progress: Progress;
  /** Aborted by the first interrupt. */
  readonly signal: AbortSignal;
};
