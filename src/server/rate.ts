import type { Clock } from '../environment/clock.ts';
import { vpError } from '../errors/vp-error.ts';

/** Calls that may come from one address, or with one token. */
export type Rate = {
  /** Throws RATE_LIMITED when there were too many. */
  take(address: string): void;
};

/** Of one token: an agent that goes in circles must not fill the queue that people wait in. */
export const agentWritesAMinute = 120;

const mostAddresses = 20_000;

/** At most `limit` calls from an address within `windowMs`; `onLimit` is told once of each address that wants more. */
export function createRate(
  clock: Pick<Clock, 'monotonicMs'>,
  limit: number,
  windowMs: number,
  onLimit: (address: string) => void = () => undefined,
): Rate {
  let startedMs = clock.monotonicMs();
  const counts = new Map<string, number>();
  return {
    take(address) {
      const nowMs = clock.monotonicMs();
      if (nowMs - startedMs >= windowMs || counts.size >= mostAddresses) {
        counts.clear();
        startedMs = nowMs;
      }
      const count = (counts.get(address) ?? 0) + 1;
      counts.set(address, count);
      if (count === limit + 1) onLimit(address);
      if (count > limit)
        throw vpError('RATE_LIMITED', { retry_after_s: Math.ceil((startedMs + windowMs - nowMs) / 1000) });
    },
  };
}
