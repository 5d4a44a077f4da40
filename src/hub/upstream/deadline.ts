/** The deadline of a call: an idle limit that progress restarts, a total limit, and a pause while a person is asked. */
import type { Clock } from '../../environment/clock.ts';

/** In milliseconds. */
export type CallTimeouts = { readonly idleMs: number; readonly totalMs: number };

/**
 * Aborts `signal` when a call takes too long or `parent` is aborted. Uses one timer at a time, which progress does not set anew: when it
 * ends too early, it goes on for the rest.
 */
export class Deadline {
  readonly signal: AbortSignal;
  /** True if time ran out, as opposed to a caller who left. */
  expired = false;
  readonly #clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly #idleMs: number;
  readonly #endsAtMs: number;
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #onParentAbort = (): void => this.#controller.abort(this.#parent.reason);
  #cancel: () => void = () => {};
  #idleSinceMs: number;
  #openQuestions = 0;
  #isDisposed = false;

  constructor(clock: Pick<Clock, 'after' | 'monotonicMs'>, timeouts: CallTimeouts, parent: AbortSignal) {
    this.#clock = clock;
    this.#idleMs = timeouts.idleMs;
    this.#idleSinceMs = clock.monotonicMs();
    this.#endsAtMs = this.#idleSinceMs + timeouts.totalMs;
    this.#parent = parent;
    this.signal = this.#controller.signal;
    this.#schedule();
    if (parent.aborted) this.#onParentAbort();
    parent.addEventListener('abort', this.#onParentAbort);
  }

  /** Restarts the idle limit. */
  touch(): void {
    this.#idleSinceMs = this.#clock.monotonicMs();
  }

  /** Runs `work` without counting its time as idle. */
  async pauseDuring<T>(work: () => Promise<T>): Promise<T> {
    this.#openQuestions += 1;
    this.#schedule();
    try {
      return await work();
    } finally {
      this.#openQuestions -= 1;
      this.touch();
      this.#schedule();
    }
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** Stops the timer; the signal keeps its state. */
  dispose(): void {
    this.#isDisposed = true;
    this.#cancel();
    this.#parent.removeEventListener('abort', this.#onParentAbort);
  }

  #schedule(): void {
    this.#cancel();
    if (this.#isDisposed) return;
    const delayMs = Math.max(0, this.#getEndMs() - this.#clock.monotonicMs());
    this.#cancel = this.#clock.after(delayMs, () => this.#onTimer());
  }

  #getEndMs(): number {
    if (this.#openQuestions > 0) return this.#endsAtMs;
    return Math.min(this.#idleSinceMs + this.#idleMs, this.#endsAtMs);
  }

  /** A timer may end a part of a millisecond early. */
  #onTimer(): void {
    if (this.#getEndMs() - this.#clock.monotonicMs() >= 1) this.#schedule();
    else this.#expire();
  }

  #expire(): void {
    this.expired = true;
    this.#controller.abort(new Error('took too long'));
  }
}
