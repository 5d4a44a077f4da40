import type { BackoffRange } from '../../timing/backoff.ts';

/** Between attempts of one request. */
export const requestBackoff: BackoffRange = { initialMs: 200, maxMs: 2000 };

/** Resolves after `delayMs`, or as soon as `signal` is aborted. */
export type Pause = (delayMs: number, signal?: AbortSignal) => Promise<void>;

/** Uses the runtime's timers, which browsers have too. */
export const pause: Pause = (delayMs, signal) => {
  if (signal?.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, delayMs);
  const stop = (): void => {
    clearTimeout(timer);
    resolve();
  };
  signal?.addEventListener('abort', stop);
  return promise.finally(() => signal?.removeEventListener('abort', stop));
};
