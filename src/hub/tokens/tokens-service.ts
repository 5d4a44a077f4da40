/**
 * Personal access tokens, each for one hub and one person. A token is found by its keyed hash; the plaintext is sealed
 * so that its owner can reveal it soon after signing in, until the token expires.
 */
import type {
  CreateHubTokenRequest,
  HubToken,
  HubTokenWithSecret,
  RotateHubTokenRequest,
  TokenExpiry,
  UpdateHubTokenRequest,
} from '../../contract/hubs/hubs-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { hashSecret } from '../../identity/context.ts';
import { mintPersonalToken } from '../../secrets/personal-token.ts';
import { seal } from '../../secrets/sealing.ts';
import {
  countActiveHubTokens,
  deleteHubToken,
  findHubToken,
  type HubTokenRow,
  insertHubToken,
  listHubTokensByHub,
  listHubTokensByPerson,
  purgeHubTokens,
  rotateHubToken,
  setHubTokenToolList,
} from '../../store/control/hubs/tokens.ts';
import type { Sql } from '../../store/sql.ts';
import { authorizeInHub, findMembership, isAllowedInHub } from '../access/permissions.ts';
import { createHubId, type HubContext } from '../context.ts';
import { assertNotApiKey, getTokenSealContext, requireOwnToken, toHubToken } from './own-token.ts';
import { revealToken } from './reveal-token.ts';

/** Methods that name a token throw HUB_TOKEN_UNKNOWN if it is not the caller's. */
export type TokensService = {
  /** The caller's tokens in all hubs, newest first. */
  listOwn(caller: PersonCaller): Promise<HubToken[]>;
  /** Owners of the hub see everybody's tokens. Throws HUB_UNKNOWN. */
  listForHub(caller: PersonCaller, slug: string): Promise<HubToken[]>;
  /** Throws HUB_UNKNOWN, HUB_TOKEN_KEY_REFUSED, HUB_LIMIT_REACHED. */
  create(caller: PersonCaller, slug: string, input: CreateHubTokenRequest): Promise<HubTokenWithSecret>;
  /** Only by its owner. */
  change(caller: PersonCaller, id: string, input: UpdateHubTokenRequest): Promise<HubToken>;
  /** Throws HUB_TOKEN_KEY_REFUSED, SIGN_IN_NOT_RECENT, HUB_TOKEN_ERASED. */
  reveal(caller: PersonCaller, id: string, address: string): Promise<HubTokenWithSecret>;
  /** Throws HUB_TOKEN_KEY_REFUSED. */
  rotate(caller: PersonCaller, id: string, input: RotateHubTokenRequest): Promise<HubTokenWithSecret>;
  /** By its owner or an owner of its hub; takes effect immediately. */
  revoke(caller: PersonCaller, id: string): Promise<void>;
  /** Erases the sealed copies of expired tokens, and deletes those that expired long ago. */
  clean(): Promise<void>;
};

const dayMs = 86_400_000;
const lifetimesMs: Readonly<Record<TokenExpiry, number | null>> = {
  '30 days': 30 * dayMs,
  '90 days': 90 * dayMs,
  '1 year': 365 * dayMs,
  'No expiration': null,
};

function expiresAtMs(expiry: TokenExpiry, nowMs: number): number | null {
  const lifetimeMs = lifetimesMs[expiry];
  return lifetimeMs === null ? null : nowMs + lifetimeMs;
}

export function createTokensService(context: HubContext): TokensService {
  const { database, clock, settings } = context;
  const toHubTokens = (rows: readonly HubTokenRow[]): HubToken[] => rows.map((row) => toHubToken(row, clock.nowMs()));
  return {
    listOwn: (caller) => database.read((sql) => toHubTokens(listHubTokensByPerson(sql, caller.personId))),
    listForHub: (caller, slug) =>
      database.read((sql) => {
        const { hubId, role } = authorizeInHub(sql, caller, slug, 'hub.see');
        const canSeeAll = isAllowedInHub(role, 'token.see_all');
        return toHubTokens(
          listHubTokensByHub(sql, hubId).filter((row) => canSeeAll || row.person_id === caller.personId),
        );
      }),
    create: (caller, slug, input) => createToken(context, caller, slug, input),
    change: (caller, id, input) => changeToken(context, caller, id, input),
    reveal: (caller, id, address) => revealToken(context, caller, id, address),
    rotate: (caller, id, input) => rotateToken(context, caller, id, input),
    revoke: (caller, id) => revokeToken(context, caller, id),
    clean: () =>
      database.write((sql) => purgeHubTokens(sql, clock.nowMs(), clock.nowMs() - settings.expiredRetentionMs)),
  };
}

/** A new token with its hash and sealed copy. */
function mintToken(context: HubContext, id: string) {
  const token = mintPersonalToken(context.random);
  const sealed = seal(context.keys.dataKey, getTokenSealContext(id), Buffer.from(token), context.random);
  return { token, hash: hashSecret(context, token), sealed };
}

