import { type Static, Type } from '@sinclair/typebox';
import { arrayLiteral, type CatalogueReader, catalogueRows } from './catalogue.ts';
import type { GuardFacts } from './guard.ts';
import { namesOf } from './guard.ts';

const FactRow = Type.Tuple([
  Type.Union([Type.Literal('schema'), Type.Literal('function'), Type.Literal('row_function')]),
  Type.String(),
]);

/** Functions of extensions do not count: what guard.ts lets through by name is harmless in them too (citext has a `max`). */
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
     WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')`;

/** What the database has under the names of `query`. */
export async function guardFacts(read: CatalogueReader, query: string): Promise<GuardFacts> {
  const rows = await catalogueRows(read, FactRow, sql, [arrayLiteral(namesOf(query))]);
  const namesOfKind = (...kinds: readonly Static<typeof FactRow>[0][]): Set<string> =>
    new Set(rows.flatMap(([kind, name]) => (kinds.includes(kind) ? [name] : [])));
  return {
    schemas: namesOfKind('schema'),
    functions: namesOfKind('function', 'row_function'),
    rowFunctions: namesOfKind('row_function'),
  };
}
