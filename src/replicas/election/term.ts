/** The time for which a replica may act as the active one. */
import type { Clock } from '../../environment/clock.ts';
import type { ElectionTimings } from './timings.ts';

type Moment = { readonly monotonicMs: number; readonly wallMs: number };

/** Valid until its last renewal is too old. A process that stood still notices that before it serves anything. */
export class Term {
  readonly epoch: number;
  readonly #clock: Pick<Clock, 'monotonicMs' | 'nowMs'>;
  readonly #validMs: number;
  #renewed: Moment;
  #hasEnded = false;
  #isSuspended = false;

  /** `sent`: when the statement that began the term was sent. */
  constructor(
    epoch: number,
    clock: Pick<Clock, 'monotonicMs' | 'nowMs'>,
    { expiryMs, guardMs }: Pick<ElectionTimings, 'expiryMs' | 'guardMs'>,
    sent: Moment,
  ) {
    this.epoch = epoch;
    this.#clock = clock;
    this.#validMs = expiryMs - guardMs;
    this.#renewed = sent;
  }

  renew(sent: Moment): void {
    this.#renewed = sent;
    this.#isSuspended = false;
  }

  /** Serves nothing until the next renewal: the connection is lost by which other replicas see that this one lives. */
  suspend(): void {
    this.#isSuspended = true;
  }

  end(): void {
    this.#hasEnded = true;
  }

  get remainingMs(): number {
    return this.#hasEnded ? 0 : this.#validMs - (this.#clock.monotonicMs() - this.#renewed.monotonicMs);
  }

  /**
   * Whether a request may be served now. The wall clock shows that a virtual machine has slept, during which the monotonic
   * clock stands still; if it only jumped, the next renewal makes the term valid again.
   */
  isValid(): boolean {
    return !this.#isSuspended && this.remainingMs > 0 && this.#clock.nowMs() - this.#renewed.wallMs < this.#validMs;
  }
}

export function readMoment(clock: Pick<Clock, 'monotonicMs' | 'nowMs'>): Moment {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
}
