import type { Clock } from '../environment/clock.ts';

/** `ended` resolves to true at `end`, and to false after the time limit or when the signal is aborted. */
export type Wait = { readonly ended: Promise<boolean>; end(): void };

/** A wait for an event, of at most `timeoutMs`. Does not keep the process alive. */
export function startWait(clock: Pick<Clock, 'after'>, timeoutMs: number, signal?: AbortSignal): Wait {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const settle = (isEnded: boolean): void => {
    cancelTimer();
    signal?.removeEventListener('abort', giveUp);
    resolve(isEnded);
  };
  const giveUp = (): void => settle(false);
  const cancelTimer = clock.after(Math.max(0, timeoutMs), giveUp);
  signal?.addEventListener('abort', giveUp);
  if (signal?.aborted) giveUp();
  return { ended: promise, end: () => settle(true) };
}
