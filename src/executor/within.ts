import type { Clock } from '../environment/clock.ts';

/** A call that took too long; told like any other sign that the control plane is away. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/**
 * What `call` answers within `limitMs`. Rejects with {@link NoAnswer} after that, and with the reason of `signal` when it
 * is aborted; the call's own signal is aborted in both cases, and its late answer is dropped.
 */
export async function within<T>(
  clock: Clock,
  limitMs: number,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const own = new AbortController();
  const giveUp = (): void => own.abort(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  const stopTimer = clock.after(limitMs, () => own.abort(new NoAnswer(`no answer within ${limitMs / 1000} s`)));
  try {
    return await Promise.race([call(own.signal), rejection(own.signal)]);
  } finally {
    stopTimer();
    signal.removeEventListener('abort', giveUp);
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
