/** Links that make accounts: the setup link of the first owner, and invitations. Their secrets stand as hashes. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const InvitationShape = Type.Object({
  id: Type.String(),
  role: Type.Union([Type.Literal('owner'), Type.Literal('member'), Type.Literal('viewer')]),
  email: Type.Union([Type.String(), Type.Null()]),
  created_by: Type.String(),
  created_by_name: Type.String(),
  created_at_ms: Type.Integer(),
  expires_at_ms: Type.Integer(),
});
/** A row of `invitations` with the name of the person who made it. */
export type InvitationRow = Static<typeof InvitationShape>;

const invitations = rowReader(InvitationShape);
const expiries = rowReader(Type.Object({ expires_at_ms: Type.Integer() }));
const select = `SELECT i.id, i.role, i.email, i.created_by, p.name AS created_by_name, i.created_at_ms, i.expires_at_ms
  FROM invitations i JOIN people p ON p.id = i.created_by`;

/** Makes the only setup link there is; an earlier one ends. */
export function replaceSetupLink(sql: Sql, hash: string, expiresAtMs: number): void {
  endSetupLinks(sql);
  sql.prepare('INSERT INTO setup_links (hash, expires_at_ms) VALUES (?, ?)').run(hash, expiresAtMs);
}

/** True for a setup link that has not ended. */
export function isSetupLink(sql: Sql, hash: string, nowMs: number): boolean {
  const link = expiries.one(sql.prepare('SELECT expires_at_ms FROM setup_links WHERE hash = ?'), hash);
  return link !== undefined && link.expires_at_ms > nowMs;
}

/** Ends every setup link. */
export function endSetupLinks(sql: Sql): void {
  sql.prepare('DELETE FROM setup_links').run();
}

/** Keeps an invitation. */
export function insertInvitation(sql: Sql, row: Omit<InvitationRow, 'created_by_name'>, hash: string): void {
  sql
    .prepare(
      `INSERT INTO invitations (id, hash, role, email, created_by, created_at_ms, expires_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(row.id, hash, row.role, row.email, row.created_by, row.created_at_ms, row.expires_at_ms);
}

/** Invitations that wait, newest first. */
export function listInvitations(sql: Sql, nowMs: number): InvitationRow[] {
  return invitations.all(sql.prepare(`${select} WHERE i.expires_at_ms > ? ORDER BY i.created_at_ms DESC, i.id`), nowMs);
}

/** The invitation of a link; undefined when it was used, taken back or has expired. */
export function findInvitation(sql: Sql, hash: string, nowMs: number): InvitationRow | undefined {
  return invitations.one(sql.prepare(`${select} WHERE i.hash = ? AND i.expires_at_ms > ?`), hash, nowMs);
}

/** Ends an invitation; false when there is none. */
export function deleteInvitation(sql: Sql, id: string): boolean {
  return sql.prepare('DELETE FROM invitations WHERE id = ?').run(id).changes === 1;
}

/** The newest invitation that waits for this email, and was made for it. */
export function findInvitationFor(sql: Sql, email: string, nowMs: number): InvitationRow | undefined {
  const statement = sql.prepare(
    `${select} WHERE lower(i.email) = ? AND i.expires_at_ms > ? ORDER BY i.created_at_ms DESC LIMIT 1`,
  );
  return invitations.one(statement, email.toLowerCase(), nowMs);
}

/** Ends what a person invited to, whose invitations count no longer. */
export function deleteInvitationsOf(sql: Sql, personId: string): void {
  sql.prepare('DELETE FROM invitations WHERE created_by = ?').run(personId);
}

/** Forgets links that have expired. */
export function deleteExpiredLinks(sql: Sql, nowMs: number): void {
  sql.prepare('DELETE FROM setup_links WHERE expires_at_ms <= ?').run(nowMs);
  sql.prepare('DELETE FROM password_links WHERE expires_at_ms <= ?').run(nowMs);
  sql.prepare('DELETE FROM invitations WHERE expires_at_ms <= ?').run(nowMs);
}

const addresses = rowReader(Type.Object({ value: Type.String() }));

/** Remembers where browsers reach the control plane, for links that are made beside it. */
export function keepAddress(sql: Sql, url: string): void {
  sql
    .prepare("INSERT INTO meta VALUES ('address', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
    .run(url);
}

/** Where browsers reached it last. */
export function keptAddress(sql: Sql): string | undefined {
  return addresses.one(sql.prepare("SELECT value FROM meta WHERE name = 'address'"))?.value;
}
