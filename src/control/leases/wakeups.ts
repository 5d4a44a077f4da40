/** Waits that another part of the control plane ends: an executor waits for its queue, a caller for a run. */
import type { Clock } from '../../environment/clock.ts';
import { KeyedListeners } from '../../listeners/keyed-listeners.ts';
import { startWait } from '../../timing/wait.ts';

/** Keys are instance ids or run ids. */
export type Wakeups<News = undefined> = {
  /** Ends every wait for `key`, which get `news`. */
  wake(key: string, news?: News): void;
  /** Whether somebody waits. */
  has(key: string): boolean;
  /** `done` resolves when woken, aborted or after `waitMs`. Call `stop` when the wait is no longer needed. */
  wait(key: string, waitMs: number, signal?: AbortSignal): { readonly done: Promise<News | undefined>; stop(): void };
  /** Ends all waits; later ones end at once. */
  close(): void;
  /** Loops that wait must end when it is true: waits that end at once never let a timer or the disk have a turn. */
  readonly isClosed: boolean;
};

/** `onWake` is called with each key that is woken. */
export function createWakeups<News = undefined>(
  clock: Pick<Clock, 'after'>,
  onWake: (key: string) => void = () => {},
): Wakeups<News> {
  const waits = new KeyedListeners<(news?: News) => void>();
  let isClosed = false;
  return {
    wake(key, news) {
      onWake(key);
      for (const stop of [...waits.get(key)]) stop(news);
    },
    has: (key) => waits.has(key),
    wait(key, waitMs, signal) {
      const { ended, end } = startWait(clock, waitMs, signal);
      let received: News | undefined;
      const removeWait = waits.add(key, (news) => {
        received = news;
        end();
      });
      if (isClosed) end();
      const done = ended.then(() => {
        removeWait();
        return received;
      });
      return { done, stop: end };
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
