/** What proofs of domains were used for: signatures that are spent, and the tokens that were given for them. */
import { Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const domains = rowReader(Type.Object({ domain: Type.String() }));

/** Notes a signature as used; false when it was used before. Forgets those whose moment is over. */
export function spendRegistryProof(
  sql: Sql,
  { hash, expiresAtMs, nowMs }: { hash: string; expiresAtMs: number; nowMs: number },
): boolean {
  sql.prepare('DELETE FROM registry_proofs WHERE expires_at_ms <= ?').run(nowMs);
  const text = 'INSERT INTO registry_proofs (hash, expires_at_ms) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING';
  return sql.prepare(text).run(hash, expiresAtMs).changes === 1;
}

/** Keeps a token for a domain. Forgets those that have ended. */
export function insertRegistryToken(
  sql: Sql,
  { hash, domain, expiresAtMs, nowMs }: { hash: string; domain: string; expiresAtMs: number; nowMs: number },
): void {
  sql.prepare('DELETE FROM registry_tokens WHERE expires_at_ms <= ?').run(nowMs);
  sql
    .prepare('INSERT INTO registry_tokens (hash, domain, expires_at_ms) VALUES (?, ?, ?)')
    .run(hash, domain, expiresAtMs);
}

/** Whose token it is; undefined when it has ended or never was. */
export function domainOfRegistryToken(sql: Sql, hash: string, nowMs: number): string | undefined {
  const text = 'SELECT domain FROM registry_tokens WHERE hash = ? AND expires_at_ms > ?';
  return domains.one(sql.prepare(text), hash, nowMs)?.domain;
}
