import type { Random } from '../environment/random.ts';
import { type BackoffRange, calculateBackoffMs } from './backoff.ts';

export type RetryOptions = {
  readonly backoff: BackoffRange;
  /** For delays that differ between callers; without it they are the full ones. */
  readonly random?: Pick<Random, 'bytes'>;
  /** Whether another attempt may succeed, after `failures` of them. */
  readonly shouldRetry: (error: unknown, failures: number) => boolean;
  /** Waits before the next attempt; what it throws ends the attempts. */
  readonly pause: (delayMs: number, error: unknown) => Promise<void>;
};

/** The result of the first attempt that succeeds. Rejects with the error of the last one. */
export async function retry<T>(
  { backoff, random, shouldRetry, pause }: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!shouldRetry(error, failures)) throw error;
      await pause(calculateBackoffMs(backoff, failures - 1, random), error);
    }
  }
}

/** The backoff of retries that are always the same time apart. */
export function constantDelay(delayMs: number): BackoffRange {
  return { initialMs: delayMs, maxMs: delayMs };
}
