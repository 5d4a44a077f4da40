/** Access tokens that programs bring to a hub. */

import { type GrantFactsRow, grantFacts } from '../../store/control/identity-hub-grants.ts';
import { findOAuthRecord } from '../../store/control/identity-oauth.ts';
import type { Sql } from '../../store/sql.ts';
import type { IdentityContext } from '../context.ts';
import { oauthHash, openPayload, type Payload } from './records.ts';
import { hubAudience } from './resources.ts';

/** What an access token for a hub stands for. */
export type HubGrant = {
  readonly personId: string;
  readonly hubId: string;
  readonly clientId: string;
  /** As it called itself when it was let in. */
  readonly clientName: string;
  readonly scopes: readonly string[];
};

/** What a program shows, and where. */
export type HubKnock = { readonly bearer: string; readonly service: 'hub' | 'memory'; readonly slug: string };

/** An access token with what is kept of its grant. */
export type Live = { readonly payload: Payload; readonly facts: GrantFactsRow; readonly grantHash: string };

/** A grant with what is needed to note its use. */
export type FoundGrant = { readonly grant: HubGrant; readonly grantHash: string; readonly lastUsedAtMs: number | null };

/** The grant behind a token that was given out for this hub and this service; undefined for what is no token of ours. */
export async function hubGrantOf(
  context: IdentityContext,
  { bearer, service, slug }: HubKnock,
): Promise<FoundGrant | 'expired' | undefined> {
  if (!/^[\w-]{43}$/.test(bearer)) return undefined;
  const live = await context.database.read((sql) => liveToken(context, sql, bearer));
  if (!live || live === 'expired') return live;
  const { payload, facts, grantHash } = live;
  const { hub_id: hubId, person_id: personId } = facts;
  const { clientId, scope } = payload;
  if (hubId === null || facts.slug !== slug || payload.aud !== hubAudience(service, hubId)) return undefined;
  if (personId === null || payload.accountId !== personId) return undefined;
  if (typeof clientId !== 'string' || typeof scope !== 'string') return undefined;
  const clientName = nameIn(facts.client_json) ?? clientId;
  return {
    grant: { personId, hubId, clientId, clientName, scopes: scope.split(' ') },
    grantHash,
    lastUsedAtMs: facts.last_used_at_ms,
  };
}

/**
 * An access token whose grant lives; `expired` for one that was ours. Looked up in the store, in one go and without the OAuth
 * server: this is asked with every call.
 */
export function liveToken(context: IdentityContext, sql: Sql, bearer: string): Live | 'expired' | undefined {
  const nowMs = context.clock.nowMs();
  const isAhead = (endsAtMs: number | null): boolean => endsAtMs === null || endsAtMs > nowMs;
  const row = findOAuthRecord(sql, 'AccessToken', oauthHash(context, 'id', bearer));
  if (!row) return undefined;
  // Kept for an hour at most: long enough to tell a client that comes back from somebody who guesses.
  if (!isAhead(row.expires_at_ms)) return 'expired';
  const payload = openPayload(context, row);
  if (typeof payload?.grantId !== 'string') return undefined;
  const grantHash = oauthHash(context, 'grant', payload.grantId);
  const facts = grantFacts(sql, grantHash);
  return facts && isAhead(facts.expires_at_ms) ? { payload, facts, grantHash } : undefined;
}

function nameIn(json: string | null): string | undefined {
  const client: unknown = json === null ? undefined : JSON.parse(json);
  const name = typeof client === 'object' && client !== null && 'name' in client ? client.name : undefined;
  return typeof name === 'string' ? name : undefined;
}
