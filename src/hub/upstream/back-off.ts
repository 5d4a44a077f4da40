/** How long to leave a server alone that could not be reached: longer each time, and never in step with others. */
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import type { VpError } from '../../errors/vp-error.ts';

const firstMs = 250;
const longestMs = 15_000;

/** Counts failures in a row. */
export class BackOff {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #random: Pick<Random, 'bytes'>;
  #failures = 0;
  #untilMs = Number.NEGATIVE_INFINITY;
  #problem: VpError | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>, random: Pick<Random, 'bytes'>) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Throws what went wrong the last time while it is too early to try again. */
  demandTry(): void {
    if (this.#problem && this.#clock.monotonicMs() < this.#untilMs) throw this.#problem;
  }

  failed(problem: VpError): void {
    const fullMs = Math.min(firstMs * 2 ** this.#failures, longestMs);
    const share = (this.#random.bytes(1)[0] ?? 0) / 255;
    this.#failures += 1;
    this.#untilMs = this.#clock.monotonicMs() + fullMs * (0.5 + share / 2);
    this.#problem = problem;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#problem = undefined;
    this.#untilMs = Number.NEGATIVE_INFINITY;
  }
}
