import type { Clock } from '../environment/clock.ts';
import { type BackoffRange, calculateBackoffMs } from './backoff.ts';

/**
 * Runs `work` every `intervalMs` until the returned function is called. The interval starts when the last run has settled, so
 * that runs never overlap. An error is passed to `onError`, unless it was stopped, and does not stop the repetition; without
 * `onError` it is an unhandled rejection.
 */
export function repeatEvery(
  clock: Pick<Clock, 'after'>,
  intervalMs: number,
  work: () => Promise<void> | void,
  onError: (error: unknown) => void = rethrow,
): () => void {
  let isStopped = false;
  let cancel = clock.after(intervalMs, run);
  function run(): void {
    void Promise.try(work)
      .catch((error: unknown) => (isStopped ? undefined : onError(error)))
      .then(() => {
        if (!isStopped) cancel = clock.after(intervalMs, run);
      });
  }
  return () => {
    isStopped = true;
    cancel();
  };
}

/**
 * Runs `work` now, and again with growing pauses until it succeeds or the returned function is called. Each error is passed to
 * `onError`, unless it was stopped.
 */
export function retryUntilDone(
  clock: Pick<Clock, 'after'>,
  backoff: BackoffRange,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): () => void {
  let isStopped = false;
  let cancel = (): void => {};
  function attempt(count: number): void {
    void Promise.try(work).catch((error: unknown) => {
      if (isStopped) return;
      onError(error);
      cancel = clock.after(calculateBackoffMs(backoff, count), () => attempt(count + 1));
    });
  }
  attempt(0);
  return () => {
    isStopped = true;
    cancel();
  };
}

function rethrow(error: unknown): never {
  throw error;
}
