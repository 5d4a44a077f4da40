/** People with accounts. Emails are compared by `email_key`, the address in lower case. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const PersonShape = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: Type.Union([Type.Literal('owner'), Type.Literal('member'), Type.Literal('viewer')]),
  /** In the PHC string format. */
  password: Type.String(),
  created_at_ms: Type.Integer(),
  last_seen_at_ms: Type.Union([Type.Integer(), Type.Null()]),
});
/** A row of `people`. */
export type PersonRow = Static<typeof PersonShape>;

const people = rowReader(PersonShape);
const counts = rowReader(Type.Object({ count: Type.Integer() }));
const select = 'SELECT id, name, email, role, password, created_at_ms, last_seen_at_ms FROM people';

/** Everybody, by name. */
export function listPeople(sql: Sql): PersonRow[] {
  return people.all(sql.prepare(`${select} ORDER BY name COLLATE NOCASE, id`));
}

/** One person; undefined when there is none of that id. */
export function findPerson(sql: Sql, id: string): PersonRow | undefined {
  return people.one(sql.prepare(`${select} WHERE id = ?`), id);
}

/** The person with this email, however it is written. */
export function findPersonByEmail(sql: Sql, email: string): PersonRow | undefined {
  return people.one(sql.prepare(`${select} WHERE email_key = ?`), email.toLowerCase());
}

/** How many people may do everything. */
export function countOwners(sql: Sql): number {
  return counts.one(sql.prepare("SELECT count(*) AS count FROM people WHERE role = 'owner'"))?.count ?? 0;
}

/** Adds an account; false when the email is taken. */
export function insertPerson(sql: Sql, person: Omit<PersonRow, 'last_seen_at_ms'>): boolean {
  const statement = sql.prepare(
    `INSERT INTO people (id, name, email, email_key, role, password, created_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (email_key) DO NOTHING`,
  );
  const { id, name, email, role, password, created_at_ms: createdAtMs } = person;
  return statement.run(id, name, email, email.toLowerCase(), role, password, createdAtMs).changes === 1;
}

/** Gives another role. */
export function setRole(sql: Sql, id: string, role: PersonRow['role']): void {
  sql.prepare('UPDATE people SET role = ? WHERE id = ?').run(role, id);
}

/** Gives another password. */
export function setPassword(sql: Sql, id: string, password: string): void {
  sql.prepare('UPDATE people SET password = ? WHERE id = ?').run(password, id);
}

/** Notes a sign of life. */
export function touchPerson(sql: Sql, id: string, nowMs: number): void {
  sql.prepare('UPDATE people SET last_seen_at_ms = ? WHERE id = ?').run(nowMs, id);
}

/** Removes an account with its sessions, keys and grants; instances stay and belong to nobody in particular. */
export function deletePerson(sql: Sql, id: string): void {
  sql.prepare('UPDATE instances SET owner_id = NULL WHERE owner_id = ?').run(id);
  sql.prepare('DELETE FROM people WHERE id = ?').run(id);
}
