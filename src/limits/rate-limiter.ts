/** Limits how often something may happen within a time window, by key or by the network of an address. */
import type { Clock } from '../environment/clock.ts';
import { vpError } from '../errors/vp-error.ts';
import { toNetwork } from './network-address.ts';
import { RecencyMap } from './recency-map.ts';

export type RateLimiter = {
  /**
   * Counts one use, or `cost` uses (0 only looks). Returns the seconds to wait when the limit is exceeded, otherwise
   * undefined.
   */
  tryTake(key: string, cost?: number): number | undefined;
  /** Counts one use. Throws RATE_LIMITED when the limit is exceeded. */
  take(key: string): void;
};

export type RateLimit = { readonly maxCount: number; readonly windowMs: number };

/** How often a /56 of IPv6 may use what one of its /64 may use once: a home has one /56, some hosters rent out /64 of one. */
export const widePrefixFactor = 4;

const maxKeys = 20_000;

type Window = { count: number; readonly endMs: number };

/** At most `maxCount` uses of each key within `windowMs`; `onLimit` is called once per key and window. */
export function createRateLimiter(
  clock: Pick<Clock, 'monotonicMs'>,
  { maxCount, windowMs }: RateLimit,
  onLimit: (key: string) => void = () => undefined,
): RateLimiter {
  const windows = new RecencyMap<Window>(maxKeys);
  return toRateLimiter((key, cost = 1) => {
    const nowMs = clock.monotonicMs();
    let window = windows.get(key);
    if (window === undefined || nowMs >= window.endMs) {
      window = { count: 0, endMs: nowMs + windowMs };
      windows.set(key, window);
    }
    const wasWithin = window.count <= maxCount;
    window.count += cost;
    if (wasWithin && window.count > maxCount) onLimit(key);
    return window.count > maxCount ? Math.ceil((window.endMs - nowMs) / 1000) : undefined;
  });
}

/**
 * At most `maxCount` uses of each network within `windowMs`. Networks are IPv4 addresses and the /64 of IPv6; a /56 may be used
 * {@link widePrefixFactor} times as often. `onLimit` is called once per network and window.
 */
export function createNetworkLimiter(
  clock: Pick<Clock, 'monotonicMs'>,
  limit: RateLimit,
  onLimit?: (network: string) => void,
): RateLimiter {
  const networks = createRateLimiter(clock, limit, onLimit);
  const wideLimit = { ...limit, maxCount: limit.maxCount * widePrefixFactor };
  const wideNetworks = createRateLimiter(clock, wideLimit, onLimit);
  return toRateLimiter((address, cost) => {
    const network = toNetwork(address);
    const waitSeconds = networks.tryTake(network, cost);
    // What a limited /64 tries further does not count against its neighbours.
    if (waitSeconds !== undefined || !network.endsWith('/64')) return waitSeconds;
    return wideNetworks.tryTake(toNetwork(address, 56), cost);
  });
}

function toRateLimiter(tryTake: RateLimiter['tryTake']): RateLimiter {
  return {
    tryTake,
    take(key) {
      const waitSeconds = tryTake(key);
      if (waitSeconds !== undefined) throw vpError('RATE_LIMITED', { retry_after_s: waitSeconds });
    },
  };
}
