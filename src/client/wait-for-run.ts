import type { RunDocument } from '../contract/api.ts';
import type { VpError } from '../errors/vp-error.ts';
import { isFinalState } from '../run/state.ts';
import { retry } from '../timing/retry.ts';
import type { Client } from './client.ts';
import { requestBackoff } from './transport/pause.ts';
import { isTransientError } from './transport/transient-error.ts';

export type WaitOptions = {
  readonly signal?: AbortSignal | undefined;
  /** One long poll; the control plane allows 60 s, proxies often only 30 s. */
  readonly pollMs?: number;
  /** Called after each poll. */
  readonly onRun?: (run: RunDocument) => void;
  /** Called with the error of a failed poll; polls are retried `attempts` times in a row (about a minute). */
  readonly onProblem?: (problem: VpError) => void;
  readonly attempts?: number;
};

/**
 * Waits until a run is final and returns it with its report. Waits through a restart of the control plane, which loses
 * nothing it has acknowledged. Throws the reason of an aborted signal.
 */
export async function waitForRun(
  { runs, pause }: Pick<Client, 'runs' | 'pause'>,
  runId: string,
  { signal, pollMs = 25_000, onRun, onProblem, attempts = 30 }: WaitOptions = {},
): Promise<RunDocument> {
  const options = {
    backoff: requestBackoff,
    shouldRetry(error: unknown, failures: number) {
      signal?.throwIfAborted();
      if (!isTransientError(error) || failures > attempts) return false;
      onProblem?.(error);
      return true;
    },
    async pause(delayMs: number) {
      await pause(delayMs, signal);
      signal?.throwIfAborted();
    },
  };
  for (;;) {
    const run = await retry(options, () => runs.get(runId, { waitMs: pollMs, signal }));
    onRun?.(run);
    if (isFinalState(run.state)) return run;
  }
}
