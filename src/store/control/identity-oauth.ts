/** What the OAuth server keeps: records of many kinds in one table, sealed, found by keyed hashes. And its signing keys. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const RecordShape = Type.Object({
  kind: Type.String(),
  hash: Type.String(),
  grant_hash: Type.Union([Type.String(), Type.Null()]),
  sealed: Type.Uint8Array(),
  expires_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  consumed_at_ms: Type.Union([Type.Integer(), Type.Null()]),
});
/** A row of `oauth_records`. */
export type OAuthRow = Static<typeof RecordShape>;

const records = rowReader(RecordShape);
const grants = rowReader(Type.Object({ grant_hash: Type.String() }));
const SigningKeyShape = Type.Object({ kid: Type.String(), sealed: Type.Uint8Array() });
const signingKeys = rowReader(SigningKeyShape);
const select = 'SELECT kind, hash, grant_hash, sealed, expires_at_ms, consumed_at_ms FROM oauth_records';

/** A record to be kept, with what it can be found by. */
export type OAuthWrite = Omit<OAuthRow, 'consumed_at_ms'> & {
  readonly uid_hash: string | null;
  readonly code_hash: string | null;
  readonly person_id: string | null;
};

/** Keeps a record, or replaces what it holds. */
export function putOAuthRecord(sql: Sql, row: OAuthWrite): void {
  sql
    .prepare(
      `INSERT INTO oauth_records (kind, hash, grant_hash, uid_hash, code_hash, person_id, sealed, expires_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (kind, hash) DO UPDATE SET grant_hash = excluded.grant_hash, uid_hash = excluded.uid_hash,
         code_hash = excluded.code_hash, person_id = excluded.person_id, sealed = excluded.sealed,
         expires_at_ms = excluded.expires_at_ms`,
    )
    .run(row.kind, row.hash, row.grant_hash, row.uid_hash, row.code_hash, row.person_id, row.sealed, row.expires_at_ms);
}

/** A record by its id's hash. */
export function findOAuthRecord(sql: Sql, kind: string, hash: string): OAuthRow | undefined {
  return records.one(sql.prepare(`${select} WHERE kind = ? AND hash = ?`), kind, hash);
}

/** A record by the hash of its uid (a session) or of its user code (a device). */
export function findOAuthRecordBy(sql: Sql, kind: string, by: 'uid' | 'code', hash: string): OAuthRow | undefined {
  const column = by === 'uid' ? 'uid_hash' : 'code_hash';
  return records.one(sql.prepare(`${select} WHERE kind = ? AND ${column} = ?`), kind, hash);
}

/** The record of a grant itself; undefined when it has ended. */
export function findOAuthGrant(sql: Sql, grantHash: string): OAuthRow | undefined {
  return records.one(sql.prepare(`${select} WHERE kind = 'Grant' AND grant_hash = ?`), grantHash);
}

/** Notes that a record was used up; false when it was already, so that of two uses at once only one succeeds. */
export function consumeOAuthRecord(sql: Sql, kind: string, hash: string, nowMs: number): boolean {
  const statement = sql.prepare(
    'UPDATE oauth_records SET consumed_at_ms = ? WHERE kind = ? AND hash = ? AND consumed_at_ms IS NULL',
  );
  return statement.run(nowMs, kind, hash).changes === 1;
}

/** Forgets a record. */
export function deleteOAuthRecord(sql: Sql, kind: string, hash: string): void {
  sql.prepare('DELETE FROM oauth_records WHERE kind = ? AND hash = ?').run(kind, hash);
}

/** Forgets everything that was given on a grant. */
export function deleteOAuthGrant(sql: Sql, grantHash: string): void {
  sql.prepare('DELETE FROM oauth_records WHERE grant_hash = ?').run(grantHash);
}

/** Forgets everything of a person; gives the grants that ended. */
export function deleteOAuthOfPerson(sql: Sql, personId: string): string[] {
  const statement = sql.prepare(
    'SELECT DISTINCT grant_hash FROM oauth_records WHERE person_id = ? AND grant_hash IS NOT NULL',
  );
  const ended = grants.all(statement, personId).map(({ grant_hash: hash }) => hash);
  for (const hash of ended) deleteOAuthGrant(sql, hash);
  sql.prepare('DELETE FROM oauth_records WHERE person_id = ?').run(personId);
  return ended;
}

/** Forgets what has expired. */
export function deleteExpiredOAuth(sql: Sql, nowMs: number): void {
  sql.prepare('DELETE FROM oauth_records WHERE expires_at_ms < ?').run(nowMs);
}

/** The keys that tokens are signed with, newest first. */
export function listSigningKeys(sql: Sql): Static<typeof SigningKeyShape>[] {
  return signingKeys.all(sql.prepare('SELECT kid, sealed FROM signing_keys ORDER BY created_at_ms DESC'));
}

/** Keeps a signing key. */
export function insertSigningKey(sql: Sql, kid: string, sealed: Uint8Array, nowMs: number): void {
  sql.prepare('INSERT INTO signing_keys (kid, sealed, created_at_ms) VALUES (?, ?, ?)').run(kid, sealed, nowMs);
}
