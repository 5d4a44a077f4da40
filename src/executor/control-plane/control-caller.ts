/** Calls the control plane and retries until it responds. */
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { VpError } from '../../errors/vp-error.ts';
import { withTimeout } from './call-timeout.ts';

/** The executor's log for operators; has the shape of pino's methods. */
export type ExecutorLog = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
};

export type ControlCallOptions = {
  /** Limit of one attempt. */
  readonly timeoutMs: number;
  /** Stops retrying; the promise rejects with its reason. */
  readonly signal: AbortSignal;
  /** True for errors that retrying cannot fix: they are thrown at once. EXECUTOR_SUPERSEDED always is. */
  readonly isFinal?: (error: VpError) => boolean;
};

const firstDelayMs = 200;
const maxDelayMs = 5000;

/** Tracks whether the control plane is reachable, and logs changes. */
export class ControlCaller {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: ExecutorLog;
  #problem: string | undefined;

  constructor(clock: Clock, random: Random, log: ExecutorLog) {
    this.#clock = clock;
    this.#random = random;
    this.#log = log;
  }

  /** Why the control plane is unreachable; undefined while it is reachable. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The response of `call`, retried with exponential backoff. Throws final errors and the reason of `signal`. */
  async call<T>(
    { timeoutMs, signal, isFinal }: ControlCallOptions,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const response = await withTimeout(this.#clock, timeoutMs, signal, call);
        this.#onReached();
        return response;
      } catch (error) {
        signal.throwIfAborted();
        if (isSuperseded(error) || (error instanceof VpError && isFinal?.(error))) throw error;
        this.#onUnreachable(error);
        await this.#clock.sleep(isKeyRefused(error) ? maxDelayMs : this.#delayMs(attempt), signal);
      }
    }
  }

  /** Half of the delay is random, so that many executors do not reconnect at the same moment. */
  #delayMs(attempt: number): number {
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(attempt, 10));
    const [chance = 0] = this.#random.bytes(1);
    return delayMs * (0.5 + chance / 510);
  }

  #onReached(): void {
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    this.#log.info({}, 'the control plane answers again');
  }

  #onUnreachable(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    if (this.#problem !== problem) {
      const reason = error instanceof VpError ? { code: error.code, cure: error.cure } : {};
      this.#log.warn({ problem, ...reason }, `${describeOutage(error)}; trying again`);
    }
    this.#problem = problem;
  }
}

function describeOutage(error: unknown): string {
  if (isKeyRefused(error)) return 'the control plane refuses the key';
  const hasResponse = error instanceof VpError && error.code !== 'CONTROL_PLANE_UNREACHABLE';
  return hasResponse ? 'the control plane answers with an error' : 'the control plane does not answer';
}

const keyRefusalCodes: ReadonlySet<string> = new Set([
  'CREDENTIAL_MISSING',
  'CREDENTIAL_INVALID',
  'CREDENTIAL_INSUFFICIENT',
]);

/** True when the control plane rejects the executor's key as wrong, expired, or issued for something else. */
export function isKeyRefused(error: unknown): error is VpError {
  return error instanceof VpError && keyRefusalCodes.has(error.code);
}

/** True when another start of this executor took over. */
export function isSuperseded(error: unknown): boolean {
  return error instanceof VpError && error.code === 'EXECUTOR_SUPERSEDED';
}
