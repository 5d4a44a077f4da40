/** OAuth grants as the person who gave them sees them: one for each OAuth client that acts for that person. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

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
/** A row of `oauth_records` with kind `Grant`. */
export type GrantRow = Static<typeof GrantShape>;

const grantReader = createRowReader(GrantShape);

/** Grants with a valid token: one whose client never redeemed its code is not listed. */
export function listPersonGrants(sql: Sql, personId: string, nowMs: number): GrantRow[] {
  const statement = `SELECT g.kind, g.hash, g.grant_hash, g.sealed, g.expires_at_ms, g.consumed_at_ms, g.last_used_at_ms, g.last_address
     FROM oauth_records g WHERE g.person_id = ? AND g.kind = 'Grant' AND g.grant_hash IS NOT NULL AND EXISTS (
       SELECT 1 FROM oauth_records t WHERE t.grant_hash = g.grant_hash AND t.kind IN ('AccessToken', 'RefreshToken')
         AND t.consumed_at_ms IS NULL AND (t.expires_at_ms IS NULL OR t.expires_at_ms > ?))`;
  return grantReader.all(sql, statement, personId, nowMs);
}

/** Deletes a grant of this person with its tokens; false when there is none. */
export function deletePersonGrant(sql: Sql, grantHash: string, personId: string): boolean {
  const personGrant = "SELECT 1 FROM oauth_records WHERE kind = 'Grant' AND grant_hash = ? AND person_id = ?";
  if (sql.get(personGrant, grantHash, personId) === undefined) return false;
  sql.execute('DELETE FROM oauth_records WHERE grant_hash = ?', grantHash);
  return true;
}

/** Records a use, at most once per `everyMs`; true when it was recorded. */
export function touchGrant(
  sql: Sql,
  grantHash: string,
  { address, nowMs, minIntervalMs: everyMs }: { address: string; nowMs: number; minIntervalMs: number },
): boolean {
  const statement = `UPDATE oauth_records SET last_used_at_ms = ?, last_address = ?
     WHERE kind = 'Grant' AND grant_hash = ? AND (last_used_at_ms IS NULL OR last_used_at_ms <= ?)`;
  return sql.run(statement, nowMs, address, grantHash, nowMs - everyMs) === 1;
}

const lastUseReader = createRowReader(Type.Object({ last_used_at_ms: Type.Union([Type.Integer(), Type.Null()]) }));

/** Undefined when there is no such grant, null before its first use. */
export function findGrantLastUse(sql: Sql, grantHash: string): number | null | undefined {
  const statement = "SELECT last_used_at_ms FROM oauth_records WHERE kind = 'Grant' AND grant_hash = ?";
  return lastUseReader.first(sql, statement, grantHash)?.last_used_at_ms;
}

const nullableText = Type.Union([Type.String(), Type.Null()]);
const GrantDetailsShape = Type.Object({
  hub_id: nullableText,
  client_json: nullableText,
  person_id: nullableText,
  slug: nullableText,
  hub_name: nullableText,
  expires_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  last_used_at_ms: Type.Union([Type.Integer(), Type.Null()]),
});
/** The hub and the client of a grant; the hub with its present names. */
export type GrantDetailsRow = Static<typeof GrantDetailsShape>;

const detailsReader = createRowReader(GrantDetailsShape);

/** Stores the hub that a grant is for, and the client as it was when the person gave consent. */
export function saveGrantDetails(
  sql: Sql,
  grantHash: string,
  { hubId, clientJson }: { readonly hubId: string | null; readonly clientJson: string },
): void {
  sql.execute(
    "UPDATE oauth_records SET hub_id = ?, client_json = ? WHERE kind = 'Grant' AND grant_hash = ?",
    hubId,
    clientJson,
    grantHash,
  );
}

/** Undefined when the grant has ended. */
export function findGrantDetails(sql: Sql, grantHash: string): GrantDetailsRow | undefined {
  const statement = `SELECT g.hub_id, g.client_json, g.person_id, h.slug, h.name AS hub_name, g.expires_at_ms,
       g.last_used_at_ms
     FROM oauth_records g LEFT JOIN hubs h ON h.id = g.hub_id WHERE g.kind = 'Grant' AND g.grant_hash = ?`;
  return detailsReader.first(sql, statement, grantHash);
}
