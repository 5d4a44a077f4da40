/** Who belongs to which hub. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const Role = Type.Union([Type.Literal('owner'), Type.Literal('member'), Type.Literal('viewer')]);
const MembershipShape = Type.Object({
  hub_id: Type.String(),
  slug: Type.String(),
  person_id: Type.String(),
  person_name: Type.String(),
  role: Role,
});
/** A membership of one person, with the names of both sides. */
export type MembershipRow = Static<typeof MembershipShape>;
const MemberShape = Type.Object({
  person_id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: Role,
  added_at_ms: Type.Integer(),
});
/** A member of one hub. */
export type MemberRow = Static<typeof MemberShape>;

const memberships = rowReader(MembershipShape);
const members = rowReader(MemberShape);
const counts = rowReader(Type.Object({ count: Type.Integer() }));
const hubIds = rowReader(Type.Object({ hub_id: Type.String() }));

/** The memberships of a person as they are at this moment, by slug. */
export function membershipsOf(sql: Sql, personId: string): MembershipRow[] {
  const statement = sql.prepare(
    `SELECT m.hub_id, h.slug, m.person_id, p.name AS person_name, m.role FROM hub_members m
     JOIN hubs h ON h.id = m.hub_id JOIN people p ON p.id = m.person_id WHERE m.person_id = ? ORDER BY h.slug`,
  );
  return memberships.all(statement, personId);
}

const selectMember = `SELECT m.person_id, p.name, p.email, m.role, m.added_at_ms
  FROM hub_members m JOIN people p ON p.id = m.person_id`;

/** Everybody of a hub, by name. */
export function membersOfHub(sql: Sql, hubId: string): MemberRow[] {
  const statement = sql.prepare(`${selectMember} WHERE m.hub_id = ? ORDER BY p.name COLLATE NOCASE, p.id`);
  return members.all(statement, hubId);
}

/** One member. */
export function findMember(sql: Sql, hubId: string, personId: string): MemberRow | undefined {
  return members.one(sql.prepare(`${selectMember} WHERE m.hub_id = ? AND m.person_id = ?`), hubId, personId);
}

/** How many owners a hub has. */
export function countHubOwners(sql: Sql, hubId: string): number {
  const statement = sql.prepare("SELECT count(*) AS count FROM hub_members WHERE hub_id = ? AND role = 'owner'");
  return counts.one(statement, hubId)?.count ?? 0;
}

/** Adds somebody, or gives them another role. */
export function putMember(
  sql: Sql,
  hubId: string,
  member: { readonly personId: string; readonly role: MemberRow['role']; readonly nowMs: number },
): void {
  sql
    .prepare(
      `INSERT INTO hub_members (person_id, hub_id, role, added_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (person_id, hub_id) DO UPDATE SET role = excluded.role`,
    )
    .run(member.personId, hubId, member.role, member.nowMs);
}

/** Ends a membership, and what upstreams gave this person there; false when there was none. */
export function deleteMember(sql: Sql, hubId: string, personId: string): boolean {
  sql
    .prepare(
      `DELETE FROM hub_upstream_grants WHERE person_id = ?
       AND connection_id IN (SELECT id FROM hub_connections WHERE hub_id = ?)`,
    )
    .run(personId, hubId);
  return sql.prepare('DELETE FROM hub_members WHERE hub_id = ? AND person_id = ?').run(hubId, personId).changes === 1;
}

/** Makes somebody an owner of the hubs whose only owner is `personId`, whose account is about to end; their ids. */
export function handOverHubs(sql: Sql, personId: string, toPersonId: string, nowMs: number): string[] {
  const alone = sql.prepare(
    `SELECT m.hub_id FROM hub_members m WHERE m.person_id = ? AND m.role = 'owner' AND NOT EXISTS (
       SELECT 1 FROM hub_members o WHERE o.hub_id = m.hub_id AND o.role = 'owner' AND o.person_id <> m.person_id)`,
  );
  const ids = hubIds.all(alone, personId).map(({ hub_id: id }) => id);
  for (const id of ids) putMember(sql, id, { personId: toPersonId, role: 'owner', nowMs });
  return ids;
}
