import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import type { VpError } from '../../errors/vp-error.ts';
import { calculateBackoffMs } from '../../timing/backoff.ts';

const range = { initialMs: 250, maxMs: 15_000 };

/** Keeps a server that cannot be reached from being tried too early. */
export class Backoff {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #random: Pick<Random, 'bytes'>;
  #failures = 0;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  #problem: VpError | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>, random: Pick<Random, 'bytes'>) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Throws the last error while it is too early to try again. */
  assertMayRetry(): void {
    if (this.#problem && this.#clock.monotonicMs() < this.#retryAtMs) throw this.#problem;
  }

  recordFailure(problem: VpError): void {
    this.#retryAtMs = this.#clock.monotonicMs() + calculateBackoffMs(range, this.#failures, this.#random);
    this.#failures += 1;
    this.#problem = problem;
  }

  recordSuccess(): void {
    this.#failures = 0;
    this.#problem = undefined;
    this.#retryAtMs = Number.NEGATIVE_INFINITY;
  }
}
