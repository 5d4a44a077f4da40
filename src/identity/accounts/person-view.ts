/** Accounts in the API. */
import type { Person } from '../../contract/identity-api.ts';
import type { PersonRow } from '../../store/control/identity/people.ts';

/** RFC 3339 in UTC. */
export function formatTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export function formatTimestampOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : formatTimestamp(epochMs);
}

export function toPerson(row: PersonRow): Person {
  return {
    person_id: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    has_password: row.password !== '',
    created_at: formatTimestamp(row.created_at_ms),
    last_seen_at: formatTimestampOrNull(row.last_seen_at_ms),
  };
}
