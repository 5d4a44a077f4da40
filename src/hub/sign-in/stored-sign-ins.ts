/** A connection's sign-in for members: their own or the hub's, without tokens. */
import type { HubConnection } from '../../contract/hubs/hubs-api.ts';
import { formatTimestampOrNull } from '../../contract/timestamp.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { unseal } from '../../secrets/sealing.ts';
import { type ConnectionRow, findUpstreamGrant } from '../../store/control/hubs/connections.ts';
import { listMembers } from '../../store/control/hubs/members.ts';
import type { Sql } from '../../store/sql.ts';
import type { HubContext } from '../context.ts';
import type { RemovedSignIn } from './sign-in-revoker.ts';
import { isSignedIn, parseStoredGrant, type StoredGrant } from './stored-grant.ts';

export function getGrantSealContext(connectionId: string, personId: string | undefined): string {
  return `hub_upstream_grants/sealed/${connectionId}/${personId ?? ''}`;
}

type DataKeys = Pick<HubContext, 'keys'>;

function unsealGrant({ keys }: DataKeys, sql: Sql, id: string, holder: string | undefined): StoredGrant {
  const sealed = findUpstreamGrant(sql, id, holder ?? null);
  const plaintext = sealed && unseal(keys.dataKey, getGrantSealContext(id, holder), sealed);
  return parseStoredGrant(plaintext && Buffer.from(plaintext).toString());
}

/**
 * The stored sign-ins of these connections: the hub's and everybody's, or only those of `person`. Call it before they
 * are deleted.
 */
export function listStoredSignIns(
  keys: DataKeys,
  sql: Sql,
  rows: readonly ConnectionRow[],
  person?: { readonly personId: string },
): RemovedSignIn[] {
  return rows
    .filter(({ credential }) => credential === 'oauth')
    .flatMap((row) =>
      listHolders(sql, row, person).flatMap((holder) => {
        const { tokens } = unsealGrant(keys, sql, row.id, holder);
        return tokens ? [{ hubId: row.hub_id, connectionId: row.id, name: row.name, tokens }] : [];
      }),
    );
}

function listHolders(sql: Sql, row: ConnectionRow, person: { readonly personId: string } | undefined) {
  if (row.sharing !== 'per_user') return person ? [] : [undefined];
  return person ? [person.personId] : listMembers(sql, row.hub_id).map(({ person_id: id }) => id);
}

/** The sign-in that serves the caller's calls; null if the connection has none. */
export function toSignInView(
  context: DataKeys & Pick<HubContext, 'clock'>,
  sql: Sql,
  row: ConnectionRow,
  { personId }: PersonCaller,
): HubConnection['sign_in'] {
  if (row.credential !== 'oauth') return null;
  const isPerUser = row.sharing === 'per_user';
  const grant = unsealGrant(context, sql, row.id, isPerUser ? personId : undefined);
  const signed_in = isSignedIn(grant, context.clock.nowMs());
  const { tokens } = grant;
  // Tokens that are refreshed have no fixed expiry.
  const expiresAtMs = signed_in && tokens?.refresh_token === undefined ? tokens?.expires_at_ms : undefined;
  const by = isPerUser ? 'user' : 'shared';
  return { needed: !signed_in, by, signed_in, expires_at: formatTimestampOrNull(expiresAtMs ?? null) };
}
