/** Accounts in the API. */
import type { Person } from '../../contract/identity-api.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../contract/timestamp.ts';
import type { PersonRow } from '../../store/control/identity/people.ts';

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
