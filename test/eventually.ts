import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

export type EventuallyOptions<T> = {
  /** A minute unless given. Generous, as it is only used up by a test that fails. */
  readonly timeoutMs?: number;
  /** What is waited for, for the failure; the source of `check` unless given. */
  readonly description?: string;
  /** Whether the value is the awaited one; by default, whether it is truthy. */
  readonly until?: (value: T) => boolean;
};

const maxPauseMs = 20;
const maxTextLength = 4000;

function shorten(text: string): string {
  return text.length > maxTextLength ? `…${text.slice(-maxTextLength)}` : text;
}

/**
 * Calls `check` until it returns a truthy value, or one that `until` accepts, and resolves with it. A check that throws is
 * repeated. Rejects after `timeoutMs` with the last value or error, also while a check itself does not end.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 60_000, description = String(check), until = Boolean }: EventuallyOptions<T> = {},
): Promise<NonNullable<T>> {
  const deadlineMs = performance.now() + timeoutMs;
  const timeout = new AbortController();
  const expired = sleep(timeoutMs, 'expired' as const, { signal: timeout.signal });
  expired.catch(() => undefined);
  let last = 'nothing: the first check has not ended';
  let lastError: unknown;

  async function runCheck(): Promise<{ value: T } | undefined> {
    try {
      const value = await check();
      if (until(value)) return { value };
      last = shorten(typeof value === 'string' ? value : inspect(value, { depth: 6 }));
      lastError = undefined;
    } catch (error) {
      last = shorten(inspect(error));
      lastError = error;
    }
    return undefined;
  }

  try {
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      const result = await Promise.race([runCheck(), expired]);
      if (typeof result === 'object') return result.value as NonNullable<T>;
      if (result === 'expired' || performance.now() > deadlineMs)
        throw new Error(`not within ${timeoutMs} ms: ${description}\nlast seen: ${last}`, { cause: lastError });
      await sleep(pauseMs);
    }
  } finally {
    timeout.abort();
  }
}
