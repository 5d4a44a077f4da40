/** Links that create accounts: the setup link of the first owner, and invitations. Secrets are stored as hashes. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

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

const invitationReader = createRowReader(InvitationShape);
const expiryReader = createRowReader(Type.Object({ expires_at_ms: Type.Integer() }));
const select = `SELECT i.id, i.role, i.email, i.created_by, p.name AS created_by_name, i.created_at_ms, i.expires_at_ms
  FROM invitations i JOIN people p ON p.id = i.created_by`;

/** There is one setup link at most: an earlier one ends. */
export function replaceSetupLink(sql: Sql, hash: string, expiresAtMs: number): void {
  deleteSetupLinks(sql);
  sql.execute('INSERT INTO setup_links (hash, expires_at_ms) VALUES (?, ?)', hash, expiresAtMs);
}

export function isValidSetupLink(sql: Sql, hash: string, nowMs: number): boolean {
  const link = expiryReader.first(sql, 'SELECT expires_at_ms FROM setup_links WHERE hash = ?', hash);
  return link !== undefined && link.expires_at_ms > nowMs;
}

export function deleteSetupLinks(sql: Sql): void {
  sql.execute('DELETE FROM setup_links');
}

export function insertInvitation(sql: Sql, row: Omit<InvitationRow, 'created_by_name'>, hash: string): void {
  sql.execute(
    `INSERT INTO invitations (id, hash, role, email, created_by, created_at_ms, expires_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    hash,
    row.role,
    row.email,
    row.created_by,
    row.created_at_ms,
    row.expires_at_ms,
  );
}

/** Open invitations, newest first. */
export function listInvitations(sql: Sql, nowMs: number): InvitationRow[] {
  return invitationReader.all(sql, `${select} WHERE i.expires_at_ms > ? ORDER BY i.created_at_ms DESC, i.id`, nowMs);
}

/** Undefined when the invitation was used, revoked or has expired. */
export function findInvitationByHash(sql: Sql, hash: string, nowMs: number): InvitationRow | undefined {
  return invitationReader.first(sql, `${select} WHERE i.hash = ? AND i.expires_at_ms > ?`, hash, nowMs);
}

/** False when there is none. */
export function deleteInvitation(sql: Sql, id: string): boolean {
  return sql.run('DELETE FROM invitations WHERE id = ?', id) === 1;
}

/** The newest open invitation for this email. */
export function findInvitationByEmail(sql: Sql, email: string, nowMs: number): InvitationRow | undefined {
  const statement = `${select} WHERE lower(i.email) = ? AND i.expires_at_ms > ? ORDER BY i.created_at_ms DESC LIMIT 1`;
  return invitationReader.first(sql, statement, email.toLowerCase(), nowMs);
}

export function deleteInvitationsCreatedBy(sql: Sql, personId: string): void {
  sql.execute('DELETE FROM invitations WHERE created_by = ?', personId);
}

export function deleteExpiredLinks(sql: Sql, nowMs: number): void {
  sql.execute('DELETE FROM setup_links WHERE expires_at_ms <= ?', nowMs);
  sql.execute('DELETE FROM password_links WHERE expires_at_ms <= ?', nowMs);
  sql.execute('DELETE FROM invitations WHERE expires_at_ms <= ?', nowMs);
}

const addressReader = createRowReader(Type.Object({ value: Type.String() }));

/** Stores the URL at which browsers reach the control plane, for commands that create links while it runs. */
export function savePublicAddress(sql: Sql, url: string): void {
  sql.execute("INSERT INTO meta VALUES ('address', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", url);
}

export function findPublicAddress(sql: Sql): string | undefined {
  return addressReader.first(sql, "SELECT value FROM meta WHERE name = 'address'")?.value;
}
