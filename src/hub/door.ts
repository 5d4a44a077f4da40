/**
 * The ways into a hub. Whose hub it is comes from the memberships of the caller at that moment, never from what a token
 * or a grant remembers; where nothing is found nobody is let in. A token that was never given out, one that has ended and
 * one that is mistyped cost the same work.
 */
import { hash } from 'node:crypto';
import { hashOf } from '../identity/context.ts';
import { type Allowance, createAllowance } from '../identity/network-allowance.ts';
import { isPersonalToken, looksPersonal } from '../secrets/personal-token.ts';
import { type MembershipRow, membershipsOf } from '../store/control/hub-members.ts';
import { findHubToken, touchHubToken, type UsedTokenRow } from '../store/control/hub-tokens.ts';
import { type KeptReads, keptReads } from '../store/kept-reads.ts';
import {
  expiredToken,
  grantWithoutMembership,
  invalidToken,
  membershipRequired,
  missingToken,
  mistypedToken,
  scopeUnavailable,
  tooManyAttempts,
} from './door-refusals.ts';
import type { HubContext } from './hubs-context.ts';
import type { HubDoor, HubEntrance, HubPrincipal, HubRefusal, HubVia } from './words.ts';

/** What an access token of our OAuth server stands for, at the hub that it was given out for. */
export type HubGrant = {
  readonly personId: string;
  readonly hubId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly scopes: readonly string[];
};
/** What a token is shown for. */
export type HubService = 'hub' | 'memory';
/** Says whether an access token was given out for the hub of this slug; `expired` for one whose time is over, undefined for any other. */
export type VerifyGrant = (asked: {
  bearer: string;
  service: HubService;
  slug: string;
  address: string;
}) => Promise<HubGrant | 'expired' | undefined>;

type Door = {
  readonly context: HubContext;
  readonly tokens: KeptReads<KnownToken>;
  readonly members: KeptReads<readonly MembershipRow[]>;
  /** Tokens that did not hold. Those that hold are not counted, so that nobody locks their neighbours out. */
  readonly guesses: Allowance;
  /** Calls without any token. */
  readonly knocks: Allowance;
  readonly verifyGrant: VerifyGrant;
};
type KnownToken = { readonly token: UsedTokenRow; readonly memberships: readonly MembershipRow[] };
type Found = { readonly token: UsedTokenRow; readonly membership: MembershipRow | undefined };

const longestToken = 1024;
/** Callers whose token and memberships are at hand while nothing changes. */
const mostKnown = 2000;
const windowMs = 60_000;

/** See {@link HubDoor}. Without `verifyGrant` personal access tokens are the only way in. */
export function doorOf(context: HubContext, verifyGrant: VerifyGrant = async () => undefined): HubDoor {
  const { clock, settings, tell } = context;
  const onLimit = (network: string): void => tell({ event: 'hub_tokens_limited', level: 'warn', network });
  const guesses = createAllowance(clock, { most: settings.refusalsAMinute, windowMs }, onLimit);
  const knocks = createAllowance(clock, { most: settings.knocksAMinute, windowMs }, onLimit);
  const tokens = keptReads<KnownToken>(context.database, clock, mostKnown);
  const members = keptReads<readonly MembershipRow[]>(context.database, clock, mostKnown);
  const door = { context, tokens, members, guesses, knocks, verifyGrant };
  return {
    async agent(bearer, address) {
      if (bearer === undefined) return refusedWithout(door, address);
      const found = await foundBy(door, bearer);
      return found ? entered(door, found, address) : refusedBearer(door, bearer, address);
    },
    hub: (slug, bearer, address) => namedHub(door, { service: 'hub', slug, bearer, address }),
    memory: (slug, bearer, address) => namedHub(door, { service: 'memory', slug, bearer, address }),
  };
}

type Knock<B> = {
  readonly service: HubService;
  readonly slug: string;
  readonly bearer: B;
  readonly address: string;
};

