import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const Role = Type.Union([Type.Literal('owner'), Type.Literal('member'), Type.Literal('viewer')]);
const MembershipShape = Type.Object({
  hub_id: Type.String(),
  slug: Type.String(),
  person_id: Type.String(),
  person_name: Type.String(),
  role: Role,
  tool_list: Type.Union([Type.Literal('all'), Type.Literal('search')]),
});
/** A membership of one person, with the hub's slug and tool list, and the person's name. */
export type MembershipRow = Static<typeof MembershipShape>;
const MemberShape = Type.Object({
  person_id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: Role,
  added_at_ms: Type.Integer(),
});
export type MemberRow = Static<typeof MemberShape>;

const membershipReader = createRowReader(MembershipShape);
const memberReader = createRowReader(MemberShape);
const countReader = createRowReader(Type.Object({ count: Type.Integer() }));
const hubIdReader = createRowReader(Type.Object({ hub_id: Type.String() }));

/** By slug. */
export function listPersonMemberships(sql: Sql, personId: string): MembershipRow[] {
  const statement = `SELECT m.hub_id, h.slug, m.person_id, p.name AS person_name, m.role, h.tool_list FROM hub_members m
     JOIN hubs h ON h.id = m.hub_id JOIN people p ON p.id = m.person_id WHERE m.person_id = ? ORDER BY h.slug`;
  return membershipReader.all(sql, statement, personId);
}

const selectMember = `SELECT m.person_id, p.name, p.email, m.role, m.added_at_ms
  FROM hub_members m JOIN people p ON p.id = m.person_id`;

/** By name. */
export function listMembers(sql: Sql, hubId: string): MemberRow[] {
  const statement = `${selectMember} WHERE m.hub_id = ? ORDER BY p.name COLLATE NOCASE, p.id`;
  return memberReader.all(sql, statement, hubId);
}

export function findMember(sql: Sql, hubId: string, personId: string): MemberRow | undefined {
  return memberReader.first(sql, `${selectMember} WHERE m.hub_id = ? AND m.person_id = ?`, hubId, personId);
}

export function countHubMembers(sql: Sql, hubId: string): number {
  return countReader.first(sql, 'SELECT count(*) AS count FROM hub_members WHERE hub_id = ?', hubId)?.count ?? 0;
}

export function countHubOwners(sql: Sql, hubId: string): number {
  const statement = "SELECT count(*) AS count FROM hub_members WHERE hub_id = ? AND role = 'owner'";
  return countReader.first(sql, statement, hubId)?.count ?? 0;
}

/** Adds a member, or changes the role of one. */
export function upsertMember(
  sql: Sql,
  hubId: string,
  member: { readonly personId: string; readonly role: MemberRow['role']; readonly nowMs: number },
): void {
  sql.execute(
    `INSERT INTO hub_members (person_id, hub_id, role, added_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (person_id, hub_id) DO UPDATE SET role = excluded.role`,
    member.personId,
    hubId,
    member.role,
    member.nowMs,
  );
}

/** Deletes a membership with the person's upstream grants in the hub. */
export function deleteMember(sql: Sql, hubId: string, personId: string): void {
  sql.execute(
    `DELETE FROM hub_upstream_grants WHERE person_id = ?
       AND connection_id IN (SELECT id FROM hub_connections WHERE hub_id = ?)`,
    personId,
    hubId,
  );
  sql.execute('DELETE FROM hub_members WHERE hub_id = ? AND person_id = ?', hubId, personId);
}

/**
 * Deletes the tokens and OAuth grants that a person has for a hub. They outlast a membership, so that their use is answered with
 * the reason, and must not work again with the next membership.
 */
export function deleteMemberCredentials(sql: Sql, hubId: string, personId: string): void {
  sql.execute('DELETE FROM hub_tokens WHERE hub_id = ? AND person_id = ?', hubId, personId);
  sql.execute(
    `DELETE FROM oauth_records WHERE grant_hash IN (
       SELECT grant_hash FROM oauth_records WHERE kind = 'Grant' AND person_id = ? AND hub_id = ?)`,
    personId,
    hubId,
  );
}

/**
 * Makes `toPersonId` an owner of the hubs whose only owner is `personId`, whose account is about to be removed; returns
 * their ids.
 */
export function transferSoleOwnedHubs(sql: Sql, personId: string, toPersonId: string, nowMs: number): string[] {
  const soleOwned = `SELECT m.hub_id FROM hub_members m WHERE m.person_id = ? AND m.role = 'owner' AND NOT EXISTS (
       SELECT 1 FROM hub_members o WHERE o.hub_id = m.hub_id AND o.role = 'owner' AND o.person_id <> m.person_id)`;
  const ids = hubIdReader.all(sql, soleOwned, personId).map(({ hub_id: id }) => id);
  for (const id of ids) upsertMember(sql, id, { personId: toPersonId, role: 'owner', nowMs });
  return ids;
}
