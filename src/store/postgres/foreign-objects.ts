/**
 * What vp did not create on the tables of the audit and of the notes of its ends: it can change, hide, copy or add rows while every
 * entry is as it was. vp has no triggers, rules, policies, views or functions there. Bodies of functions in other schemas, constraints
 * and indexes are not looked at.
 */
import type { ClientBase } from 'pg';
import { auditStoreKind } from '../audit/audit-schema.ts';
import type { SchemaDifference } from '../database.ts';

/** The tables of the control plane that know what the audit must contain. */
const tablesOfEnds = ['audit_anchors', 'audit_losses'];

const auditTables = auditStoreKind.migrations.flatMap((step) =>
  [...step.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name),
);

/** `$1` are the tables of the audit, `$2` those of its ends. Whatever comes first in the search path cannot stand for a catalog with its schema. */
const listText = `
WITH watched AS (
  SELECT c.oid, c.relname AS name, c.relkind, n.nspname AS schema, c.relrowsecurity, c.relpersistence
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE (n.nspname = 'vp_audit' AND c.relkind IN ('r', 'p', 'v', 'm', 'f'))
    OR (n.nspname = 'vp_control' AND c.relname = ANY($2))
), found AS (
  SELECT 'trigger' AS type, t.tgname AS name, w.name AS table_name FROM pg_catalog.pg_trigger t JOIN watched w ON w.oid = t.tgrelid
    WHERE NOT t.tgisinternal
  UNION ALL SELECT 'rule', r.rulename, w.name FROM pg_catalog.pg_rewrite r JOIN watched w ON w.oid = r.ev_class
    WHERE r.rulename <> '_RETURN'
  UNION ALL SELECT 'policy', p.polname, w.name FROM pg_catalog.pg_policy p JOIN watched w ON w.oid = p.polrelid
  UNION ALL SELECT 'row security', w.name, w.name FROM watched w WHERE w.relrowsecurity
  UNION ALL SELECT CASE w.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table'
      WHEN 'p' THEN 'partitioned table' ELSE 'table' END, w.name, w.name
    FROM watched w WHERE w.relkind <> 'r' OR w.relpersistence <> 'p' OR (w.schema = 'vp_audit' AND NOT w.name = ANY($1))
  UNION ALL SELECT 'inheriting table', i.inhrelid::pg_catalog.regclass::text, w.name
    FROM pg_catalog.pg_inherits i JOIN watched w ON w.oid = i.inhparent
  UNION ALL SELECT 'function', f.proname, f.proname
    FROM pg_catalog.pg_proc f JOIN pg_catalog.pg_namespace n ON n.oid = f.pronamespace WHERE n.nspname = 'vp_audit'
)
SELECT type, name::text AS name, table_name::text AS "table" FROM found ORDER BY type, name LIMIT 20`;

/** At most the first 20. */
export async function listForeignObjects(client: Pick<ClientBase, 'query'>): Promise<SchemaDifference[]> {
  const { rows } = await client.query<Omit<SchemaDifference, 'kind'>>(listText, [auditTables, tablesOfEnds]);
  return rows.map((row) => ({ kind: 'foreign', ...row }));
}
