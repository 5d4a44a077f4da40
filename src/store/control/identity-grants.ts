/** Grants as the person who gave them sees them: one for each program that acts for them. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const GrantShape = Type.Object({
  kind: Type.String(),
  hash: Type.String(),
  grant_hash: Type.String(),
  sealed: Type.Uint8Array(),
  expires_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  consumed_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  last_used_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  last_address: Type.Union([Type.String(), Type.Null()]),
});
/** A row of `oauth_records` of the kind Grant. */
export type GrantRow = Static<typeof GrantShape>;

const grants = rowReader(GrantShape);

/** Grants on which a program holds something that is good: one whose program never came for its tokens is none. */
export function grantsOfPerson(sql: Sql, personId: string, nowMs: number): GrantRow[] {
  const statement = sql.prepare(
    `SELECT g.kind, g.hash, g.grant_hash, g.sealed, g.expires_at_ms, g.consumed_at_ms, g.last_used_at_ms, g.last_address
     FROM oauth_records g WHERE g.person_id = ? AND g.kind = 'Grant' AND g.grant_hash IS NOT NULL AND EXISTS (
       SELECT 1 FROM oauth_records t WHERE t.grant_hash = g.grant_hash AND t.kind IN ('AccessToken', 'RefreshToken')
         AND t.consumed_at_ms IS NULL AND (t.expires_at_ms IS NULL OR t.expires_at_ms > ?))`,
  );
  return grants.all(statement, personId, nowMs);
}

/** Ends a grant of this person with everything given on it; false when there is none. */
export function deleteGrantOfPerson(sql: Sql, grantHash: string, personId: string): boolean {
  const own = sql.prepare("SELECT 1 FROM oauth_records WHERE kind = 'Grant' AND grant_hash = ? AND person_id = ?");
  if (own.get(grantHash, personId) === undefined) return false;
  sql.prepare('DELETE FROM oauth_records WHERE grant_hash = ?').run(grantHash);
  return true;
}

/** Notes a use, at most once in `everyMs`; true when it was time. */
export function touchGrant(
  sql: Sql,
  grantHash: string,
  { address, nowMs, everyMs }: { address: string; nowMs: number; everyMs: number },
): boolean {
  const statement = sql.prepare(
    `UPDATE oauth_records SET last_used_at_ms = ?, last_address = ?
     WHERE kind = 'Grant' AND grant_hash = ? AND (last_used_at_ms IS NULL OR last_used_at_ms <= ?)`,
  );
  return statement.run(nowMs, address, grantHash, nowMs - everyMs).changes === 1;
}

const uses = rowReader(Type.Object({ last_used_at_ms: Type.Union([Type.Integer(), Type.Null()]) }));

/** When a grant was used last; undefined when there is none, null before its first use. */
export function lastUseOfGrant(sql: Sql, grantHash: string): number | null | undefined {
  const statement = sql.prepare("SELECT last_used_at_ms FROM oauth_records WHERE kind = 'Grant' AND grant_hash = ?");
  return uses.one(statement, grantHash)?.last_used_at_ms;
}
