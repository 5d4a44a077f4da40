/** What members see of the sign-in of a connection: their own, or the hub's; never what it consists of. */
import type { HubConnection } from '../contract/hub-api.ts';
import type { PersonCaller } from '../identity/caller.ts';
import { momentOrNull } from '../identity/person.ts';
import { unseal } from '../secrets/sealing.ts';
import { type ConnectionRow, sealedUpstreamGrant } from '../store/control/hub-connections.ts';
import { membersOfHub } from '../store/control/hub-members.ts';
import type { Sql } from '../store/sql.ts';
import type { HubContext } from './hubs-context.ts';
import { grantIn, isSignedIn, type KeptGrant } from './upstream/kept-grant.ts';
import type { EndedSignIn } from './upstream/revocations.ts';

/** Where a grant stands, for its seal. */
export function grantPlace(connectionId: string, personId: string | undefined): string {
  return `hub_upstream_grants/sealed/${connectionId}/${personId ?? ''}`;
}

type Keys = Pick<HubContext, 'keys'>;

function grantOf({ keys }: Keys, sql: Sql, id: string, holder: string | undefined): KeptGrant {
  const sealed = sealedUpstreamGrant(sql, id, holder ?? null);
  const plain = sealed && unseal(keys.dataKey, grantPlace(id, holder), sealed);
  return grantIn(plain && Buffer.from(plain).toString());
}

/**
 * What is kept of signing in to the servers of these connections: by their hub, or by everybody for themselves, or by `person`
 * alone. It is read before it is deleted.
 */
export function keptSignIns(
  keys: Keys,
  sql: Sql,
  rows: readonly ConnectionRow[],
  person?: { readonly personId: string },
): EndedSignIn[] {
  return rows
    .filter(({ credential }) => credential === 'oauth')
    .flatMap((row) =>
      holdersOf(sql, row, person).flatMap((holder) => {
        const { tokens } = grantOf(keys, sql, row.id, holder);
        return tokens ? [{ hubId: row.hub_id, connectionId: row.id, name: row.name, tokens }] : [];
      }),
    );
}

function holdersOf(sql: Sql, row: ConnectionRow, person: { readonly personId: string } | undefined) {
  if (row.sharing !== 'per_user') return person ? [] : [undefined];
  return person ? [person.personId] : membersOfHub(sql, row.hub_id).map(({ person_id: id }) => id);
}

/** The sign-in that serves the calls of `caller`; null where the connection has none. */
export function shownSignIn(
  context: Keys & Pick<HubContext, 'clock'>,
  sql: Sql,
  row: ConnectionRow,
  { personId }: PersonCaller,
): HubConnection['sign_in'] {
  if (row.credential !== 'oauth') return null;
  const isOwn = row.sharing === 'per_user';
  const grant = grantOf(context, sql, row.id, isOwn ? personId : undefined);
  const signed_in = isSignedIn(grant, context.clock.nowMs());
  const { tokens } = grant;
  // What is renewed by itself has no end that anybody could tell.
  const endsMs = signed_in && tokens?.refresh_token === undefined ? tokens?.expires_at_ms : undefined;
  const by = isOwn ? 'user' : 'shared';
  return { needed: !signed_in, by, signed_in, expires_at: momentOrNull(endsMs ?? null) };
}
