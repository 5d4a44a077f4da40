import type { Clock } from '../environment/clock.ts';
import { networkOf } from '../identity/attempts.ts';

/** Counts tokens that did not hold, by the network that they came from. */
export type Guesses = {
  /** How long to wait, in seconds, where there were too many; undefined otherwise. */
  failed(address: string): number | undefined;
};

const windowMs = 60_000;
const mostNetworks = 20_000;

/**
 * At most `limit` within a minute; `onLimit` is told once of each network that has more. Tokens that hold are not
 * counted and never held up, so that nobody locks their neighbours out.
 */
export function createGuesses(
  clock: Pick<Clock, 'monotonicMs'>,
  limit: number,
  onLimit: (network: string) => void,
): Guesses {
  let startedMs = clock.monotonicMs();
  const counts = new Map<string, number>();
  return {
    failed(address) {
      const nowMs = clock.monotonicMs();
      if (nowMs - startedMs >= windowMs || counts.size >= mostNetworks) {
        counts.clear();
        startedMs = nowMs;
      }
      const network = networkOf(address);
      const count = (counts.get(network) ?? 0) + 1;
      counts.set(network, count);
      if (count === limit + 1) onLimit(network);
      return count > limit ? Math.ceil((startedMs + windowMs - nowMs) / 1000) : undefined;
    },
  };
}
