/** API keys of people. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

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
export type ApiKeyRow = Static<typeof ApiKeyShape>;

const keyReader = createRowReader(ApiKeyShape);
const select = 'SELECT id, person_id, name, role, created_at_ms, expires_at_ms, last_used_at_ms FROM api_keys';

/** Newest first. */
export function listApiKeys(sql: Sql, personId: string): ApiKeyRow[] {
  return keyReader.all(sql, `${select} WHERE person_id = ? ORDER BY created_at_ms DESC, id`, personId);
}

/** Also an expired one. */
export function findApiKeyByHash(sql: Sql, hash: string): ApiKeyRow | undefined {
  return keyReader.first(sql, `${select} WHERE hash = ?`, hash);
}

export function findApiKey(sql: Sql, id: string): ApiKeyRow | undefined {
  return keyReader.first(sql, `${select} WHERE id = ?`, id);
}

export function insertApiKey(sql: Sql, row: Omit<ApiKeyRow, 'last_used_at_ms'>, hash: string): void {
  sql.execute(
    `INSERT INTO api_keys (id, person_id, name, role, hash, created_at_ms, expires_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.person_id,
    row.name,
    row.role,
    hash,
    row.created_at_ms,
    row.expires_at_ms,
  );
}

export function touchApiKey(sql: Sql, id: string, nowMs: number): void {
  sql.execute('UPDATE api_keys SET last_used_at_ms = ? WHERE id = ?', nowMs, id);
}

/** False when this person has no such key. */
export function deleteApiKey(sql: Sql, id: string, personId: string): boolean {
  return sql.run('DELETE FROM api_keys WHERE id = ? AND person_id = ?', id, personId) === 1;
}

/** The owner key ends when the control plane has its first owner. */
export function deleteOwnerKey(sql: Sql): void {
  sql.execute("DELETE FROM service_keys WHERE kind = 'owner'");
}
