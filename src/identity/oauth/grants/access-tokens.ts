/** Access tokens that clients send to a hub. */

import { isObject } from '../../../json/json-object.ts';
import { findGrantDetails, type GrantDetailsRow } from '../../../store/control/oauth/grants.ts';
import { findOAuthRecord } from '../../../store/control/oauth/oauth-records.ts';
import type { Sql } from '../../../store/sql.ts';
import type { IdentityContext } from '../../context.ts';
import { toGrantCredentialId } from '../adapter.ts';
import { hashOAuthValue, type OAuthPayload, unsealPayload } from '../records.ts';
import { buildHubAudience } from '../resources/resources.ts';

/** What an access token for a hub stands for. */
export type HubGrant = {
  readonly personId: string;
  readonly hubId: string;
  readonly clientId: string;
  /** The client's name when consent was given. */
  readonly clientName: string;
  readonly scopes: readonly string[];
  /** The id of the grant, as `isValid` knows it. */
  readonly credentialId: string;
};

/** A bearer token and the hub endpoint it was sent to. */
export type HubTokenRequest = { readonly bearer: string; readonly service: 'hub' | 'memory'; readonly slug: string };

/** An access token with the stored details of its grant. */
export type AccessTokenWithGrant = {
  readonly payload: OAuthPayload;
  readonly details: GrantDetailsRow;
  readonly grantHash: string;
};

/** A grant with what is needed to record its use. */
export type HubGrantMatch = {
  readonly grant: HubGrant;
  readonly grantHash: string;
  readonly lastUsedAtMs: number | null;
};

/** The grant behind a token that was issued for this hub and service; undefined for an unknown token. */
export async function findHubGrant(
  context: IdentityContext,
  { bearer, service, slug }: HubTokenRequest,
): Promise<HubGrantMatch | 'expired' | undefined> {
  if (!/^[\w-]{43}$/.test(bearer)) return undefined;
  const token = await context.database.read((sql) => findLiveToken(context, sql, bearer));
  if (!token || token === 'expired') return token;
  const { payload, details, grantHash } = token;
  const { hub_id: hubId, person_id: personId } = details;
  const { clientId, scope } = payload;
  if (hubId === null || details.slug !== slug || payload.aud !== buildHubAudience(service, hubId)) return undefined;
  if (personId === null || payload.accountId !== personId) return undefined;
  if (typeof clientId !== 'string' || typeof scope !== 'string') return undefined;
  const clientName = readClientName(details.client_json) ?? clientId;
  return {
    grant: {
      personId,
      hubId,
      clientId,
      clientName,
      scopes: scope.split(' '),
      credentialId: toGrantCredentialId(grantHash),
    },
    grantHash,
    lastUsedAtMs: details.last_used_at_ms,
  };
}

/**
 * An access token whose grant is valid; `expired` for an expired token that we issued. Every call needs this lookup, so it
 * reads the store in one transaction and does not load the OAuth server.
 */
export function findLiveToken(
  context: IdentityContext,
  sql: Sql,
  bearer: string,
): AccessTokenWithGrant | 'expired' | undefined {
  const nowMs = context.clock.nowMs();
  const isInFuture = (expiresAtMs: number | null): boolean => expiresAtMs === null || expiresAtMs > nowMs;
  const row = findOAuthRecord(sql, 'AccessToken', hashOAuthValue(context, 'id', bearer));
  if (!row) return undefined;
  // Expired tokens stay in the store for up to an hour, which distinguishes a returning client from guessing.
  if (!isInFuture(row.expires_at_ms)) return 'expired';
  const payload = unsealPayload(context, row);
  if (typeof payload?.grantId !== 'string') return undefined;
  const grantHash = hashOAuthValue(context, 'grant', payload.grantId);
  const details = findGrantDetails(sql, grantHash);
  return details && isInFuture(details.expires_at_ms) ? { payload, details, grantHash } : undefined;
}

function readClientName(json: string | null): string | undefined {
  const client: unknown = json === null ? undefined : JSON.parse(json);
  const name = isObject(client) && 'name' in client ? client.name : undefined;
  return typeof name === 'string' ? name : undefined;
}
