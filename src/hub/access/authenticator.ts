/**
 * Authenticates callers of a hub. The hub comes from the caller's current memberships, never from what a token or grant
 * recorded; without a match access is refused. Unknown, revoked and mistyped tokens cost the same work, so that timing
 * reveals nothing.
 */
import { hash } from 'node:crypto';
import { hashSecret } from '../../identity/context.ts';
import type { HubGrant } from '../../identity/oauth/grants/access-tokens.ts';
import { createNetworkLimiter, type RateLimiter } from '../../limits/rate-limiter.ts';
import { hasPersonalTokenPrefix, isPersonalToken } from '../../secrets/personal-token.ts';
import { type CachedReader, createCachedReader } from '../../store/cached-reader.ts';
import { listPersonMemberships, type MembershipRow } from '../../store/control/hubs/members.ts';
import { findHubTokenByHash, type PresentedHubTokenRow, touchHubToken } from '../../store/control/hubs/tokens.ts';
import type { HubContext } from '../context.ts';
import type {
  AccessDecision,
  AuthenticationOptions,
  HubAuthentication,
  HubAuthenticator,
  HubPrincipal,
  HubRefusal,
} from './principal.ts';
import {
  createRateLimitRefusal,
  expiredTokenRefusal,
  grantMembershipRefusal,
  invalidTokenRefusal,
  malformedTokenRefusal,
  membershipRefusal,
  missingTokenRefusal,
  noBearerRefusal,
  otherHubRefusal,
} from './refusals.ts';

/** The service that a token is presented to. */
export type HubServiceName = 'hub' | 'memory';
/**
 * Returns the grant if an access token was issued for the hub with this slug, `expired` if its lifetime is over,
 * otherwise undefined.
 */
export type VerifyGrant = (request: {
  bearer: string;
  service: HubServiceName;
  slug: string;
  address: string;
}) => Promise<HubGrant | 'expired' | undefined>;

type AuthenticatorContext = {
  readonly context: HubContext;
  readonly tokenCache: CachedReader<CachedToken>;
  readonly membershipCache: CachedReader<readonly MembershipRow[]>;
  /**
   * Invalid tokens, counted per network. Valid ones are not counted, so that one client cannot lock out others of its
   * network.
   */
  readonly failedAttempts: RateLimiter;
  /** Calls without a token, counted per network. */
  readonly anonymousCalls: RateLimiter;
  readonly verifyGrant: VerifyGrant;
};
type CachedToken = { readonly token: PresentedHubTokenRow; readonly memberships: readonly MembershipRow[] };
type ResolvedToken = { readonly token: PresentedHubTokenRow; readonly membership: MembershipRow | undefined };

const maxTokenLength = 1024;
/** Callers whose token and memberships stay in memory until the database changes. */
const maxCachedCallers = 2000;
const windowMs = 60_000;

/** Without `verifyGrant`, personal access tokens are the only accepted credentials. */
export function createHubAuthenticator(
  context: HubContext,
  verifyGrant: VerifyGrant = async () => undefined,
): HubAuthenticator {
  const { clock, settings, logSecurityEvent } = context;
  const onLimit = (network: string): void => logSecurityEvent({ event: 'hub_tokens_limited', level: 'warn', network });
  const failedAttempts = createNetworkLimiter(clock, { maxCount: settings.maxRefusalsPerMinute, windowMs }, onLimit);
  const anonymousCalls = createNetworkLimiter(
    clock,
    { maxCount: settings.maxAnonymousCallsPerMinute, windowMs },
    onLimit,
  );
  const tokenCache = createCachedReader<CachedToken>(context.database, clock, maxCachedCallers);
  const membershipCache = createCachedReader<readonly MembershipRow[]>(context.database, clock, maxCachedCallers);
  const authenticator = {
    context,
    tokenCache,
    membershipCache,
    failedAttempts,
    anonymousCalls,
    verifyGrant,
  };
  return {
    async agent(bearer, address, { isRecheck = false } = {}) {
      if (bearer === undefined) return refuseMissingToken(authenticator, address);
      const resolved = await resolveToken(authenticator, bearer);
      const attempt = { address, isRecheck };
      return resolved ? grantAccess(authenticator, resolved, attempt) : refuseBearer(authenticator, bearer, attempt);
    },
    hub: (slug, bearer, address, { isRecheck = false } = {}) =>
      authenticateForHub(authenticator, { service: 'hub', slug, bearer, address, isRecheck }),
    memory: (slug, bearer, address, { isRecheck = false } = {}) =>
      authenticateForHub(authenticator, { service: 'memory', slug, bearer, address, isRecheck }),
  };
}

type Attempt = Required<AuthenticationOptions> & { readonly address: string };
type AuthenticationRequest<B> = Attempt & {
  readonly service: HubServiceName;
  readonly slug: string;
  readonly bearer: B;
};

