import type { Clock } from '../../environment/clock.ts';
import type { Identity } from '../../identity/identity.ts';
import { createNetworkLimiter, createRateLimiter, type RateLimiter } from '../../limits/rate-limiter.ts';

/** Calls per minute and network. Many people and clients may share one network. */
export type CallRates = {
  readonly open: number;
  /** Clients refresh tokens every 15 minutes, and poll device codes every 5 s. */
  readonly oauth: number;
  /** The proxy of a forge reads badges for all readers of its pages. */
  readonly statusPages: number;
  readonly registryReads: number;
  /** Proofs and publishing are rare. */
  readonly registryWrites: number;
};

export type CallLimiters = {
  /** Limits calls without a credential, by network. */
  readonly openCallLimiter: RateLimiter;
  /** Limits reads of status pages and badges, by network. */
  readonly statusPageLimiter: RateLimiter;
  /** Limits calls of the OAuth server, by network. */
  readonly oauthCallLimiter: RateLimiter;
  /** Limits the device codes that a person types. */
  readonly deviceCodeLimiter: RateLimiter;
  /** Limits writing calls of agents, by token. */
  readonly agentWriteLimiter: RateLimiter;
  /** Limit reads of the registry, and its proofs and writes, by network. */
  readonly registryReadLimiter: RateLimiter;
  readonly registryWriteLimiter: RateLimiter;
};

/** Per token: an agent in a loop must not fill the queue of an instance. */
export const maxAgentWritesPerMinute = 120;

const maxDeviceCodesPerMinute = 20;
const defaultCallRates: CallRates = {
  open: 120,
  oauth: 300,
  statusPages: 240,
  registryReads: 300,
  registryWrites: 30,
};
const windowMs = 60_000;

export function createCallLimiters(
  clock: Clock,
  callRates: Partial<CallRates>,
  logSecurityEvent: Identity['logSecurityEvent'],
): CallLimiters {
  const rates = { ...defaultCallRates, ...callRates };
  const limitNetworks = (maxCount: number, event: string): RateLimiter =>
    createNetworkLimiter(clock, { maxCount, windowMs }, (network) =>
      logSecurityEvent({ event, level: 'warn', network }),
    );
  return {
    openCallLimiter: limitNetworks(rates.open, 'calls_limited'),
    statusPageLimiter: limitNetworks(rates.statusPages, 'status_pages_limited'),
    oauthCallLimiter: limitNetworks(rates.oauth, 'oauth_calls_limited'),
    deviceCodeLimiter: createRateLimiter(clock, { maxCount: maxDeviceCodesPerMinute, windowMs }),
    agentWriteLimiter: createRateLimiter(clock, { maxCount: maxAgentWritesPerMinute, windowMs }, (tokenId) =>
      logSecurityEvent({ event: 'agent_limited', level: 'warn', agent_token: tokenId }),
    ),
    registryReadLimiter: limitNetworks(rates.registryReads, 'registry_calls_limited'),
    registryWriteLimiter: limitNetworks(rates.registryWrites, 'registry_calls_limited'),
  };
}
