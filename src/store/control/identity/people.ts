/** People with accounts. Emails are compared by `email_key`, the address in lower case. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import { deletePersonalViews } from '../views/saved-views.ts';

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
export type PersonRow = Static<typeof PersonShape>;

const personReader = createRowReader(PersonShape);
const countReader = createRowReader(Type.Object({ count: Type.Integer() }));
const select = 'SELECT id, name, email, role, password, created_at_ms, last_seen_at_ms FROM people';

/** By name. */
export function listPeople(sql: Sql): PersonRow[] {
  return personReader.all(sql, `${select} ORDER BY name COLLATE NOCASE, id`);
}

export function findPerson(sql: Sql, id: string): PersonRow | undefined {
  return personReader.first(sql, `${select} WHERE id = ?`, id);
}

/** Ignores the case of the email. */
export function findPersonByEmail(sql: Sql, email: string): PersonRow | undefined {
  return personReader.first(sql, `${select} WHERE email_key = ?`, email.toLowerCase());
}

export function countPlatformOwners(sql: Sql): number {
  return countReader.first(sql, "SELECT count(*) AS count FROM people WHERE role = 'owner'")?.count ?? 0;
}

/** False when the email is taken. */
export function insertPerson(sql: Sql, person: Omit<PersonRow, 'last_seen_at_ms'>): boolean {
  const statement = `INSERT INTO people (id, name, email, email_key, role, password, created_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (email_key) DO NOTHING`;
  const { id, name, email, role, password, created_at_ms: createdAtMs } = person;
  return sql.run(statement, id, name, email, email.toLowerCase(), role, password, createdAtMs) === 1;
}

export function updatePersonRole(sql: Sql, id: string, role: PersonRow['role']): void {
  sql.execute('UPDATE people SET role = ? WHERE id = ?', role, id);
}

/** `password` is in the PHC string format. */
export function updatePersonPassword(sql: Sql, id: string, password: string): void {
  sql.execute('UPDATE people SET password = ? WHERE id = ?', password, id);
}

export function touchPerson(sql: Sql, id: string, nowMs: number): void {
  sql.execute('UPDATE people SET last_seen_at_ms = ? WHERE id = ?', nowMs, id);
}

/** Deletes an account with its sessions, keys, grants and personal views; its instances stay without an owner. */
export function deletePerson(sql: Sql, id: string): void {
  sql.execute('UPDATE instances SET owner_id = NULL WHERE owner_id = ?', id);
  deletePersonalViews(sql, id);
  sql.execute('DELETE FROM people WHERE id = ?', id);
}
