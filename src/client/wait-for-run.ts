import type { RunDocument } from '../contract/api.ts';
import type { VpError } from '../errors/vp-error.ts';
import { isFinal } from '../run/state.ts';
import type { Client } from './client.ts';
import { isPassing } from './passing.ts';

/** How to wait. */
export type WaitOptions = {
  readonly signal?: AbortSignal | undefined;
  /** One long poll; the control plane allows 60 s, proxies often only 30 s. */
  readonly pollMs?: number;
  /** Told what is known after each poll. */
  readonly onRun?: (run: RunDocument) => void;
  /** Told why the control plane is not reached; it is asked again, `attempts` times in a row (about a minute). */
  readonly onProblem?: (problem: VpError) => void;
  readonly attempts?: number;
};

/**
 * Waits until a run is final and gives it with its report. A restart of the control plane meanwhile is waited out,
 * since what it acknowledged is never lost. Throws the reason of an aborted signal.
 */
export async function waitForRun(
  { runs, pause }: Pick<Client, 'runs' | 'pause'>,
  runId: string,
  { signal, pollMs = 25_000, onRun, onProblem, attempts = 30 }: WaitOptions = {},
): Promise<RunDocument> {
  for (let failures = 0; ; ) {
    try {
      const run = await runs.get(runId, { waitMs: pollMs, signal });
      onRun?.(run);
      if (isFinal(run.state)) return run;
      failures = 0;
    } catch (error) {
      signal?.throwIfAborted();
      failures += 1;
      if (!isPassing(error) || failures > attempts) throw error;
      onProblem?.(error);
      await pause(Math.min(2_000, 100 * 2 ** failures), signal);
      signal?.throwIfAborted();
    }
  }
}
