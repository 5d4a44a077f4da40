import { Type } from '@sinclair/typebox';
import type { AgentTable } from '../../../agents/ports.ts';
import { type CatalogueReader, readCatalogueRows } from './read-catalogue-rows.ts';

const Names = Type.Array(Type.String());
const Column = Type.Object({ name: Type.String(), type: Type.String(), nullable: Type.Boolean() });
const Reference = Type.Object({ columns: Names, table: Type.String() });
const TableRow = Type.Tuple([
  Type.String(),
  Type.Boolean(),
  Type.Boolean(),
  Type.Union([Type.Number(), Type.Null()]),
  Type.Array(Column),
  Names,
  Type.Array(Reference),
]);

const columnNames = (keys: string, table: string): string => `(
  SELECT json_agg(a.attname ORDER BY k.position) FROM unnest(${keys}) WITH ORDINALITY AS k(number, position)
    JOIN pg_catalog.pg_attribute a ON a.attrelid = ${table} AND a.attnum = k.number)`;

/**
 * Partitions are omitted: they are read through their parent table. A table that was never analysed has no row
 * estimate.
 */
const sql = `
SELECT c.relname::text, c.relkind IN ('v', 'm'), pg_catalog.has_table_privilege(c.oid, 'SELECT'),
  CASE WHEN c.relkind IN ('r', 'm') AND (c.reltuples > 0 OR c.reltuples = 0 AND c.relpages > 0)
       THEN c.reltuples::int8 END,
  coalesce((SELECT json_agg(json_build_object('name', a.attname, 'nullable', NOT a.attnotnull,
      'type', pg_catalog.format_type(a.atttypid, a.atttypmod)) ORDER BY a.attnum)
    FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), '[]'),
  coalesce((SELECT ${columnNames('p.conkey', 'p.conrelid')}
    FROM pg_catalog.pg_constraint p WHERE p.conrelid = c.oid AND p.contype = 'p'), '[]'),
  coalesce((SELECT json_agg(json_build_object('columns', ${columnNames('f.conkey', 'f.conrelid')},
      'table', t.relname) ORDER BY f.conname)
    FROM pg_catalog.pg_constraint f JOIN pg_catalog.pg_class t ON t.oid = f.confrelid
    WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.conparentid = 0), '[]')
  FROM pg_catalog.pg_class c
 WHERE c.relnamespace = 'public'::pg_catalog.regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
   AND NOT c.relispartition
 ORDER BY c.relname`;

/** Tables and views of the schema public, by name. */
export async function readTables(reader: CatalogueReader): Promise<AgentTable[]> {
  const rows = await readCatalogueRows(reader, TableRow, sql);
  return rows.map(([name, isView, readable, approximateRows, columns, primaryKey, references]) => ({
    name,
    kind: isView ? 'view' : 'table',
    readable,
    columns,
    primaryKey,
    references,
    approximateRows: approximateRows ?? undefined,
  }));
}