async function authenticateForHub(
  authenticator: AuthenticatorContext,
  { bearer, ...request }: AuthenticationRequest<string | undefined>,
): Promise<AccessDecision> {
  if (bearer === undefined) return refuseMissingToken(authenticator, request.address);
  if (!hasPersonalTokenPrefix(bearer)) return authenticateGrant(authenticator, { ...request, bearer });
  const resolved = await resolveToken(authenticator, bearer);
  if (!resolved) return refuseBearer(authenticator, bearer, request);
  // A caller without a token of this hub must not learn whether a hub with this slug exists.
  if (resolved.token.slug === request.slug) return grantAccess(authenticator, resolved, request);
  const { address, isRecheck } = request;
  const { logSecurityEvent } = authenticator.context;
  if (!isRecheck)
    logSecurityEvent({ event: 'hub_token_elsewhere', level: 'warn', hub_token: resolved.token.id, address });
  return otherHubRefusal;
}

/** Returns the valid token and its owner's membership, both read in one transaction. */
async function resolveToken(
  { context, tokenCache }: AuthenticatorContext,
  bearer: string,
): Promise<ResolvedToken | undefined> {
  const secret = bearer.slice(0, maxTokenLength);
  // The cache key is an unkeyed digest: it costs a fifth of the keyed one.
  const cached = await tokenCache(hash('sha256', secret), (sql) => {
    const token = findHubTokenByHash(sql, hashSecret(context, secret));
    const memberships = listPersonMemberships(sql, token?.person_id ?? '');
    return token && { token, memberships };
  });
  if (!cached) return undefined;
  const { token, memberships } = cached;
  const nowMs = context.clock.nowMs();
  if (!isUnexpired(token.expires_at_ms, nowMs) || !isUnexpired(token.secret_ends_at_ms, nowMs)) return undefined;
  return { token, membership: memberships.find(({ hub_id: hubId }) => hubId === token.hub_id) };
}

function isUnexpired(endsAtMs: number | null, nowMs: number): boolean {
  return endsAtMs === null || endsAtMs > nowMs;
}

function refuseMissingToken({ anonymousCalls }: AuthenticatorContext, address: string): HubRefusal {
  const waitSeconds = anonymousCalls.tryTake(address);
  return waitSeconds === undefined ? missingTokenRefusal : createRateLimitRefusal(waitSeconds, 'calls without a token');
}

function refuseBearer(
  { failedAttempts, context }: AuthenticatorContext,
  bearer: string,
  { address, isRecheck }: Attempt,
): HubRefusal {
  const waitSeconds = isRecheck ? undefined : failedAttempts.tryTake(address);
  if (waitSeconds !== undefined) return createRateLimitRefusal(waitSeconds);
  if (!isRecheck) context.logSecurityEvent({ event: 'hub_token_refused', level: 'warn', address });
  if (bearer === '') return noBearerRefusal;
  return hasPersonalTokenPrefix(bearer) && !isPersonalToken(bearer) ? malformedTokenRefusal : invalidTokenRefusal;
}

function grantAccess(
  { context }: AuthenticatorContext,
  { token, membership }: ResolvedToken,
  { address, isRecheck }: Attempt,
): AccessDecision {
  if (!membership) {
    const event = { event: 'hub_token_without_membership', level: 'warn', hub_token: token.id, address } as const;
    if (!isRecheck) context.logSecurityEvent(event);
    return membershipRefusal;
  }
  recordTokenUse(context, token, address);
  const via = { kind: 'token', tokenId: token.id, tokenName: token.name } as const;
  return { kind: 'in', principal: toPrincipal(membership, via, token.tool_list ?? membership.tool_list) };
}

function toPrincipal(
  membership: MembershipRow,
  via: HubAuthentication,
  toolList: HubPrincipal['toolList'] = membership.tool_list,
): HubPrincipal {
  const { hub_id: id, slug, person_id: personId, person_name: name, role } = membership;
  return { hub: { id, slug }, person: { personId, name }, role, via, client: undefined, toolList };
}

/**
 * Written in the background. A use from another address is recorded sooner, so that people see where a token is used
 * from.
 */
function recordTokenUse(
  { database, clock, settings, onError: onFault }: HubContext,
  token: PresentedHubTokenRow,
  address: string,
): void {
  const nowMs = clock.nowMs();
  const { last_used_at_ms: lastMs, last_address: lastAddress } = token;
  const isRecentlyRecorded = lastMs !== null && nowMs - lastMs < settings.useRecordIntervalMs;
  if (isRecentlyRecorded && (lastAddress === address || nowMs - lastMs < settings.useRecordIntervalMs / 10)) return;
  database.write((sql) => touchHubToken(sql, token.id, address, nowMs)).catch(onFault);
}

async function authenticateGrant(
  authenticator: AuthenticatorContext,
  request: AuthenticationRequest<string>,
): Promise<AccessDecision> {
  const grant = await authenticator.verifyGrant(request);
  if (!grant) return refuseBearer(authenticator, request.bearer, request);
  // Every OAuth client presents an expired token now and then before it refreshes: this is not counted as guessing.
  if (grant === 'expired') return expiredTokenRefusal;
  const { personId, hubId, ...client } = grant;
  const memberships = await authenticator.membershipCache(personId, (sql) => listPersonMemberships(sql, personId));
  const membership = memberships?.find((row) => row.hub_id === hubId && row.slug === request.slug);
  if (!membership) return grantMembershipRefusal;
  return { kind: 'in', principal: toPrincipal(membership, { kind: 'grant', ...client }) };
}
