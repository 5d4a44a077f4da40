import type { Clock } from '../environment/clock.ts';
import { startWait, type Wait } from './wait.ts';

/** Remembers an event until it is reset. Only one wait at a time. */
export class Latch {
  readonly #clock: Pick<Clock, 'after'>;
  #hasHappened = false;
  #wait: Wait | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** The event has happened. */
  set(): void {
    this.#hasHappened = true;
    this.#wait?.end();
  }

  reset(): void {
    this.#hasHappened = false;
  }

  /** True as soon as the event has happened, false after `timeoutMs` or when `signal` is aborted. */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#hasHappened || signal.aborted) return this.#hasHappened;
    this.#wait = startWait(this.#clock, timeoutMs, signal);
    await this.#wait.ended;
    return this.#hasHappened;
  }
}
