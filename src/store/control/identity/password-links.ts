/** Links that set a new password, one per person at a time. Secrets are stored as hashes. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const LinkShape = Type.Object({ person_id: Type.String(), created_at_ms: Type.Integer() });
const linkReader = createRowReader(LinkShape);

/** A person has one link at most: an earlier one ends. */
export function replacePasswordLink(
  sql: Sql,
  hash: string,
  { personId, nowMs, expiresAtMs }: { personId: string; nowMs: number; expiresAtMs: number },
): void {
  deletePasswordLinks(sql, personId);
  sql.execute(
    'INSERT INTO password_links (hash, person_id, created_at_ms, expires_at_ms) VALUES (?, ?, ?, ?)',
    hash,
    personId,
    nowMs,
    expiresAtMs,
  );
}

/** Undefined when the link was used, replaced or has expired. */
export function findPasswordLink(sql: Sql, hash: string, nowMs: number): Static<typeof LinkShape> | undefined {
  const statement = 'SELECT person_id, created_at_ms FROM password_links WHERE hash = ? AND expires_at_ms > ?';
  return linkReader.first(sql, statement, hash, nowMs);
}

export function deletePasswordLinks(sql: Sql, personId: string): void {
  sql.execute('DELETE FROM password_links WHERE person_id = ?', personId);
}
