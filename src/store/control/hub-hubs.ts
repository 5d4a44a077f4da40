/** Hubs, and every slug that each ever had. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const HubShape = Type.Object({
  id: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  created_at_ms: Type.Integer(),
  created_by: Type.String(),
});
/** A row of `hubs`. */
export type HubRow = Static<typeof HubShape>;

const HubCountsShape = Type.Object({ ...HubShape.properties, members: Type.Integer(), connections: Type.Integer() });
/** A hub with how many belong to it. */
export type HubCountsRow = Static<typeof HubCountsShape>;

const counted = rowReader(HubCountsShape);
const slugs = rowReader(Type.Object({ slug: Type.String(), hub_id: Type.String() }));
const counts = rowReader(Type.Object({ count: Type.Integer() }));

/** A hub by its id. */
export function findHub(sql: Sql, id: string): HubCountsRow | undefined {
  const statement = sql.prepare(
    `SELECT id, slug, name, created_at_ms, created_by,
       (SELECT count(*) FROM hub_members m WHERE m.hub_id = h.id) AS members,
       (SELECT count(*) FROM hub_connections c WHERE c.hub_id = h.id) AS connections
     FROM hubs h WHERE id = ?`,
  );
  return counted.one(statement, id);
}

/** How many hubs there are. */
export function countHubs(sql: Sql): number {
  return counts.one(sql.prepare('SELECT count(*) AS count FROM hubs'))?.count ?? 0;
}

/** The hub that has or once had this slug. */
export function holderOfSlug(sql: Sql, slug: string): string | undefined {
  return slugs.one(sql.prepare('SELECT slug, hub_id FROM hub_slugs WHERE slug = ?'), slug)?.hub_id;
}

/** Keeps a hub, and its slug for it. */
export function insertHub(sql: Sql, row: HubRow): void {
  sql
    .prepare('INSERT INTO hubs (id, slug, name, created_at_ms, created_by) VALUES (?, ?, ?, ?, ?)')
    .run(row.id, row.slug, row.name, row.created_at_ms, row.created_by);
  keepSlug(sql, row.slug, row.id);
}

/** Gives a hub another slug and name; the slug before stays its own. */
export function renameHub(sql: Sql, id: string, { slug, name }: Pick<HubRow, 'slug' | 'name'>): void {
  sql.prepare('UPDATE hubs SET slug = ?, name = ? WHERE id = ?').run(slug, name, id);
  keepSlug(sql, slug, id);
}

function keepSlug(sql: Sql, slug: string, id: string): void {
  sql.prepare('INSERT INTO hub_slugs (slug, hub_id) VALUES (?, ?) ON CONFLICT (slug) DO NOTHING').run(slug, id);
}

/** Removes a hub with everything in it; its slugs are free then. */
export function deleteHub(sql: Sql, id: string): void {
  sql.prepare('DELETE FROM hubs WHERE id = ?').run(id);
}
