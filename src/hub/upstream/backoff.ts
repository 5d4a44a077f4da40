/** Exponential backoff with jitter for a server that cannot be reached. */
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import type { VpError } from '../../errors/vp-error.ts';

const initialDelayMs = 250;
const maxDelayMs = 15_000;

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
    const fullMs = Math.min(initialDelayMs * 2 ** this.#failures, maxDelayMs);
    const jitter = (this.#random.bytes(1)[0] ?? 0) / 255;
    this.#failures += 1;
    this.#retryAtMs = this.#clock.monotonicMs() + fullMs * (0.5 + jitter / 2);
    this.#problem = problem;
  }

  recordSuccess(): void {
    this.#failures = 0;
    this.#problem = undefined;
    this.#retryAtMs = Number.NEGATIVE_INFINITY;
  }
}
