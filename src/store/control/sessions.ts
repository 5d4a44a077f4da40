/** Browsers that are signed in, and browsers that were before. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const SessionShape = Type.Object({
  id: Type.String(),
  person_id: Type.String(),
  secret_hash: Type.String(),
  previous_hash: Type.Union([Type.String(), Type.Null()]),
  rotated_at_ms: Type.Integer(),
  /** When the newest secret was used first; null until then. */
  confirmed_at_ms: nullableInteger,
  proof_hash: Type.String(),
  created_at_ms: Type.Integer(),
  last_seen_at_ms: Type.Integer(),
  address: Type.String(),
  client: Type.String(),
});
/** A row of `sessions`. */
export type SessionRow = Static<typeof SessionShape>;

const sessions = rowReader(SessionShape);
const persons = rowReader(Type.Object({ person_id: Type.String() }));
const ids = rowReader(Type.Object({ id: Type.String() }));
const select = `SELECT id, person_id, secret_hash, previous_hash, rotated_at_ms, confirmed_at_ms, proof_hash,
  created_at_ms, last_seen_at_ms, address, client FROM sessions`;

/** The session that a cookie belongs to, by its present secret or the one before. */
export function findSession(sql: Sql, secretHash: string): SessionRow | undefined {
  return (
    sessions.one(sql.prepare(`${select} WHERE secret_hash = ?`), secretHash) ??
    sessions.one(sql.prepare(`${select} WHERE previous_hash = ?`), secretHash)
  );
}

/** One session by its id. */
export function sessionOf(sql: Sql, id: string): SessionRow | undefined {
  return sessions.one(sql.prepare(`${select} WHERE id = ?`), id);
}

/** A person's sessions, last used first. */
export function sessionsOfPerson(sql: Sql, personId: string): SessionRow[] {
  return sessions.all(sql.prepare(`${select} WHERE person_id = ? ORDER BY last_seen_at_ms DESC, id`), personId);
}

/** Opens a session. */
export function insertSession(sql: Sql, row: Omit<SessionRow, 'previous_hash' | 'confirmed_at_ms'>): void {
  sql
    .prepare(
      `INSERT INTO sessions (id, person_id, secret_hash, rotated_at_ms, confirmed_at_ms, proof_hash, created_at_ms,
         last_seen_at_ms, address, client) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
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

/** Gives a session a new secret; the one that the browser has stays good until the new one was used. */
export function rotateSession(
  sql: Sql,
  id: string,
  { secretHash, previousHash, nowMs }: { secretHash: string; previousHash: string; nowMs: number },
): void {
  sql
    .prepare(
      'UPDATE sessions SET previous_hash = ?, secret_hash = ?, rotated_at_ms = ?, confirmed_at_ms = NULL WHERE id = ?',
    )
    .run(previousHash, secretHash, nowMs, id);
}

/** Notes that the newest secret has arrived in the browser. */
export function confirmSession(sql: Sql, id: string, nowMs: number): void {
  sql.prepare('UPDATE sessions SET confirmed_at_ms = ? WHERE id = ? AND confirmed_at_ms IS NULL').run(nowMs, id);
}

/** Notes a sign of life. */
export function touchSession(sql: Sql, id: string, nowMs: number, address: string): void {
  sql.prepare('UPDATE sessions SET last_seen_at_ms = ?, address = ? WHERE id = ?').run(nowMs, address, id);
}

/** Ends a session of this person; false when there is none. */
export function deleteSession(sql: Sql, id: string, personId: string): boolean {
  return sql.prepare('DELETE FROM sessions WHERE id = ? AND person_id = ?').run(id, personId).changes === 1;
}

/** Ends the sessions that were not used since `idleMs`, or were opened before `bornMs`; gives their ids. */
export function deleteStaleSessions(sql: Sql, idleMs: number, bornMs: number): string[] {
  const stale = ids.all(
    sql.prepare('SELECT id FROM sessions WHERE last_seen_at_ms < ? OR created_at_ms < ?'),
    idleMs,
    bornMs,
  );
  for (const { id } of stale) sql.prepare('DELETE FROM sessions WHERE id = ?').run(id);
  return stale.map(({ id }) => id);
}

/** Remembers a browser for a person. */
export function keepDevice(sql: Sql, hash: string, personId: string, nowMs: number): void {
  sql
    .prepare(
      `INSERT INTO known_devices (hash, person_id, used_at_ms) VALUES (?, ?, ?)
       ON CONFLICT (hash) DO UPDATE SET person_id = excluded.person_id, used_at_ms = excluded.used_at_ms`,
    )
    .run(hash, personId, nowMs);
}

/** True for a browser that this person signed in with since `sinceMs`. */
export function isKnownDevice(sql: Sql, hash: string, personId: string, sinceMs: number): boolean {
  const found = persons.one(
    sql.prepare('SELECT person_id FROM known_devices WHERE hash = ? AND used_at_ms >= ?'),
    hash,
    sinceMs,
  );
  return found?.person_id === personId;
}

/** Forgets browsers that were not used since `sinceMs`. */
export function deleteStaleDevices(sql: Sql, sinceMs: number): void {
  sql.prepare('DELETE FROM known_devices WHERE used_at_ms < ?').run(sinceMs);
}
