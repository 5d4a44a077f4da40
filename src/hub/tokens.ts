/**
 * Personal access tokens: each for one hub and one person. What opens one is found by its keyed hash; the plaintext is
 * kept sealed for its maker alone to see again, soon after signing in, until the token ends.
 */
import type { HubToken, HubTokenNew, HubTokenRotate, HubTokenShown, TokenExpiry } from '../contract/hub-api.ts';
import { vpError } from '../errors/vp-error.ts';
import type { PersonCaller } from '../identity/caller.ts';
import { hashOf } from '../identity/context.ts';
import { mintPersonalToken } from '../secrets/personal-token.ts';
import { seal } from '../secrets/sealing.ts';
import {
  cleanHubTokens,
  countLiveHubTokens,
  deleteHubToken,
  type HubTokenRow,
  hubTokenOf,
  hubTokensOfHub,
  hubTokensOfPerson,
  insertHubToken,
  rotateHubToken,
} from '../store/control/hub-tokens.ts';
import type { Sql } from '../store/sql.ts';
import { demandHub, mayInHub, standingIn } from './hubs-authorization.ts';
import { type HubContext, newHubId } from './hubs-context.ts';
import { demandOwnToken, refuseKeys, tokenPlace, wireToken } from './tokens-own.ts';
import { revealToken } from './tokens-reveal.ts';

/** Tokens of people. Those who name a token throw HUB_TOKEN_UNKNOWN where it is not the caller's. */
export type Tokens = {
  /** The caller's in all hubs, newest first. */
  listOwn(caller: PersonCaller): Promise<HubToken[]>;
  /** Those of one hub: an owner sees everybody's. Throws HUB_UNKNOWN. */
  listOfHub(caller: PersonCaller, slug: string): Promise<HubToken[]>;
  /** Throws HUB_UNKNOWN, HUB_TOKEN_KEY_REFUSED, HUB_LIMIT_REACHED. */
  make(caller: PersonCaller, slug: string, input: HubTokenNew): Promise<HubTokenShown>;
  /** Throws HUB_TOKEN_KEY_REFUSED, SIGN_IN_NOT_RECENT, HUB_TOKEN_ERASED. */
  reveal(caller: PersonCaller, id: string, address: string): Promise<HubTokenShown>;
  /** Throws HUB_TOKEN_KEY_REFUSED. */
  rotate(caller: PersonCaller, id: string, input: HubTokenRotate): Promise<HubTokenShown>;
  /** Ends it at once: its maker, or an owner of its hub. */
  end(caller: PersonCaller, id: string): Promise<void>;
  /** Erases sealed copies of what has expired, and forgets what did so long ago. */
  clean(): Promise<void>;
};

const dayMs = 86_400_000;
const lifeMs: Readonly<Record<TokenExpiry, number | null>> = {
  '30 days': 30 * dayMs,
  '90 days': 90 * dayMs,
  '1 year': 365 * dayMs,
  'No expiration': null,
};

function expiresAtMs(expiry: TokenExpiry, nowMs: number): number | null {
  const life = lifeMs[expiry];
  return life === null ? null : nowMs + life;
}

/** See {@link Tokens}. */
export function tokensOf(context: HubContext): Tokens {
  const { database, clock, settings } = context;
  const wired = (rows: readonly HubTokenRow[]): HubToken[] => rows.map((row) => wireToken(row, clock.nowMs()));
  return {
    listOwn: (caller) => database.read((sql) => wired(hubTokensOfPerson(sql, caller.personId))),
    listOfHub: (caller, slug) =>
      database.read((sql) => {
        const { hubId, role } = demandHub(sql, caller, slug, 'hub.see');
        const seesAll = mayInHub(role, 'token.see_all');
        return wired(hubTokensOfHub(sql, hubId).filter((row) => seesAll || row.person_id === caller.personId));
      }),
    make: (caller, slug, input) => make(context, caller, slug, input),
    reveal: (caller, id, address) => revealToken(context, caller, id, address),
    rotate: (caller, id, input) => rotate(context, caller, id, input),
    end: (caller, id) => end(context, caller, id),
    clean: () => database.write((sql) => cleanHubTokens(sql, clock.nowMs(), clock.nowMs() - settings.forgetExpiredMs)),
  };
}

