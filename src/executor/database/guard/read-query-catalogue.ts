import { type Static, Type } from '@sinclair/typebox';
import { type CatalogueReader, formatArrayLiteral, readCatalogueRows } from '../catalogue/read-catalogue-rows.ts';
import { policiesHideRows } from '../catalogue/row-security.ts';
import type { QueryCatalogue } from './guard-query.ts';
import { extractNames } from './guard-query.ts';

const FactRow = Type.Tuple([
  Type.Union([
    Type.Literal('schema'),
    Type.Literal('function'),
    Type.Literal('row_function'),
    Type.Literal('hidden_rows'),
  ]),
  Type.String(),
]);

/**
 * Functions of extensions are ignored: a name that guard-query.ts allows is harmless in them too (citext has a `max`). Which
 * tables a view reads is not looked up: with a view, every table that hides rows counts.
 */
const sql = `
SELECT 'schema' AS kind, n.nspname::text AS name
  FROM pg_catalog.pg_namespace n WHERE n.nspname = ANY ($1::text[]) AND n.nspname <> 'public'
UNION
SELECT CASE WHEN p.pronargs >= 1 AND p.pronargs - p.pronargdefaults <= 1 AND a.typtype IN ('c', 'p')
            THEN 'row_function' ELSE 'function' END, p.proname::text
  FROM pg_catalog.pg_proc p
  JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace AND n.nspname = 'public'
  LEFT JOIN pg_catalog.pg_type a ON a.oid = p.proargtypes[0]
 WHERE p.proname = ANY ($1::text[])
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
     WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')
UNION
SELECT 'hidden_rows', c.relname::text
  FROM pg_catalog.pg_class c
 WHERE ${policiesHideRows}
   AND (c.relnamespace = 'public'::pg_catalog.regnamespace AND c.relname = ANY ($1::text[])
     OR EXISTS (SELECT FROM pg_catalog.pg_class v WHERE v.relnamespace = 'public'::pg_catalog.regnamespace
       AND v.relkind = 'v' AND v.relname = ANY ($1::text[])))`;

/** Reads what the names of `query` mean in the database. */
export async function readQueryCatalogue(reader: CatalogueReader, query: string): Promise<QueryCatalogue> {
  const rows = await readCatalogueRows(reader, FactRow, sql, [formatArrayLiteral(extractNames(query))]);
  const listNames = (...kinds: readonly Static<typeof FactRow>[0][]): Set<string> =>
    new Set(rows.flatMap(([kind, name]) => (kinds.includes(kind) ? [name] : [])));
  return {
    schemas: listNames('schema'),
    functions: listNames('function', 'row_function'),
    rowFunctions: listNames('row_function'),
    tablesWithHiddenRows: listNames('hidden_rows'),
  };
}
