/** Requests that wait for an active replica, bounded in number. Their bodies stay unread, so they take little memory. */

import type { Clock } from '../../environment/clock.ts';
import { Listeners } from '../../listeners/listeners.ts';
import { startWait } from '../../timing/wait.ts';

export class WaitingRequests {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #max: number;
  readonly #waits = new Listeners();

  constructor(clock: Pick<Clock, 'after'>, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  get count(): number {
    return this.#waits.size;
  }

  /** Resolves at the next change, or after `timeoutMs`. False at once when too many wait. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (this.#waits.size >= this.#max) return false;
    const { ended, end } = startWait(this.#clock, timeoutMs);
    const removeWait = this.#waits.add(end);
    await ended;
    removeWait();
    return true;
  }

  /** Something has changed. */
  wakeAll(): void {
    this.#waits.notify();
  }
}
