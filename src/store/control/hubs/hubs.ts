/** Hubs, and every slug that each has ever had. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const HubShape = Type.Object({
  id: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  created_at_ms: Type.Integer(),
  created_by: Type.String(),
  tool_list: Type.Union([Type.Literal('all'), Type.Literal('search')]),
});
export type HubRow = Static<typeof HubShape>;

const HubWithCountsShape = Type.Object({
  ...HubShape.properties,
  members: Type.Integer(),
  connections: Type.Integer(),
});
/** A hub with the number of its members and connections. */
export type HubWithCountsRow = Static<typeof HubWithCountsShape>;

const hubReader = createRowReader(HubWithCountsShape);
const slugReader = createRowReader(Type.Object({ slug: Type.String(), hub_id: Type.String() }));

export function findHub(sql: Sql, id: string): HubWithCountsRow | undefined {
  const statement = `SELECT id, slug, name, created_at_ms, created_by, tool_list,
       (SELECT count(*) FROM hub_members m WHERE m.hub_id = h.id) AS members,
       (SELECT count(*) FROM hub_connections c WHERE c.hub_id = h.id) AS connections
     FROM hubs h WHERE id = ?`;
  return hubReader.first(sql, statement, id);
}

/** The hub that has, or once had, this slug. */
export function findHubIdBySlug(sql: Sql, slug: string): string | undefined {
  return slugReader.first(sql, 'SELECT slug, hub_id FROM hub_slugs WHERE slug = ?', slug)?.hub_id;
}

/** Also reserves the hub's slug. */
export function insertHub(sql: Sql, row: Omit<HubRow, 'tool_list'>): void {
  sql.execute(
    'INSERT INTO hubs (id, slug, name, created_at_ms, created_by) VALUES (?, ?, ?, ?, ?)',
    row.id,
    row.slug,
    row.name,
    row.created_at_ms,
    row.created_by,
  );
  insertSlug(sql, row.slug, row.id);
}

/** The previous slug stays reserved for the hub. */
export function renameHub(sql: Sql, id: string, { slug, name }: Pick<HubRow, 'slug' | 'name'>): void {
  sql.execute('UPDATE hubs SET slug = ?, name = ? WHERE id = ?', slug, name, id);
  insertSlug(sql, slug, id);
}

export function setHubToolList(sql: Sql, id: string, toolList: HubRow['tool_list']): void {
  sql.execute('UPDATE hubs SET tool_list = ? WHERE id = ?', toolList, id);
}

function insertSlug(sql: Sql, slug: string, id: string): void {
  sql.execute('INSERT INTO hub_slugs (slug, hub_id) VALUES (?, ?) ON CONFLICT (slug) DO NOTHING', slug, id);
}

/** Deletes a hub with everything in it, and frees its slugs. */
export function deleteHub(sql: Sql, id: string): void {
  sql.execute('DELETE FROM hubs WHERE id = ?', id);
}
