/** Lists and revokes the grants that a person gave to clients. */

import { TypeCompiler } from '@sinclair/typebox/compiler';
import { OAuthClientView } from '../../../contract/consent-api.ts';
import type { Grant } from '../../../contract/identity-api.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../contract/timestamp.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { isObject } from '../../../json/json-object.ts';
import { listPersonMemberships } from '../../../store/control/hubs/members.ts';
import {
  deletePersonGrant,
  findGrantDetails,
  findGrantLastUse,
  type GrantDetailsRow,
  type GrantRow,
  listPersonGrants,
  touchGrant,
} from '../../../store/control/oauth/grants.ts';
import type { SessionCaller } from '../../caller.ts';
import type { IdentityContext } from '../../context.ts';
import { toGrantCredentialId } from '../adapter.ts';
import { cliClientId, cliClientName, toClientView } from '../clients/client-view.ts';
import { describeScopes, getService } from '../consent/scope-descriptions.ts';
import { type OAuthPayload, unsealPayload } from '../records.ts';
import { parseResource } from '../resources/resources.ts';

/** The caller's grants, newest first. */
export async function listGrants(
  context: IdentityContext,
  { issuer }: { issuer: string },
  { personId }: SessionCaller,
): Promise<Grant[]> {
  const nowMs = context.clock.nowMs();
  const entries = await context.database.read((sql) => {
    const memberHubIds = listPersonMemberships(sql, personId).map(({ hub_id: id }) => id);
    return listPersonGrants(sql, personId, nowMs).map((row) => ({
      row,
      memberHubIds,
      details: findGrantDetails(sql, row.grant_hash),
    }));
  });
  const grants = entries.flatMap(({ row, memberHubIds, details }) => {
    const payload = unsealPayload(context, row);
    return payload ? [toGrant(issuer, { row, details, memberHubIds, payload })] : [];
  });
  return grants.sort((a, b) => b.created_at.localeCompare(a.created_at));
}

type GrantEntry = {
  readonly row: GrantRow;
  readonly details: GrantDetailsRow | undefined;
  /** Ids of the hubs that the person belongs to. */
  readonly memberHubIds: readonly string[];
  readonly payload: OAuthPayload;
};

function toGrant(issuer: string, { row, details, memberHubIds, payload }: GrantEntry): Grant {
  const client = parseClientView(details?.client_json, asText(payload.clientId));
  const resources = isObject(payload.resources) ? Object.entries(payload.resources) : [];
  const scopes = [...new Set(resources.flatMap(([, text]) => asText(text).split(' ')).filter(Boolean))];
  const hub = details?.slug && details.hub_name ? { slug: details.slug, name: details.hub_name } : null;
  const member = hub === null || memberHubIds.includes(details?.hub_id ?? '');
  const iat = typeof payload.iat === 'number' ? payload.iat : 0;
  return {
    grant_id: row.grant_hash,
    client_name: client.name,
    client,
    service: getService(parseResource(issuer, resources[0]?.[0] ?? '') ?? { kind: 'none' }),
    // The hub's name is visible to its members only.
    hub: hub && !member ? { slug: hub.slug, name: hub.slug } : hub,
    member,
    may: describeScopes(scopes),
    scopes,
    created_at: formatTimestamp(iat * 1000),
    expires_at: formatTimestampOrNull(row.expires_at_ms),
    last_used_at: formatTimestampOrNull(row.last_used_at_ms),
    last_address: row.last_address,
  };
}

const isClient = TypeCompiler.Compile(OAuthClientView);

/** The client as it was when consent was given; later changes of its metadata do not affect the grant. */
function parseClientView(json: string | null | undefined, id: string): OAuthClientView {
  const storedClient: unknown = typeof json === 'string' ? JSON.parse(json) : undefined;
  if (isClient.Check(storedClient)) return storedClient;
  const name = id === cliClientId ? cliClientName : id;
  return { ...toClientView(id, undefined, undefined), name };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Revokes a grant with its refresh and access tokens. Throws GRANT_UNKNOWN. */
export async function revokeGrant(
  context: IdentityContext,
  { personId }: SessionCaller,
  grantId: string,
): Promise<void> {
  const isDeleted = await context.database.write((sql) => deletePersonGrant(sql, grantId, personId));
  if (!isDeleted) throw vpError('GRANT_UNKNOWN', {});
  context.logSecurityEvent({ event: 'oauth_grant_ended', level: 'info', person: personId });
  context.revocationEvents.emit(toGrantCredentialId(grantId));
}

/** True when the last recorded use is older than `settings.touchMs`. */
export function isUseRecordingDue(
  { clock, settings }: Pick<IdentityContext, 'clock' | 'settings'>,
  lastUsedAtMs: number | null,
): boolean {
  return lastUsedAtMs === null || clock.nowMs() - lastUsedAtMs >= settings.touchMs;
}

/** Records that a client used a grant; most uses write nothing. */
export async function recordGrantUse(
  { database, clock, settings }: IdentityContext,
  grantHash: string,
  address: string,
): Promise<void> {
  const nowMs = clock.nowMs();
  const lastMs = await database.read((sql) => findGrantLastUse(sql, grantHash));
  if (lastMs === undefined || !isUseRecordingDue({ clock, settings }, lastMs)) return;
  await database.write((sql) => touchGrant(sql, grantHash, { address, nowMs, minIntervalMs: settings.touchMs }));
}
