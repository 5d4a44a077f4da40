/** Links that set a new password, one for a person at a time; secrets stand as hashes. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const LinkShape = Type.Object({ person_id: Type.String(), created_at_ms: Type.Integer() });
const links = rowReader(LinkShape);

/** Makes the only link of a person; an earlier one ends. */
export function replacePasswordLink(
  sql: Sql,
  hash: string,
  { personId, nowMs, expiresAtMs }: { personId: string; nowMs: number; expiresAtMs: number },
): void {
  endPasswordLinks(sql, personId);
  sql
    .prepare('INSERT INTO password_links (hash, person_id, created_at_ms, expires_at_ms) VALUES (?, ?, ?, ?)')
    .run(hash, personId, nowMs, expiresAtMs);
}

/** Whom a link is for; undefined when it was used, was replaced or has expired. */
export function findPasswordLink(sql: Sql, hash: string, nowMs: number): Static<typeof LinkShape> | undefined {
  const statement = sql.prepare(
    'SELECT person_id, created_at_ms FROM password_links WHERE hash = ? AND expires_at_ms > ?',
  );
  return links.one(statement, hash, nowMs);
}

/** Ends the link of a person. */
export function endPasswordLinks(sql: Sql, personId: string): void {
  sql.prepare('DELETE FROM password_links WHERE person_id = ?').run(personId);
}
