/** How long a call may take: a silence that progress breaks, a whole that nothing extends, and a pause while a person is asked. */
import type { Clock } from '../../environment/clock.ts';

/** Limits of a call, in milliseconds. */
export type CallTimes = { readonly silenceMs: number; readonly wholeMs: number };

/** Aborts `signal` when a call has taken too long, or when `parent` is aborted. */
export class Deadline {
  readonly signal: AbortSignal;
  /** True when time ran out, as opposed to a caller who left. */
  expired = false;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #limits: CallTimes;
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #left = (): void => this.#controller.abort(this.#parent.reason);
  #cancelSilence: () => void;
  readonly #cancelWhole: () => void;
  #asking = 0;

  constructor(clock: Pick<Clock, 'after'>, limits: CallTimes, parent: AbortSignal) {
    this.#clock = clock;
    this.#limits = limits;
    this.#parent = parent;
    this.signal = this.#controller.signal;
    this.#cancelSilence = clock.after(limits.silenceMs, () => this.#expire());
    this.#cancelWhole = clock.after(limits.wholeMs, () => this.#expire());
    if (parent.aborted) this.#left();
    parent.addEventListener('abort', this.#left);
  }

  /** Something was heard: the silence begins anew. */
  touch(): void {
    this.#cancelSilence();
    if (this.#asking === 0) this.#cancelSilence = this.#clock.after(this.#limits.silenceMs, () => this.#expire());
  }

  /** Runs `work` without counting its time as silence. */
  async pausedFor<T>(work: () => Promise<T>): Promise<T> {
    this.#asking += 1;
    this.#cancelSilence();
    try {
      return await work();
    } finally {
      this.#asking -= 1;
      this.touch();
    }
  }

  /** Stops everything; the signal stays as it is. */
  end(): void {
    this.#cancelSilence();
    this.#cancelWhole();
    this.#asking = Number.POSITIVE_INFINITY;
    this.#parent.removeEventListener('abort', this.#left);
  }

  #expire(): void {
    this.expired = true;
    this.#controller.abort(new Error('took too long'));
  }
}
