/**
 * Attempts to sign in, held back by growing waits. Failures count for an account from one address, and for an address
 * over all accounts: so nobody can lock somebody else out from elsewhere. A browser that signed in before counts by
 * itself, so that not even a neighbour behind the same address holds it up. Kept in memory, bounded.
 */
import type { Clock } from '../environment/clock.ts';
import { vpError } from '../errors/vp-error.ts';
import type { IdentitySettings, Patience } from './settings.ts';

/** Who tries; `device` is a browser that is known for this very account. */
export type Attempt = { readonly account: string; readonly address: string; readonly device?: string | undefined };

/** Counts attempts. Each begins as a failure, so that many at once are no way around. */
export type Attempts = {
  /** Throws SIGN_IN_LIMITED with how long to wait. */
  begin(attempt: Attempt): void;
  /** It was no failure after all. */
  succeeded(attempt: Attempt): void;
};

type Count = { failures: number; freeAtMs: number; lastMs: number };
const mostCounts = 20_000;

/** The network that an address stands in: neighbours within an IPv6 /64 are one. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.split('::');
  const front = head.split(':').filter(Boolean);
  const back = (tail ?? '').split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array.from({ length: zeros }, () => '0'), ...back];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** Counters with the given patience. */
export function createAttempts(
  clock: Pick<Clock, 'monotonicMs'>,
  settings: Pick<IdentitySettings, 'accountPatience' | 'addressPatience'>,
): Attempts {
  const counts = new Map<string, Count>();

  function countOf(key: string, { forgetMs }: Patience, nowMs: number): Count {
    const known = counts.get(key);
    counts.delete(key);
    const count = known && nowMs - known.lastMs < forgetMs ? known : { failures: 0, freeAtMs: 0, lastMs: nowMs };
    // Moved to the end: the first in the map is the one unused for longest.
    counts.set(key, count);
    for (const oldest of counts.keys()) {
      if (counts.size <= mostCounts) break;
      counts.delete(oldest);
    }
    return count;
  }

  function keysOf({ account, address, device }: Attempt): { key: string; patience: Patience; own: boolean }[] {
    const { accountPatience, addressPatience } = settings;
    const network = networkOf(address);
    if (device !== undefined) return [{ key: `device ${device}`, patience: accountPatience, own: true }];
    return [
      { key: `account ${account} ${network}`, patience: accountPatience, own: true },
      { key: `address ${network}`, patience: addressPatience, own: false },
    ];
  }

  return {
    begin(attempt) {
      const nowMs = clock.monotonicMs();
      const all = keysOf(attempt).map(({ key, patience }) => ({ patience, count: countOf(key, patience, nowMs) }));
      const waitMs = Math.max(...all.map(({ count }) => count.freeAtMs - nowMs));
      if (waitMs > 0) throw vpError('SIGN_IN_LIMITED', { retry_after_s: Math.ceil(waitMs / 1000) });
      for (const { count, patience } of all) {
        count.failures += 1;
        count.lastMs = nowMs;
        const over = count.failures - patience.free;
        if (over > 0) count.freeAtMs = nowMs + Math.min(patience.longestMs, patience.firstMs * 2 ** (over - 1));
      }
    },
    succeeded(attempt) {
      for (const { key, own } of keysOf(attempt)) {
        const count = counts.get(key);
        // Signing in to one account says nothing about the failures of its address with others.
        if (own) counts.delete(key);
        else if (count) count.failures -= 1;
      }
    },
  };
}
