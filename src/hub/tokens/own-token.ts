import type { HubToken } from '../../contract/hubs/hubs-api.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { findHubToken, type HubTokenRow } from '../../store/control/hubs/tokens.ts';
import type { Sql } from '../../store/sql.ts';

/** Binds the sealed plaintext of a token to its row. */
export function getTokenSealContext(id: string): string {
  return `hub_tokens/sealed/${id}`;
}

export function toHubToken(row: HubTokenRow, nowMs: number): HubToken {
  const hasExpired = row.expires_at_ms !== null && row.expires_at_ms <= nowMs;
  const isPreviousValid = row.previous_ends_at_ms !== null && row.previous_ends_at_ms > nowMs;
  return {
    token_id: row.id,
    name: row.name,
    hub: row.slug,
    person_id: row.person_id,
    person: row.person_name,
    expiry: row.expiry,
    created_at: formatTimestamp(row.created_at_ms),
    rotated_at: formatTimestampOrNull(row.rotated_at_ms),
    expires_at: formatTimestampOrNull(row.expires_at_ms),
    state: hasExpired ? 'expired' : row.belongs === 0 ? 'left' : 'active',
    previous_until: isPreviousValid ? formatTimestampOrNull(row.previous_ends_at_ms) : null,
    last_used_at: formatTimestampOrNull(row.last_used_at_ms),
    last_address: row.last_address,
    tool_list: row.tool_list,
  };
}

/** Throws HUB_TOKEN_UNKNOWN. */
export function requireOwnToken(sql: Sql, { personId }: PersonCaller, id: string): HubTokenRow {
  const row = findHubToken(sql, id);
  if (row?.person_id === personId) return row;
  throw vpError('HUB_TOKEN_UNKNOWN', {});
}

/** A leaked API key must not create further credentials or reveal existing ones. Throws HUB_TOKEN_KEY_REFUSED. */
export function assertNotApiKey({ via }: PersonCaller): void {
  if (via === 'api_key') throw vpError('HUB_TOKEN_KEY_REFUSED', {});
}
