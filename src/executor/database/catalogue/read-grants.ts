import { Type } from '@sinclair/typebox';
import { type CatalogueReader, readCatalogueRows } from './read-catalogue-rows.ts';
import { policiesHideRows } from './row-security.ts';

/** Permissions of the user, read at the start. */
export type DatabaseGrants = {
  /** Tables of the public schema that the user can write. */
  readonly writable: readonly string[];
  /** Tables of the public schema that the user cannot read. */
  readonly unreadable: readonly string[];
  /** Tables of the public schema of which row security hides rows from the user. */
  readonly hidden: readonly string[];
  /** Such as superuser, CREATEROLE, CREATEDB, BYPASSRLS or reading server files. */
  readonly tooPowerful: readonly string[];
};

const TableRow = Type.Tuple([Type.String(), Type.Boolean(), Type.Boolean(), Type.Boolean()]);
const PowerRow = Type.Tuple([Type.String()]);

/** Partitions are omitted: permissions belong to their parent table. */
const tablesSql = `
SELECT c.relname::text,
       c.relkind <> 'm' AND (pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
         OR pg_catalog.has_any_column_privilege(c.oid, 'INSERT, UPDATE')),
       pg_catalog.has_table_privilege(c.oid, 'SELECT'),
       pg_catalog.row_security_active(c.oid) AND ${policiesHideRows}
  FROM pg_catalog.pg_class c
 WHERE c.relnamespace = 'public'::pg_catalog.regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
   AND NOT c.relispartition
 ORDER BY c.relname`;

/**
 * Predefined roles that exceed reading an application's tables (PostgreSQL, section 22.5); a server knows only some of
 * them.
 */
const powerfulRoles = `'pg_read_all_data', 'pg_write_all_data', 'pg_read_all_settings', 'pg_read_all_stats',
  'pg_stat_scan_tables', 'pg_monitor', 'pg_database_owner', 'pg_signal_backend', 'pg_read_server_files',
  'pg_write_server_files', 'pg_execute_server_program', 'pg_checkpoint', 'pg_maintain', 'pg_create_subscription'`;

const powersSql = `
WITH me AS (SELECT * FROM pg_catalog.pg_roles WHERE rolname = current_user)
SELECT 'superuser' FROM me WHERE rolsuper
UNION ALL SELECT 'may create roles (CREATEROLE)' FROM me WHERE rolcreaterole
UNION ALL SELECT 'may create databases (CREATEDB)' FROM me WHERE rolcreatedb
UNION ALL SELECT 'bypasses row security (BYPASSRLS)' FROM me WHERE rolbypassrls
UNION ALL SELECT 'may replicate (REPLICATION)' FROM me WHERE rolreplication
UNION ALL SELECT 'may create tables in the schema public' FROM me
  WHERE NOT rolsuper AND pg_catalog.has_schema_privilege('public', 'CREATE')
UNION ALL (SELECT 'member of ' || r.rolname FROM pg_catalog.pg_roles r, me
  WHERE NOT me.rolsuper AND r.rolname IN (${powerfulRoles}) AND pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER')
  ORDER BY r.rolname)`;

/** Permissions of the user of this transaction. */
export async function readGrants(reader: CatalogueReader): Promise<DatabaseGrants> {
  const tables = await readCatalogueRows(reader, TableRow, tablesSql);
  const powers = await readCatalogueRows(reader, PowerRow, powersSql);
  return {
    writable: tables.filter(([, writable]) => writable).map(([name]) => name),
    unreadable: tables.filter(([, , readable]) => !readable).map(([name]) => name),
    hidden: tables.filter(([, , readable, hidden]) => readable && hidden).map(([name]) => name),
    tooPowerful: powers.map(([power]) => power),
  };
}