async function namedHub(door: Door, { bearer, ...knock }: Knock<string | undefined>): Promise<HubEntrance> {
  if (bearer === undefined) return refusedWithout(door, knock.address);
  if (!looksPersonal(bearer)) return byGrant(door, { ...knock, bearer });
  const found = await foundBy(door, bearer);
  if (!found) return refusedBearer(door, bearer, knock.address);
  // Whether there is a hub of this slug is told to nobody who does not hold a token of it.
  if (found.token.slug === knock.slug) return entered(door, found, knock.address);
  const { address } = knock;
  door.context.tell({ event: 'hub_token_elsewhere', level: 'warn', hub_token: found.token.id, address });
  return scopeUnavailable;
}

/** The token, where it holds, with its maker's membership of its hub; both of one moment. */
async function foundBy({ context, tokens }: Door, bearer: string): Promise<Found | undefined> {
  const secret = bearer.slice(0, longestToken);
  // Kept by a digest that costs a fifth of the keyed one.
  const known = await tokens(hash('sha256', secret), (sql) => {
    const token = findHubToken(sql, hashOf(context, secret));
    const memberships = membershipsOf(sql, token?.person_id ?? '');
    return token && { token, memberships };
  });
  if (!known) return undefined;
  const { token, memberships } = known;
  const nowMs = context.clock.nowMs();
  if (!isAhead(token.expires_at_ms, nowMs) || !isAhead(token.secret_ends_at_ms, nowMs)) return undefined;
  return { token, membership: memberships.find(({ hub_id: hubId }) => hubId === token.hub_id) };
}

function isAhead(endsAtMs: number | null, nowMs: number): boolean {
  return endsAtMs === null || endsAtMs > nowMs;
}

function refusedWithout({ knocks }: Door, address: string): HubRefusal {
  const waitSeconds = knocks.take(address);
  return waitSeconds === undefined ? missingToken : tooManyAttempts(waitSeconds, 'calls without a token');
}

function refusedBearer({ guesses, context }: Door, bearer: string, address: string): HubRefusal {
  const waitSeconds = guesses.take(address);
  if (waitSeconds !== undefined) return tooManyAttempts(waitSeconds);
  context.tell({ event: 'hub_token_refused', level: 'warn', address });
  return looksPersonal(bearer) && !isPersonalToken(bearer) ? mistypedToken : invalidToken;
}

function entered({ context }: Door, { token, membership }: Found, address: string): HubEntrance {
  if (!membership) {
    context.tell({ event: 'hub_token_without_membership', level: 'warn', hub_token: token.id, address });
    return membershipRequired;
  }
  touch(context, token, address);
  const via = { kind: 'token', tokenId: token.id, tokenName: token.name } as const;
  return { kind: 'in', principal: principalOf(membership, via) };
}

function principalOf(membership: MembershipRow, via: HubVia): HubPrincipal {
  const { hub_id: id, slug, person_id: personId, person_name: name, role } = membership;
  return { hub: { id, slug }, person: { personId, name }, role, via, client: undefined };
}

/** No call waits for this. A use from elsewhere is noted at once, so that one sees where a token is used from. */
function touch({ database, clock, settings, onFault }: HubContext, token: UsedTokenRow, address: string): void {
  const nowMs = clock.nowMs();
  const { last_used_at_ms: lastMs, last_address: lastAddress } = token;
  const isFresh = lastMs !== null && nowMs - lastMs < settings.touchMs;
  if (isFresh && (lastAddress === address || nowMs - lastMs < settings.touchMs / 10)) return;
  database.write((sql) => touchHubToken(sql, token.id, address, nowMs)).catch(onFault);
}

async function byGrant(door: Door, knock: Knock<string>): Promise<HubEntrance> {
  const grant = await door.verifyGrant(knock);
  if (!grant) return refusedBearer(door, knock.bearer, knock.address);
  // Every program comes by with one of these from time to time, and renews it: nobody guesses here.
  if (grant === 'expired') return expiredToken;
  const { personId, hubId, ...client } = grant;
  const memberships = await door.members(personId, (sql) => membershipsOf(sql, personId));
  const membership = memberships?.find((one) => one.hub_id === hubId && one.slug === knock.slug);
  if (!membership) return grantWithoutMembership;
  return { kind: 'in', principal: principalOf(membership, { kind: 'grant', ...client }) };
}
