/** Waits that another part ends: an executor waits for its queue, a caller waits for a run. */

/** Keys are instance ids or run ids. */
export type Wakes = {
  /** Ends every wait for `key`. */
  wake(key: string): void;
  /** Begins a wait; `done` resolves when woken, aborted or after `waitMs`. Call `stop` when it is not needed any more. */
  wait(key: string, waitMs: number, signal?: AbortSignal): { readonly done: Promise<void>; stop(): void };
  /** Ends all waits; later ones end at once. */
  close(): void;
};

/** `after` starts a timer and gives the way to cancel it. */
export function createWakes(after: (delayMs: number, action: () => void) => () => void): Wakes {
  const waiting = new Map<string, Set<() => void>>();
  let closed = false;

  function leave(key: string, stop: () => void): void {
    const others = waiting.get(key);
    others?.delete(stop);
    if (others?.size === 0) waiting.delete(key);
  }

  function wait(key: string, waitMs: number, signal?: AbortSignal) {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const stop = (): void => {
      cancelTimer();
      signal?.removeEventListener('abort', stop);
      leave(key, stop);
      resolve();
    };
    const cancelTimer = after(Math.max(0, waitMs), stop);
    signal?.addEventListener('abort', stop);
    const others = waiting.get(key) ?? new Set();
    waiting.set(key, others.add(stop));
    if (closed || signal?.aborted) stop();
    return { done, stop };
  }

  function wake(key: string): void {
    for (const stop of [...(waiting.get(key) ?? [])]) stop();
  }

  return {
    wake,
    wait,
    close() {
      closed = true;
      for (const key of [...waiting.keys()]) wake(key);
    },
  };
}
