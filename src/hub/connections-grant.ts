/** What members see of the sign-in of a connection: their own, or the hub's; never what it consists of. */
import type { HubConnection } from '../contract/hub-api.ts';
import type { PersonCaller } from '../identity/caller.ts';
import { momentOrNull } from '../identity/person.ts';
import { unseal } from '../secrets/sealing.ts';
import { type ConnectionRow, sealedUpstreamGrant } from '../store/control/hub-connections.ts';
import type { Sql } from '../store/sql.ts';
import type { HubContext } from './hubs-context.ts';
import { grantIn, isSignedIn, type KeptGrant } from './upstream/kept-grant.ts';

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
