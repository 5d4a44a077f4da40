/** Requests that wait for an active replica, bounded in number. Their bodies stay unread, so they take little memory. */
import type { Clock } from '../../environment/clock.ts';

export class WaitingRequests {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #max: number;
  readonly #wakes = new Set<() => void>();

  constructor(clock: Pick<Clock, 'after'>, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  get count(): number {
    return this.#wakes.size;
  }

  /** Resolves at the next change, or after `timeoutMs`. False at once when too many wait. */
  wait(timeoutMs: number): Promise<boolean> {
    if (this.#wakes.size >= this.#max) return Promise.resolve(false);
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#wakes.delete(wake);
        resolve(true);
      };
      const cancel = this.#clock.after(timeoutMs, wake);
      this.#wakes.add(wake);
    });
  }

  /** Something has changed. */
  wakeAll(): void {
    for (const wake of [...this.#wakes]) wake();
  }
}
