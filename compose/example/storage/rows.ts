/** Statements on a resource's table. Names come from the resource definitions, values are always parameters. */
import type { PageRequest } from '../http/paging.ts';
import { type Resource, toColumnName } from '../resources/resource.ts';
import type { Row, Session } from './database.ts';

/** Values by property, all of which must be equal. */
export type Filter = Readonly<Record<string, string>>;

function selectList(resource: Resource): string {
  return resource.properties.map((property) => `${toColumnName(property)} AS "${property}"`).join(', ');
}

/** One page of the rows that match, oldest first, and the count of all that match. */
export async function listRows(session: Session, resource: Resource, filter: Filter, { page, perPage }: PageRequest) {
  const values = Object.values(filter);
  const conditions = Object.keys(filter).map((property, index) => `${toColumnName(property)} = $${index + 1}`);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const counted = await session.query(
    `SELECT CAST(count(*) AS integer) AS "count" FROM ${resource.name} ${where}`,
    values,
  );
  const rows = await session.query(
    `SELECT ${selectList(resource)} FROM ${resource.name} ${where}
     ORDER BY created_at, id LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
    [...values, perPage, (page - 1) * perPage],
  );
  return { rows, count: Number(counted[0]?.count ?? 0) };
}

// This application never creates other ids, and PostgreSQL fails on some of them (a NUL).
const idShape = /^[a-z0-9-]{1,64}$/;

/** The row with this id, or undefined. */
export async function readRow(session: Session, resource: Resource, id: string): Promise<Row | undefined> {
  if (!idShape.test(id)) return undefined;
  const rows = await session.query(`SELECT ${selectList(resource)} FROM ${resource.name} WHERE id = $1`, [id]);
  return rows[0];
}

/** Whether `table` holds a row with this id. */
export async function rowExists(session: Session, table: string, id: string): Promise<boolean> {
  return idShape.test(id) && (await session.query(`SELECT id FROM ${table} WHERE id = $1`, [id])).length > 0;
}

/** `row` must have every property. Returns the stored row. */
export async function insertRow(session: Session, resource: Resource, row: Row): Promise<Row> {
  const columns = resource.properties.map(toColumnName).join(', ');
  const placeholders = resource.properties.map((_, index) => `$${index + 1}`).join(', ');
  const values = resource.properties.map((property) => row[property] ?? null);
  const stored = await session.query(
    `INSERT INTO ${resource.name} (${columns}) VALUES (${placeholders}) RETURNING ${selectList(resource)}`,
    values,
  );
  return stored[0] ?? row;
}
