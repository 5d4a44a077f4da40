/** What a person gave to programs: to see it, and to end it. */
import type { Grant } from '../../contract/identity-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  deleteGrantOfPerson,
  type GrantRow,
  grantsOfPerson,
  lastUseOfGrant,
  touchGrant,
} from '../../store/control/identity-grants.ts';
import type { SessionCaller } from '../caller.ts';
import type { IdentityContext } from '../context.ts';
import { momentOf, momentOrNull } from '../person.ts';
import { grantHolder } from './adapter.ts';
import { openPayload, type Payload } from './records.ts';
import type { OAuthServer } from './server.ts';

/** The caller's grants, newest first. */
export async function listGrants(
  context: IdentityContext,
  server: OAuthServer,
  { personId }: SessionCaller,
): Promise<Grant[]> {
  const rows = await context.database.read((sql) => grantsOfPerson(sql, personId, context.clock.nowMs()));
  const known = rows.flatMap((row) => {
    const payload = openPayload(context, row);
    return payload ? [{ row, payload }] : [];
  });
  const grants = await Promise.all(known.map(({ row, payload }) => wireGrant(server, row, payload)));
  return grants.sort((a, b) => b.created_at.localeCompare(a.created_at));
}

async function wireGrant({ provider }: OAuthServer, row: GrantRow, payload: Payload): Promise<Grant> {
  const id = typeof payload.clientId === 'string' ? payload.clientId : '';
  const client = await provider.Client.find(id);
  const iat = typeof payload.iat === 'number' ? payload.iat : 0;
  return {
    grant_id: row.grant_hash,
    client_name: client?.clientName ?? id,
    scopes: scopesOf(payload),
    created_at: momentOf(iat * 1000),
    expires_at: momentOrNull(row.expires_at_ms),
    last_used_at: momentOrNull(row.last_used_at_ms),
    last_address: row.last_address,
  };
}

/** Scopes stand by the resource they are for, and by themselves. */
function scopesOf({ resources, openid }: Payload): string[] {
  const byResource = isRecord(resources) ? Object.values(resources) : [];
  const own = isRecord(openid) ? [openid.scope] : [];
  const texts = [...byResource, ...own].filter((value) => typeof value === 'string');
  return [...new Set(texts.flatMap((text) => text.split(' ')).filter(Boolean))];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Ends a grant with its refresh and access tokens at once. Throws GRANT_UNKNOWN. */
export async function endGrant(context: IdentityContext, { personId }: SessionCaller, grantId: string): Promise<void> {
  const ended = await context.database.write((sql) => deleteGrantOfPerson(sql, grantId, personId));
  if (!ended) throw vpError('GRANT_UNKNOWN', {});
  context.tell({ event: 'oauth_grant_ended', level: 'info', person: personId });
  context.ends.fire(grantHolder(grantId));
}

/** Notes that a program acted on a grant; most uses write nothing. */
export async function noteGrantUse(
  { database, clock, settings }: IdentityContext,
  grantHash: string,
  address: string,
): Promise<void> {
  const nowMs = clock.nowMs();
  const lastMs = await database.read((sql) => lastUseOfGrant(sql, grantHash));
  if (lastMs === undefined || (lastMs !== null && nowMs - lastMs < settings.touchMs)) return;
  await database.write((sql) => touchGrant(sql, grantHash, { address, nowMs, everyMs: settings.touchMs }));
}
