/** A connection's sign-in for members: their own or the hub's, without tokens. */
import type { HubConnection } from '../../contract/hubs/hubs-api.ts';
import { formatTimestampOrNull } from '../../contract/timestamp.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { unseal } from '../../secrets/sealing.ts';
import { type ConnectionRow, findUpstreamGrant, listUpstreamGrants } from '../../store/control/hubs/connections.ts';
import type { Sql } from '../../store/sql.ts';
import type { HubContext } from '../context.ts';
import type { RemovedSignIn } from './sign-in-revoker.ts';
import { isSignedIn, parseStoredGrant, type StoredGrant } from './stored-grant.ts';

export function getGrantSealContext(connectionId: string, personId: string | undefined): string {
  return `hub_upstream_grants/sealed/${connectionId}/${personId ?? ''}`;
}

type DataKeys = Pick<HubContext, 'keys'>;

function unsealGrant(
  { keys }: DataKeys,
  id: string,
  holder: string | undefined,
  sealed: Uint8Array | undefined,
): StoredGrant {
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
      listGrants(sql, row, person).flatMap(({ person_id: holder, sealed }) => {
        const { tokens } = unsealGrant(keys, row.id, holder ?? undefined, sealed ?? undefined);
        return tokens ? [{ hubId: row.hub_id, connectionId: row.id, name: row.name, tokens }] : [];
      }),
    );
}

/** Only those of the way in which the connection is shared now. */
function listGrants(sql: Sql, { id, sharing }: ConnectionRow, person: { readonly personId: string } | undefined) {
  if (sharing !== 'per_user')
    return person ? [] : listUpstreamGrants(sql, id).filter(({ person_id: holder }) => holder === null);
  if (person) return [{ person_id: person.personId, sealed: findUpstreamGrant(sql, id, person.personId) ?? null }];
  return listUpstreamGrants(sql, id).filter(({ person_id: holder }) => holder !== null);
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
  const holder = isPerUser ? personId : undefined;
  const grant = unsealGrant(context, row.id, holder, findUpstreamGrant(sql, row.id, holder ?? null));
  const signed_in = isSignedIn(grant, context.clock.nowMs());
  const { tokens } = grant;
  // Tokens that are refreshed have no fixed expiry.
  const expiresAtMs = signed_in && tokens?.refresh_token === undefined ? tokens?.expires_at_ms : undefined;
  const by = isPerUser ? 'user' : 'shared';
  return { needed: !signed_in, by, signed_in, expires_at: formatTimestampOrNull(expiresAtMs ?? null) };
}