function requireSaved(row: HubTokenRow | undefined): HubTokenRow {
  if (row) return row;
  throw vpError('INTERNAL', {}, { detail: 'a token that was just written is missing' });
}

async function createToken(
  context: HubContext,
  caller: PersonCaller,
  slug: string,
  { name, expiry, tool_list = null }: CreateHubTokenRequest,
): Promise<HubTokenWithSecret> {
  const { database, clock, logSecurityEvent, settings } = context;
  const { personId } = caller;
  const nowMs = clock.nowMs();
  const id = createHubId(context);
  const { token, hash, sealed } = mintToken(context, id);
  const metadata = { id, person_id: personId, name, expiry, created_at_ms: nowMs, hash, sealed, tool_list };
  const row = await database.write((sql) => {
    const { hubId } = authorizeInHub(sql, caller, slug, 'token.make');
    assertNotApiKey(caller);
    const max = settings.maxTokens;
    const cure = 'run `vp tokens list` to see when each was last used, and revoke unused ones';
    if (countActiveHubTokens(sql, personId, nowMs) >= max)
      throw vpError('HUB_LIMIT_REACHED', { max, items: 'tokens of yours', cure });
    insertHubToken(sql, { ...metadata, hub_id: hubId, expires_at_ms: expiresAtMs(expiry, nowMs) });
    return requireSaved(findHubToken(sql, id));
  });
  logSecurityEvent({
    event: 'hub_token_made',
    level: 'info',
    hub_token: id,
    hub: row.hub_id,
    person: personId,
    expiry,
  });
  return { hub_token: toHubToken(row, nowMs), token };
}

/** Clients of all tokens of the hub are notified, and list again. */
async function changeToken(
  { database, clock, logSecurityEvent, notifyHubChanged }: HubContext,
  caller: PersonCaller,
  id: string,
  { tool_list }: UpdateHubTokenRequest,
): Promise<HubToken> {
  const row = await database.write((sql) => {
    requireOwnToken(sql, caller, id);
    setHubTokenToolList(sql, id, tool_list);
    return requireSaved(findHubToken(sql, id));
  });
  const details = { hub_token: id, hub: row.hub_id, person: caller.personId, tool_list: tool_list ?? 'as the hub' };
  logSecurityEvent({ event: 'hub_token_changed', level: 'info', ...details });
  notifyHubChanged(row.hub_id);
  return toHubToken(row, clock.nowMs());
}

async function rotateToken(
  context: HubContext,
  caller: PersonCaller,
  id: string,
  { grace_seconds: graceSeconds = 0 }: RotateHubTokenRequest,
): Promise<HubTokenWithSecret> {
  const { database, clock, logSecurityEvent, notifyTokenEnded } = context;
  const nowMs = clock.nowMs();
  const { token, hash, sealed } = mintToken(context, id);
  const row = await database.write((sql) => {
    const { expiry, expires_at_ms: endsAtMs } = requireOwnToken(sql, caller, id);
    assertNotApiKey(caller);
    // A rotation never extends the life of the previous secret.
    const previousEndsAtMs = Math.min(nowMs + graceSeconds * 1000, endsAtMs ?? Number.POSITIVE_INFINITY);
    const next = { hash, sealed, expires_at_ms: expiresAtMs(expiry, nowMs), nowMs, previousEndsAtMs };
    rotateHubToken(sql, id, next);
    return requireSaved(findHubToken(sql, id));
  });
  const details = { hub_token: id, hub: row.hub_id, person: caller.personId };
  logSecurityEvent({ event: 'hub_token_rotated', level: 'info', ...details, grace_s: graceSeconds });
  notifyTokenEnded();
  return { hub_token: toHubToken(row, nowMs), token };
}

/** The error for a caller without permission is the same as for an unknown token. */
function canRevoke(sql: Sql, caller: PersonCaller, row: HubTokenRow): boolean {
  if (row.person_id === caller.personId) return true;
  const membership = findMembership(sql, caller, row.hub_id);
  return membership !== undefined && isAllowedInHub(membership.role, 'token.end_any');
}

async function revokeToken(
  { database, logSecurityEvent, notifyTokenEnded }: HubContext,
  caller: PersonCaller,
  id: string,
): Promise<void> {
  const row = await database.write((sql) => {
    const existing = findHubToken(sql, id);
    if (!existing || !canRevoke(sql, caller, existing)) throw vpError('HUB_TOKEN_UNKNOWN', {});
    deleteHubToken(sql, id);
    return existing;
  });
  const details = { hub_token: id, hub: row.hub_id, person: row.person_id };
  logSecurityEvent({ event: 'hub_token_ended', level: 'info', ...details, by: caller.personId });
  notifyTokenEnded();
}
