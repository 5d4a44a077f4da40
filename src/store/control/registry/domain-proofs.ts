/** Domain proofs that were used, and the tokens issued for them. */
import { Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const domainReader = createRowReader(Type.Object({ domain: Type.String() }));

/** Marks a signature as used; false when it was used before. Deletes those that expired long ago. */
export function consumeRegistryProof(
  sql: Sql,
  { hash, expiresAtMs, nowMs }: { hash: string; expiresAtMs: number; nowMs: number },
): boolean {
  // Those are kept for a month, so that a clock that jumped ahead and back makes no used proof valid again.
  sql.execute('DELETE FROM registry_proofs WHERE expires_at_ms <= ?', nowMs - 31 * 86_400_000);
  const text = 'INSERT INTO registry_proofs (hash, expires_at_ms) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING';
  return sql.run(text, hash, expiresAtMs) === 1;
}

/** Also deletes expired tokens. */
export function insertRegistryToken(
  sql: Sql,
  { hash, domain, expiresAtMs, nowMs }: { hash: string; domain: string; expiresAtMs: number; nowMs: number },
): void {
  sql.execute('DELETE FROM registry_tokens WHERE expires_at_ms <= ?', nowMs);
  sql.execute('INSERT INTO registry_tokens (hash, domain, expires_at_ms) VALUES (?, ?, ?)', hash, domain, expiresAtMs);
}

/** Undefined when the token has expired or is unknown. */
export function findRegistryTokenDomain(sql: Sql, hash: string, nowMs: number): string | undefined {
  const text = 'SELECT domain FROM registry_tokens WHERE hash = ? AND expires_at_ms > ?';
  return domainReader.first(sql, text, hash, nowMs)?.domain;
}
