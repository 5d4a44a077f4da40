/** Records of the OAuth server: many kinds in one table, sealed, found by keyed hashes. And its signing keys. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const RecordShape = Type.Object({
  kind: Type.String(),
  hash: Type.String(),
  grant_hash: Type.Union([Type.String(), Type.Null()]),
  sealed: Type.Uint8Array(),
  expires_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  consumed_at_ms: Type.Union([Type.Integer(), Type.Null()]),
});
/** A row of `oauth_records`. */
export type OAuthRecordRow = Static<typeof RecordShape>;

const recordReader = createRowReader(RecordShape);
const grantReader = createRowReader(Type.Object({ grant_hash: Type.String() }));
const SigningKeyShape = Type.Object({ kid: Type.String(), sealed: Type.Uint8Array() });
const signingKeyReader = createRowReader(SigningKeyShape);
const select = 'SELECT kind, hash, grant_hash, sealed, expires_at_ms, consumed_at_ms FROM oauth_records';

export type NewOAuthRecord = Omit<OAuthRecordRow, 'consumed_at_ms'> & {
  readonly uid_hash: string | null;
  readonly code_hash: string | null;
  readonly person_id: string | null;
};

/** Inserts or replaces a record. */
export function saveOAuthRecord(sql: Sql, row: NewOAuthRecord): void {
  sql.execute(
    `INSERT INTO oauth_records (kind, hash, grant_hash, uid_hash, code_hash, person_id, sealed, expires_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (kind, hash) DO UPDATE SET grant_hash = excluded.grant_hash, uid_hash = excluded.uid_hash,
         code_hash = excluded.code_hash, person_id = excluded.person_id, sealed = excluded.sealed,
         expires_at_ms = excluded.expires_at_ms`,
    row.kind,
    row.hash,
    row.grant_hash,
    row.uid_hash,
    row.code_hash,
    row.person_id,
    row.sealed,
    row.expires_at_ms,
  );
}

export function findOAuthRecord(sql: Sql, kind: string, hash: string): OAuthRecordRow | undefined {
  return recordReader.first(sql, `${select} WHERE kind = ? AND hash = ?`, kind, hash);
}

/** Finds a record by the hash of its uid (a session) or of its user code (a device). */
export function findOAuthRecordBy(
  sql: Sql,
  kind: string,
  index: 'uid' | 'code',
  hash: string,
): OAuthRecordRow | undefined {
  const column = index === 'uid' ? 'uid_hash' : 'code_hash';
  return recordReader.first(sql, `${select} WHERE kind = ? AND ${column} = ?`, kind, hash);
}

export function findOAuthGrant(sql: Sql, grantHash: string): OAuthRecordRow | undefined {
  return recordReader.first(sql, `${select} WHERE kind = 'Grant' AND grant_hash = ?`, grantHash);
}

/** Marks a record as used; false when it already was, so that of two concurrent uses only one succeeds. */
export function consumeOAuthRecord(sql: Sql, kind: string, hash: string, nowMs: number): boolean {
  const statement =
    'UPDATE oauth_records SET consumed_at_ms = ? WHERE kind = ? AND hash = ? AND consumed_at_ms IS NULL';
  return sql.run(statement, nowMs, kind, hash) === 1;
}

export function deleteOAuthRecord(sql: Sql, kind: string, hash: string): void {
  sql.execute('DELETE FROM oauth_records WHERE kind = ? AND hash = ?', kind, hash);
}

/** Deletes a grant with everything issued on it. */
export function deleteOAuthGrant(sql: Sql, grantHash: string): void {
  sql.execute('DELETE FROM oauth_records WHERE grant_hash = ?', grantHash);
}

/** Deletes all records of a person; returns the hashes of the grants that ended. */
export function deleteOAuthRecordsByPerson(sql: Sql, personId: string): string[] {
  const statement = 'SELECT DISTINCT grant_hash FROM oauth_records WHERE person_id = ? AND grant_hash IS NOT NULL';
  const endedGrants = grantReader.all(sql, statement, personId).map(({ grant_hash: hash }) => hash);
  for (const hash of endedGrants) deleteOAuthGrant(sql, hash);
  sql.execute('DELETE FROM oauth_records WHERE person_id = ?', personId);
  return endedGrants;
}

export function deleteExpiredOAuthRecords(sql: Sql, nowMs: number): void {
  sql.execute('DELETE FROM oauth_records WHERE expires_at_ms < ?', nowMs);
}

/** Newest first. */
export function listSigningKeys(sql: Sql): Static<typeof SigningKeyShape>[] {
  return signingKeyReader.all(sql, 'SELECT kid, sealed FROM signing_keys ORDER BY created_at_ms DESC');
}

export function insertSigningKey(sql: Sql, kid: string, sealed: Uint8Array, nowMs: number): void {
  sql.execute('INSERT INTO signing_keys (kid, sealed, created_at_ms) VALUES (?, ?, ?)', kid, sealed, nowMs);
}
