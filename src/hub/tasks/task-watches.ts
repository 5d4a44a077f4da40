/**
 * Clients of the newest revision that watch tasks. A server's report is taken as a hint to read the task: the state that
 * clients get is decided by the policy, masked, limited and recorded like any `tasks/get`.
 */
import type { Clock } from '../../environment/clock.ts';
import { KeyedListeners } from '../../listeners/keyed-listeners.ts';
import type { TaskRoute } from './task-ids.ts';

type TaskKey = Pick<TaskRoute, 'connectionId' | 'taskId'>;

/** Reads of a task that changes all the time. */
const minIntervalMs = 1000;

export class TaskWatches {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #listeners = new KeyedListeners<() => void>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** `read` is called after reports, once at a time, and for the last one always. Returns a function that stops it. */
  add(task: TaskKey, read: () => Promise<void>): () => void {
    const key = toKey(task);
    let isBusy = false;
    let isOutdated = false;
    const onReport = (): void => {
      isOutdated = isBusy;
      if (isBusy) return;
      isBusy = true;
      void read()
        .catch(() => {})
        .finally(() =>
          this.#clock.after(minIntervalMs, () => {
            isBusy = false;
            if (isOutdated && this.#listeners.get(key).has(onReport)) onReport();
          }),
        );
    };
    return this.#listeners.add(key, onReport);
  }

  /** A server has reported on its task. */
  onReport(task: TaskKey): void {
    for (const onReport of [...this.#listeners.get(toKey(task))]) onReport();
  }
}

function toKey({ connectionId, taskId }: TaskKey): string {
  return JSON.stringify([connectionId, taskId]);
}
