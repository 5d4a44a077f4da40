/** Rows of people as others see them. */
import type { Person } from '../contract/identity-api.ts';
import type { PersonRow } from '../store/control/people.ts';

/** RFC 3339 in UTC. */
export function momentOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The same for what may not have been yet. */
export function momentOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : momentOf(epochMs);
}

/** Somebody with an account. */
export function wirePerson(row: PersonRow): Person {
  return {
    person_id: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    has_password: row.password !== '',
    created_at: momentOf(row.created_at_ms),
    last_seen_at: momentOrNull(row.last_seen_at_ms),
  };
}
