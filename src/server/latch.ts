import type { Clock } from '../environment/clock.ts';

/** Remembers that something happened until it is reset. */
export type Latch = {
  /** True as soon as it happened (or has), false after `waitMs` or when `signal` is aborted. */
  wait(waitMs: number, signal: AbortSignal): Promise<boolean>;
  reset(): void;
  stop(): void;
};

/** A latch on what `subscribe` tells. One wait at a time. */
export function latch(subscribe: (listener: () => void) => () => void, clock: Pick<Clock, 'after'>): Latch {
  let happened = false;
  let wake: () => void = () => undefined;
  const unsubscribe = subscribe(() => {
    happened = true;
    wake();
  });
  return {
    wait(waitMs, signal) {
      if (happened || signal.aborted) return Promise.resolve(happened);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve(happened);
      };
      const cancel = clock.after(waitMs, end);
      signal.addEventListener('abort', end);
      wake = end;
      return promise;
    },
    reset() {
      happened = false;
    },
    stop: unsubscribe,
  };
}
