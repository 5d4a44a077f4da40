import type { BackoffRange } from '../../timing/backoff.ts';

/** Between attempts of one request. */
export const requestBackoff: BackoffRange = { initialMs: 200, maxMs: 2000 };

/** Resolves after `delayMs`, or as soon as `signal` is aborted. */
export type Pause = (delayMs: number, signal?: AbortSignal) => Promise<void>;

/** The runtime's timers, which browsers have too. */
export const runtimeTimers = {
  after(delayMs: number, action: () => void): () => void {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
};

export const pause: Pause = (delayMs, signal) => {
  if (signal?.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = runtimeTimers.after(delayMs, resolve);
  const stop = (): void => {
    cancel();
    resolve();
  };
  signal?.addEventListener('abort', stop);
  return promise.finally(() => signal?.removeEventListener('abort', stop));
};
