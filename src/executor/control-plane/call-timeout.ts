import type { Clock } from '../../environment/clock.ts';

/** A call that exceeded its time limit; treated like any other sign that the control plane is unreachable. */
export class CallTimeoutError extends Error {
  override readonly name = 'CallTimeoutError';
}

/**
 * Returns the result of `call` within `timeoutMs`. Rejects with {@link CallTimeoutError} after that, and with the
 * reason of `signal` when it is aborted; in both cases the signal passed to `call` is aborted and its late result is
 * dropped.
 */
export async function withTimeout<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const timeout = new AbortController();
  const abortCall = (): void => timeout.abort(signal.reason);
  signal.addEventListener('abort', abortCall, { once: true });
  const stopTimer = clock.after(timeoutMs, () =>
    timeout.abort(new CallTimeoutError(`no answer within ${timeoutMs / 1000} s`)),
  );
  try {
    return await Promise.race([call(timeout.signal), rejectOnAbort(timeout.signal)]);
  } finally {
    stopTimer();
    signal.removeEventListener('abort', abortCall);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
