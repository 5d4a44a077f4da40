import type { Clock } from '../../environment/clock.ts';

/** Remembers an event until it is reset. */
export type Latch = {
  /** True as soon as the event has happened, false after `waitMs` or when `signal` is aborted. */
  wait(waitMs: number, signal: AbortSignal): Promise<boolean>;
  reset(): void;
  stop(): void;
};

/** A latch on the events of `subscribe`. Only one wait at a time. */
export function createLatch(subscribe: (listener: () => void) => () => void, clock: Pick<Clock, 'after'>): Latch {
  let hasHappened = false;
  let wake: () => void = () => undefined;
  const unsubscribe = subscribe(() => {
    hasHappened = true;
    wake();
  });
  return {
    wait(waitMs, signal) {
      if (hasHappened || signal.aborted) return Promise.resolve(hasHappened);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const finish = (): void => {
        cancel();
        signal.removeEventListener('abort', finish);
        resolve(hasHappened);
      };
      const cancel = clock.after(waitMs, finish);
      signal.addEventListener('abort', finish);
      wake = finish;
      return promise;
    },
    reset() {
      hasHappened = false;
    },
    stop: unsubscribe,
  };
}
