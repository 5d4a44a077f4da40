/** API keys of people, and the end of the owner key. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const ApiKeyShape = Type.Object({
  id: Type.String(),
  person_id: Type.String(),
  name: Type.String(),
  role: Type.Union([Type.Literal('owner'), Type.Literal('member'), Type.Literal('viewer')]),
  created_at_ms: Type.Integer(),
  expires_at_ms: nullableInteger,
  last_used_at_ms: nullableInteger,
});
/** A row of `api_keys`. */
export type ApiKeyRow = Static<typeof ApiKeyShape>;

const keys = rowReader(ApiKeyShape);
const select = 'SELECT id, person_id, name, role, created_at_ms, expires_at_ms, last_used_at_ms FROM api_keys';

/** A person's keys, newest first. */
export function keysOfPerson(sql: Sql, personId: string): ApiKeyRow[] {
  return keys.all(sql.prepare(`${select} WHERE person_id = ? ORDER BY created_at_ms DESC, id`), personId);
}

/** The key with this hash, expired or not. */
export function findApiKey(sql: Sql, hash: string): ApiKeyRow | undefined {
  return keys.one(sql.prepare(`${select} WHERE hash = ?`), hash);
}

/** One key by its id. */
export function apiKeyOf(sql: Sql, id: string): ApiKeyRow | undefined {
  return keys.one(sql.prepare(`${select} WHERE id = ?`), id);
}

/** Keeps a key. */
export function insertApiKey(sql: Sql, row: Omit<ApiKeyRow, 'last_used_at_ms'>, hash: string): void {
  sql
    .prepare(
      `INSERT INTO api_keys (id, person_id, name, role, hash, created_at_ms, expires_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(row.id, row.person_id, row.name, row.role, hash, row.created_at_ms, row.expires_at_ms);
}

/** Notes a use. */
export function touchApiKey(sql: Sql, id: string, nowMs: number): void {
  sql.prepare('UPDATE api_keys SET last_used_at_ms = ? WHERE id = ?').run(nowMs, id);
}

/** Ends a key of this person; false when there is none. */
export function deleteApiKey(sql: Sql, id: string, personId: string): boolean {
  return sql.prepare('DELETE FROM api_keys WHERE id = ? AND person_id = ?').run(id, personId).changes === 1;
}

/** Ends the owner key of a control plane that has an owner now. */
export function endOwnerKey(sql: Sql): void {
  sql.prepare("DELETE FROM service_keys WHERE kind = 'owner'").run();
}
