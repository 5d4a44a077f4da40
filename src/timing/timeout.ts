import type { Clock } from '../environment/clock.ts';

/** Work that exceeded its time limit. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/** `signal` ends the work early; `createError` is called when the limit has passed. */
export type TimeoutOptions = {
  readonly clock: Pick<Clock, 'after'>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly createError?: () => Error;
};

/**
 * Returns the result of `work` within `timeoutMs`. Rejects with the error of `createError` (default {@link TimeLimitError})
 * after that, and with the reason of `signal` when it is aborted; in both cases the signal passed to `work` is aborted and
 * its late result is dropped.
 */
export function withTimeout<T>(options: TimeoutOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, timeoutMs, signal, createError = () => createTimeLimitError(timeoutMs) } = options;
  // One promise: a race with a promise of the signal makes six, in each call of an executor.
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const limit = new AbortController();
    const abort = (reason: unknown): void => {
      limit.abort(reason);
      endWith(reject, reason);
    };
    const onAbort = (): void => abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const stopTimer = clock.after(timeoutMs, () => abort(createError()));
    const endWith = <V>(settle: (value: V) => void, value: V): void => {
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
      settle(value);
    };
    Promise.try(work, limit.signal).then(
      (value) => endWith(resolve, value),
      (error: unknown) => endWith(reject, error),
    );
  });
}

/** The same for work that goes on when the time is over, which costs less. `createError` is called when the limit has passed. */
export function limitTime<T>(
  { clock, timeoutMs, createError }: Required<Pick<TimeoutOptions, 'clock' | 'timeoutMs' | 'createError'>>,
  work: Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopTimer = clock.after(timeoutMs, () => reject(createError()));
    work.then(
      (value) => {
        stopTimer();
        resolve(value);
      },
      (error: unknown) => {
        stopTimer();
        reject(error);
      },
    );
  });
}

/** Settles as `work` does, and resolves after `timeoutMs` at the latest; the work goes on. */
export async function waitAtMost(
  clock: Pick<Clock, 'after'>,
  timeoutMs: number,
  work: Promise<unknown>,
): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const stopTimer = clock.after(timeoutMs, () => limit.resolve());
  try {
    await Promise.race([work, limit.promise]);
  } finally {
    stopTimer();
  }
}

function createTimeLimitError(timeoutMs: number): TimeLimitError {
  return new TimeLimitError(`no answer within ${timeoutMs / 1000} s`);
}
