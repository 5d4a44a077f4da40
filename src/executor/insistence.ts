/** Calls to the control plane, repeated until they are answered. */
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { VpError } from '../errors/vp-error.ts';
import { within } from './within.ts';

/** Where the executor says what people should know; the shape of pino's methods. */
export type ExecutorLog = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
};

/** How long and how often one call is tried. */
export type Trying = {
  /** One attempt takes at most this long. */
  readonly limitMs: number;
  /** Ends the insistence; the promise rejects with its reason. */
  readonly signal: AbortSignal;
  /** Errors that no repetition mends are thrown at once; EXECUTOR_SUPERSEDED always is. */
  readonly isFinal?: (error: VpError) => boolean;
};

const firstDelayMs = 200;
const longestDelayMs = 5000;

/** Knows whether the control plane is reached, and tells when that changes. */
export class Insistence {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: ExecutorLog;
  #problem: string | undefined;

  constructor(clock: Clock, random: Random, log: ExecutorLog) {
    this.#clock = clock;
    this.#random = random;
    this.#log = log;
  }

  /** Why the control plane is not reached; undefined while it is. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The answer of `call`, which is repeated with growing pauses. Throws what is final, and the reason of `signal`. */
  async call<T>({ limitMs, signal, isFinal }: Trying, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const answer = await within(this.#clock, limitMs, signal, call);
        this.#reached();
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        if (isSuperseded(error) || (error instanceof VpError && isFinal?.(error))) throw error;
        this.#away(error);
        await this.#clock.sleep(refusesKey(error) ? longestDelayMs : this.#delayMs(attempt), signal);
      }
    }
  }

  /** Half of it is chance, so that many executors do not come back at the same moment. */
  #delayMs(attempt: number): number {
    const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempt, 10));
    const [chance = 0] = this.#random.bytes(1);
    return delayMs * (0.5 + chance / 510);
  }

  #reached(): void {
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    this.#log.info({}, 'the control plane answers again');
  }

  #away(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    if (this.#problem !== problem) {
      const reason = error instanceof VpError ? { code: error.code, cure: error.cure } : {};
      this.#log.warn({ problem, ...reason }, `${absence(error)}; trying again`);
    }
    this.#problem = problem;
  }
}

function absence(error: unknown): string {
  if (refusesKey(error)) return 'the control plane refuses the key';
  const answered = error instanceof VpError && error.code !== 'CONTROL_PLANE_UNREACHABLE';
  return answered ? 'the control plane answers with an error' : 'the control plane does not answer';
}

const keyRefusals: ReadonlySet<string> = new Set([
  'CREDENTIAL_MISSING',
  'CREDENTIAL_INVALID',
  'CREDENTIAL_INSUFFICIENT',
]);

/** True when the control plane answers that the executor's key is wrong, has ended, or is for something else. */
export function refusesKey(error: unknown): error is VpError {
  return error instanceof VpError && keyRefusals.has(error.code);
}

/** True when another start of this executor took over. */
export function isSuperseded(error: unknown): boolean {
  return error instanceof VpError && error.code === 'EXECUTOR_SUPERSEDED';
}
