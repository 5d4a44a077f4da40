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
export async function withTimeout<T>(options: TimeoutOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, timeoutMs, signal, createError = () => createTimeLimitError(timeoutMs) } = options;
  signal?.throwIfAborted();
  const limit = new AbortController();
  const abortWork = (): void => limit.abort(signal?.reason);
  signal?.addEventListener('abort', abortWork, { once: true });
  const stopTimer = clock.after(timeoutMs, () => limit.abort(createError()));
  try {
    return await Promise.race([work(limit.signal), rejectOnAbort(limit.signal)]);
  } finally {
    stopTimer();
    signal?.removeEventListener('abort', abortWork);
  }
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

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
