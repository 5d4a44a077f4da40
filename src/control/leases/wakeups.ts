/** Waits that another part of the control plane ends: an executor waits for its queue, a caller for a run. */
import type { Clock } from '../../environment/clock.ts';
import { KeyedListeners } from '../../listeners/keyed-listeners.ts';
import { startWait } from '../../timing/wait.ts';

/** Keys are instance ids or run ids. */
export type Wakeups = {
  /** Ends every wait for `key`. */
  wake(key: string): void;
  /** `done` resolves when woken, aborted or after `waitMs`. Call `stop` when the wait is no longer needed. */
  wait(key: string, waitMs: number, signal?: AbortSignal): { readonly done: Promise<void>; stop(): void };
  /** Ends all waits; later ones end at once. */
  close(): void;
  /** Loops that wait must end when it is true: waits that end at once never let a timer or the disk have a turn. */
  readonly isClosed: boolean;
};

export function createWakeups(clock: Pick<Clock, 'after'>): Wakeups {
  const waits = new KeyedListeners<() => void>();
  let isClosed = false;
  return {
    wake(key) {
      for (const stop of [...waits.get(key)]) stop();
    },
    wait(key, waitMs, signal) {
      const { ended, end } = startWait(clock, waitMs, signal);
      const removeWait = waits.add(key, end);
      if (isClosed) end();
      return { done: ended.then(removeWait), stop: end };
    },
    get isClosed() {
      return isClosed;
    },
    close() {
      isClosed = true;
      for (const stop of [...waits.all()]) stop();
    },
  };
}
