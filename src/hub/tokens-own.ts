import type { HubToken } from '../contract/hub-api.ts';
import { vpError } from '../errors/vp-error.ts';
import type { PersonCaller } from '../identity/caller.ts';
import { momentOf, momentOrNull } from '../identity/person.ts';
import { type HubTokenRow, hubTokenOf } from '../store/control/hub-tokens.ts';
import type { Sql } from '../store/sql.ts';

/** What the sealed plaintext of a token is bound to. */
export function tokenPlace(id: string): string {
  return `hub_tokens/sealed/${id}`;
}

/** A row as people see it. */
export function wireToken(row: HubTokenRow, nowMs: number): HubToken {
  const hasExpired = row.expires_at_ms !== null && row.expires_at_ms <= nowMs;
  const previousHolds = row.previous_ends_at_ms !== null && row.previous_ends_at_ms > nowMs;
  return {
    token_id: row.id,
    name: row.name,
    hub: row.slug,
    person_id: row.person_id,
    person: row.person_name,
    expiry: row.expiry,
    created_at: momentOf(row.created_at_ms),
    rotated_at: momentOrNull(row.rotated_at_ms),
    expires_at: momentOrNull(row.expires_at_ms),
    state: hasExpired ? 'expired' : row.belongs === 0 ? 'left' : 'active',
    previous_until: previousHolds ? momentOrNull(row.previous_ends_at_ms) : null,
    last_used_at: momentOrNull(row.last_used_at_ms),
    last_address: row.last_address,
  };
}

/** The caller's token. Throws HUB_TOKEN_UNKNOWN. */
export function demandOwnToken(sql: Sql, { personId }: PersonCaller, id: string): HubTokenRow {
  const row = hubTokenOf(sql, id);
  if (row?.person_id === personId) return row;
  throw vpError('HUB_TOKEN_UNKNOWN', {});
}

/** A key that leaked must not make further credentials, nor show those that there are. Throws HUB_TOKEN_KEY_REFUSED. */
export function refuseKeys({ via }: PersonCaller): void {
  if (via === 'api_key') throw vpError('HUB_TOKEN_KEY_REFUSED', {});
}
