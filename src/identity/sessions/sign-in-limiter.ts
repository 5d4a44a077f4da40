/**
 * Slows down failed sign-in attempts with exponential backoff. Failures count per account and address, and per address over
 * all accounts, so an attacker elsewhere cannot lock an account. A browser that signed in before has its own counter, so a
 * neighbour behind the same address does not slow it down. The counters are held in memory and bounded.
 */
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { toNetwork } from '../../limits/network-address.ts';
import { widePrefixFactor } from '../../limits/rate-limiter.ts';
import { RecencyMap } from '../../limits/recency-map.ts';
import type { BackoffSettings, IdentitySettings } from '../settings.ts';

/** `device` is set for a browser that signed in to this account before. */
export type SignInAttempt = {
  readonly account: string;
  readonly address: string;
  readonly device?: string | undefined;
};

/** Counts attempts. Each starts as a failure, so that concurrent attempts do not evade the limit. */
export type SignInLimiter = {
  /** Throws SIGN_IN_LIMITED with the time to wait. */
  start(attempt: SignInAttempt): void;
  /** Takes back the failure that `start` counted. */
  recordSuccess(attempt: SignInAttempt): void;
};

type FailureCount = { failures: number; allowedAtMs: number; lastAttemptMs: number };
const maxCounts = 20_000;

export function createSignInLimiter(
  clock: Pick<Clock, 'monotonicMs'>,
  settings: Pick<IdentitySettings, 'accountBackoff' | 'addressBackoff'>,
): SignInLimiter {
  const counts = new RecencyMap<FailureCount>(maxCounts);

  function getCount(key: string, { resetAfterMs }: BackoffSettings, nowMs: number): FailureCount {
    const existing = counts.get(key);
    if (existing && nowMs - existing.lastAttemptMs < resetAfterMs) return existing;
    const count = { failures: 0, allowedAtMs: 0, lastAttemptMs: nowMs };
    counts.set(key, count);
    return count;
  }

  function listBackoffs({
    account,
    address,
    device,
  }: SignInAttempt): { key: string; backoff: BackoffSettings; isForAccount: boolean }[] {
    const { accountBackoff, addressBackoff } = settings;
    const network = toNetwork(address);
    const wideNetwork = toNetwork(address, 56);
    const wideBackoff = { ...addressBackoff, freeFailures: addressBackoff.freeFailures * widePrefixFactor };
    if (device !== undefined) return [{ key: `device ${device}`, backoff: accountBackoff, isForAccount: true }];
    return [
      { key: `account ${account} ${network}`, backoff: accountBackoff, isForAccount: true },
      { key: `address ${network}`, backoff: addressBackoff, isForAccount: false },
      ...(wideNetwork === network
        ? []
        : [{ key: `address ${wideNetwork}`, backoff: wideBackoff, isForAccount: false }]),
    ];
  }

  return {
    start(attempt) {
      const nowMs = clock.monotonicMs();
      const applied = listBackoffs(attempt).map(({ key, backoff }) => ({
        backoff,
        count: getCount(key, backoff, nowMs),
      }));
      const waitMs = Math.max(...applied.map(({ count }) => count.allowedAtMs - nowMs));
      if (waitMs > 0) throw vpError('SIGN_IN_LIMITED', { retry_after_s: Math.ceil(waitMs / 1000) });
      for (const { count, backoff } of applied) {
        count.failures += 1;
        count.lastAttemptMs = nowMs;
        const excess = count.failures - backoff.freeFailures;
        if (excess > 0)
          count.allowedAtMs = nowMs + Math.min(backoff.maxDelayMs, backoff.initialDelayMs * 2 ** (excess - 1));
      }
    },
    recordSuccess(attempt) {
      for (const { key, isForAccount } of listBackoffs(attempt)) {
        const count = counts.get(key);
        // Signing in to one account does not excuse failures of its address with other accounts.
        if (isForAccount) counts.delete(key);
        else if (count) count.failures -= 1;
      }
    },
  };
}
