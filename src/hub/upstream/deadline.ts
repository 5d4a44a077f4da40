/** How long a call may take: a silence that progress breaks, a whole that nothing extends, and a pause while a person is asked. */
import type { Clock } from '../../environment/clock.ts';

/** Limits of a call, in milliseconds. */
export type CallTimes = { readonly silenceMs: number; readonly wholeMs: number };

/** Aborts `signal` when a call has taken too long, or when `parent` is aborted. One timer for all: most calls need none. */
export class Deadline {
  readonly signal: AbortSignal;
  /** True when time ran out, as opposed to a caller who left. */
  expired = false;
  readonly #clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly #silenceMs: number;
  readonly #endsMs: number;
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #left = (): void => this.#controller.abort(this.#parent.reason);
  #cancel: () => void = () => {};
  #asking = 0;
  #ended = false;

  constructor(clock: Pick<Clock, 'after' | 'monotonicMs'>, limits: CallTimes, parent: AbortSignal) {
    this.#clock = clock;
    this.#silenceMs = limits.silenceMs;
    this.#endsMs = clock.monotonicMs() + limits.wholeMs;
    this.#parent = parent;
    this.signal = this.#controller.signal;
    this.#arm();
    if (parent.aborted) this.#left();
    parent.addEventListener('abort', this.#left);
  }

  /** Something was heard: the silence begins anew. */
  touch(): void {
    this.#arm();
  }

  /** Runs `work` without counting its time as silence. */
  async pausedFor<T>(work: () => Promise<T>): Promise<T> {
    this.#asking += 1;
    this.#arm();
    try {
      return await work();
    } finally {
      this.#asking -= 1;
      this.#arm();
    }
  }

  /** Ends the call for another reason than its time. */
  stop(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** Stops everything; the signal stays as it is. */
  end(): void {
    this.#ended = true;
    this.#cancel();
    this.#parent.removeEventListener('abort', this.#left);
  }

  #arm(): void {
    this.#cancel();
    if (this.#ended) return;
    const leftMs = Math.max(0, this.#endsMs - this.#clock.monotonicMs());
    const delayMs = this.#asking > 0 ? leftMs : Math.min(this.#silenceMs, leftMs);
    this.#cancel = this.#clock.after(delayMs, () => this.#expire());
  }

  #expire(): void {
    this.expired = true;
    this.#controller.abort(new Error('took too long'));
  }
}
