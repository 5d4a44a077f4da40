/** Sessions of signed-in browsers, and browsers that a person has used before. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const SessionShape = Type.Object({
  id: Type.String(),
  person_id: Type.String(),
  secret_hash: Type.String(),
  previous_hash: Type.Union([Type.String(), Type.Null()]),
  rotated_at_ms: Type.Integer(),
  /** When the newest secret was first used; null until then. */
  confirmed_at_ms: nullableInteger,
  proof_hash: Type.String(),
  created_at_ms: Type.Integer(),
  last_seen_at_ms: Type.Integer(),
  address: Type.String(),
  client: Type.String(),
});
export type SessionRow = Static<typeof SessionShape>;

const sessionReader = createRowReader(SessionShape);
const personIdReader = createRowReader(Type.Object({ person_id: Type.String() }));
const idReader = createRowReader(Type.Object({ id: Type.String() }));
const select = `SELECT id, person_id, secret_hash, previous_hash, rotated_at_ms, confirmed_at_ms, proof_hash,
  created_at_ms, last_seen_at_ms, address, client FROM sessions`;

/** Finds the session of a cookie by its present secret or the previous one. */
export function findSessionByHash(sql: Sql, secretHash: string): SessionRow | undefined {
  return (
    sessionReader.first(sql, `${select} WHERE secret_hash = ?`, secretHash) ??
    sessionReader.first(sql, `${select} WHERE previous_hash = ?`, secretHash)
  );
}

export function findSession(sql: Sql, id: string): SessionRow | undefined {
  return sessionReader.first(sql, `${select} WHERE id = ?`, id);
}

/** Most recently used first. */
export function listSessions(sql: Sql, personId: string): SessionRow[] {
  return sessionReader.all(sql, `${select} WHERE person_id = ? ORDER BY last_seen_at_ms DESC, id`, personId);
}

export function insertSession(sql: Sql, row: Omit<SessionRow, 'previous_hash' | 'confirmed_at_ms'>): void {
  sql.execute(
    `INSERT INTO sessions (id, person_id, secret_hash, rotated_at_ms, confirmed_at_ms, proof_hash, created_at_ms,
         last_seen_at_ms, address, client) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.person_id,
    row.secret_hash,
    row.rotated_at_ms,
    row.created_at_ms,
    row.proof_hash,
    row.created_at_ms,
    row.last_seen_at_ms,
    row.address,
    row.client,
  );
}

/** Gives a session a new secret; the previous one stays valid until the new one has been used. */
export function rotateSession(
  sql: Sql,
  id: string,
  { secretHash, previousHash, nowMs }: { secretHash: string; previousHash: string; nowMs: number },
): void {
  sql.execute(
    'UPDATE sessions SET previous_hash = ?, secret_hash = ?, rotated_at_ms = ?, confirmed_at_ms = NULL WHERE id = ?',
    previousHash,
    secretHash,
    nowMs,
    id,
  );
}

/** Records that the browser has used the newest secret. */
export function confirmSession(sql: Sql, id: string, nowMs: number): void {
  sql.execute('UPDATE sessions SET confirmed_at_ms = ? WHERE id = ? AND confirmed_at_ms IS NULL', nowMs, id);
}

export function touchSession(sql: Sql, id: string, nowMs: number, address: string): void {
  sql.execute('UPDATE sessions SET last_seen_at_ms = ?, address = ? WHERE id = ?', nowMs, address, id);
}

/** False when this person has no such session. */
export function deleteSession(sql: Sql, id: string, personId: string): boolean {
  return sql.run('DELETE FROM sessions WHERE id = ? AND person_id = ?', id, personId) === 1;
}

/** Deletes sessions not used since `idleMs` or opened before `bornMs`; returns their ids. */
export function deleteStaleSessions(sql: Sql, idleMs: number, bornMs: number): string[] {
  const stale = idReader.all(
    sql,
    'SELECT id FROM sessions WHERE last_seen_at_ms < ? OR created_at_ms < ?',
    idleMs,
    bornMs,
  );
  for (const { id } of stale) sql.execute('DELETE FROM sessions WHERE id = ?', id);
  return stale.map(({ id }) => id);
}

export function saveKnownDevice(sql: Sql, hash: string, personId: string, nowMs: number): void {
  sql.execute(
    `INSERT INTO known_devices (hash, person_id, used_at_ms) VALUES (?, ?, ?)
       ON CONFLICT (hash) DO UPDATE SET person_id = excluded.person_id, used_at_ms = excluded.used_at_ms`,
    hash,
    personId,
    nowMs,
  );
}

/** True for a browser that this person has signed in with since `sinceMs`. */
export function isKnownDevice(sql: Sql, hash: string, personId: string, sinceMs: number): boolean {
  const device = personIdReader.first(
    sql,
    'SELECT person_id FROM known_devices WHERE hash = ? AND used_at_ms >= ?',
    hash,
    sinceMs,
  );
  return device?.person_id === personId;
}

/** Deletes browsers not used since `sinceMs`. */
export function deleteStaleDevices(sql: Sql, sinceMs: number): void {
  sql.execute('DELETE FROM known_devices WHERE used_at_ms < ?', sinceMs);
}
