/** Calls the control plane and retries until it responds. */
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { VpError } from '../../errors/vp-error.ts';
import { type RetryOptions, retry } from '../../timing/retry.ts';
import { withTimeout } from '../../timing/timeout.ts';

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
  /** True for errors that retrying cannot fix: they are thrown at once. Those that end the session always are. */
  readonly isFinal?: (error: VpError) => boolean;
};

const backoff = { initialMs: 200, maxMs: 5000 };

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
    const options: RetryOptions = {
      backoff,
      random: this.#random,
      shouldRetry: (error) => {
        signal.throwIfAborted();
        if (isSessionEndingError(error) || (error instanceof VpError && isFinal?.(error))) return false;
        this.#onUnreachable(error);
        return true;
      },
      pause: (delayMs, error) => this.#clock.sleep(isKeyRefused(error) ? backoff.maxMs : delayMs, signal),
    };
    return retry(options, async () => {
      const response = await withTimeout({ clock: this.#clock, timeoutMs, signal }, call);
      this.#onReached();
      return response;
    });
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

/** True when the instance is no longer registered. */
export function isInstanceRemoved(error: unknown): boolean {
  return error instanceof VpError && error.code === 'INSTANCE_REMOVED';
}

/** True when the control plane's store is an older copy, or a restored one: the executor must greet again. */
export function isControlStoreStale(error: unknown): error is VpError {
  return error instanceof VpError && error.code === 'CONTROL_STORE_STALE';
}

/** True when the control plane accepts no more calls of this epoch. */
export function isSessionEndingError(error: unknown): boolean {
  return isSuperseded(error) || isInstanceRemoved(error) || isControlStoreStale(error);
}
