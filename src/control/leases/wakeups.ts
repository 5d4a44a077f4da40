/** Waits that another part of the control plane ends: an executor waits for its queue, a caller for a run. */

/** Keys are instance ids or run ids. */
export type Wakeups = {
  /** Ends every wait for `key`. */
  wake(key: string): void;
  /** `done` resolves when woken, aborted or after `waitMs`. Call `stop` when the wait is no longer needed. */
  wait(key: string, waitMs: number, signal?: AbortSignal): { readonly done: Promise<void>; stop(): void };
  /** Ends all waits; later ones end at once. */
  close(): void;
  /** Whoever waits in a loop must end it then: a loop of waits that end at once never lets a timer or the disk have its turn. */
  readonly isClosed: boolean;
};

/** `after` starts a timer and returns the function that cancels it. */
export function createWakeups(after: (delayMs: number, action: () => void) => () => void): Wakeups {
  const waitersByKey = new Map<string, Set<() => void>>();
  let closed = false;

  function removeWaiter(key: string, stop: () => void): void {
    const waiters = waitersByKey.get(key);
    waiters?.delete(stop);
    if (waiters?.size === 0) waitersByKey.delete(key);
  }

  function wait(key: string, waitMs: number, signal?: AbortSignal) {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const stop = (): void => {
      cancelTimer();
      signal?.removeEventListener('abort', stop);
      removeWaiter(key, stop);
      resolve();
    };
    const cancelTimer = after(Math.max(0, waitMs), stop);
    signal?.addEventListener('abort', stop);
    const waiters = waitersByKey.get(key) ?? new Set();
    waitersByKey.set(key, waiters.add(stop));
    if (closed || signal?.aborted) stop();
    return { done, stop };
  }

  function wake(key: string): void {
    for (const stop of [...(waitersByKey.get(key) ?? [])]) stop();
  }

  return {
    wake,
    wait,
    get isClosed() {
      return closed;
    },
    close() {
      closed = true;
      for (const key of [...waitersByKey.keys()]) wake(key);
    },
  };
}