/** A new plaintext with what is kept of it. */
function minted(context: HubContext, id: string) {
  const token = mintPersonalToken(context.random);
  const sealed = seal(context.keys.dataKey, tokenPlace(id), Buffer.from(token), context.random);
  return { token, hash: hashOf(context, token), sealed };
}

function required(row: HubTokenRow | undefined): HubTokenRow {
  if (row) return row;
  throw vpError('INTERNAL', {}, { detail: 'a token that was just written is not there' });
}

async function make(
  context: HubContext,
  caller: PersonCaller,
  slug: string,
  { name, expiry }: HubTokenNew,
): Promise<HubTokenShown> {
  const { database, clock, tell, settings } = context;
  const { personId } = caller;
  const nowMs = clock.nowMs();
  const id = newHubId(context);
  const { token, hash, sealed } = minted(context, id);
  const facts = { id, person_id: personId, name, expiry, created_at_ms: nowMs, hash, sealed };
  const row = await database.write((sql) => {
    const { hubId } = demandHub(sql, caller, slug, 'token.make');
    refuseKeys(caller);
    const most = settings.mostTokens;
    const cure = '`vp tokens list` shows when each was last used; revoke those that nobody needs';
    if (countLiveHubTokens(sql, personId, nowMs) >= most)
      throw vpError('HUB_LIMIT_REACHED', { most, what: 'tokens of yours', cure });
    insertHubToken(sql, { ...facts, hub_id: hubId, expires_at_ms: expiresAtMs(expiry, nowMs) });
    return required(hubTokenOf(sql, id));
  });
  tell({ event: 'hub_token_made', level: 'info', hub_token: id, hub: row.hub_id, person: personId, expiry });
  return { hub_token: wireToken(row, nowMs), token };
}

async function rotate(
  context: HubContext,
  caller: PersonCaller,
  id: string,
  { grace_seconds: graceSeconds = 0 }: HubTokenRotate,
): Promise<HubTokenShown> {
  const { database, clock, tell } = context;
  const nowMs = clock.nowMs();
  const { token, hash, sealed } = minted(context, id);
  const row = await database.write((sql) => {
    const { expiry, expires_at_ms: endsAtMs } = demandOwnToken(sql, caller, id);
    refuseKeys(caller);
    // A secret never holds longer than it would have without the rotation.
    const previousEndsAtMs = Math.min(nowMs + graceSeconds * 1000, endsAtMs ?? Number.POSITIVE_INFINITY);
    const next = { hash, sealed, expires_at_ms: expiresAtMs(expiry, nowMs), nowMs, previousEndsAtMs };
    rotateHubToken(sql, id, next);
    return required(hubTokenOf(sql, id));
  });
  const about = { hub_token: id, hub: row.hub_id, person: caller.personId };
  tell({ event: 'hub_token_rotated', level: 'info', ...about, grace_s: graceSeconds });
  return { hub_token: wireToken(row, nowMs), token };
}

/** Whoever may not end it learns no more than that there is none. */
function mayEnd(sql: Sql, caller: PersonCaller, row: HubTokenRow): boolean {
  if (row.person_id === caller.personId) return true;
  const standing = standingIn(sql, caller, row.hub_id);
  return standing !== undefined && mayInHub(standing.role, 'token.end_any');
}

async function end({ database, tell }: HubContext, caller: PersonCaller, id: string): Promise<void> {
  const row = await database.write((sql) => {
    const found = hubTokenOf(sql, id);
    if (!found || !mayEnd(sql, caller, found)) throw vpError('HUB_TOKEN_UNKNOWN', {});
    deleteHubToken(sql, id);
    return found;
  });
  const about = { hub_token: id, hub: row.hub_id, person: row.person_id };
  tell({ event: 'hub_token_ended', level: 'info', ...about, by: caller.personId });
}
