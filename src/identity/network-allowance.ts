import type { Clock } from '../environment/clock.ts';
import { networkOf } from './attempts.ts';

/** What one network may do within a while. */
export type Allowance = {
  /** How long to wait, in seconds, where it was too much; undefined otherwise. */
  take(address: string): number | undefined;
};

const mostNetworks = 20_000;

/** At most `most` within `windowMs`; `onLimit` is told once of each network that wants more. */
export function createAllowance(
  clock: Pick<Clock, 'monotonicMs'>,
  { most, windowMs }: { readonly most: number; readonly windowMs: number },
  onLimit: (network: string) => void,
): Allowance {
  let startedMs = clock.monotonicMs();
  const counts = new Map<string, number>();
  return {
    take(address) {
      const nowMs = clock.monotonicMs();
      if (nowMs - startedMs >= windowMs || counts.size >= mostNetworks) {
        counts.clear();
        startedMs = nowMs;
      }
      const network = networkOf(address);
      const count = (counts.get(network) ?? 0) + 1;
      counts.set(network, count);
      if (count === most + 1) onLimit(network);
      return count > most ? Math.ceil((startedMs + windowMs - nowMs) / 1000) : undefined;
    },
  };
}
