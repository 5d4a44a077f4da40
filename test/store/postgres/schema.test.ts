/** Both engines have the same tables, columns and unique rules. */
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import t from 'tap';
import { migrateStore } from '../../../src/store/postgres/migrate.ts';
import { postgresStoreKinds } from '../../../src/store/postgres/stores.ts';
import { nativeAddonOptions } from '../../../src/store/sqlite/native-addon.ts';
import { skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';

type Column = { readonly table: string; readonly name: string; readonly isRequired: boolean };

/** Columns that one engine alone has: the words of a memory, and the numbers of commits of a file. */
const ownColumns = ['memories.found_by'];
/** `runs_one_in_progress` is a trigger on PostgreSQL (test/store/postgres/held-horizon.test.ts). */
const ownRule = 'runs instance_id where';
const ownTables = /^(sqlite_|memories_text|store_position|control_position)/;

function describe(columns: readonly Column[]): string[] {
  return columns
    .filter(({ table, name }) => !ownTables.test(table) && !ownColumns.includes(`${table}.${name}`))
    .map(({ table, name, isRequired }) => `${table}.${name}${isRequired ? ' required' : ''}`)
    .sort();
}

function readSqliteColumns(migrations: readonly string[]): string[] {
  const sqlite = new Sqlite(':memory:', nativeAddonOptions());
  for (const migration of migrations) sqlite.exec(migration);
  const text = `SELECT t.name AS "table", c.name, c."notnull" OR c.pk > 0 AS required
    FROM pragma_table_list t JOIN pragma_table_info(t.name) c WHERE t.schema = 'main'`;
  const rows = sqlite.prepare<[], { table: string; name: string; required: number }>(text).all();
  return describe(rows.map(({ table, name, required }) => ({ table, name, isRequired: required === 1 })));
}

async function readPostgresColumns(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ table_name: string; column_name: string; is_nullable: string }>(
    'SELECT table_name, column_name, is_nullable FROM information_schema.columns WHERE table_schema = $1',
    [schema],
  );
  return describe(
    rows.map((row) => ({ table: row.table_name, name: row.column_name, isRequired: row.is_nullable === 'NO' })),
  );
}

/** Rules for single rows of a table, by their columns. */
function readSqliteUniques(migrations: readonly string[]): string[] {
  const sqlite = new Sqlite(':memory:', nativeAddonOptions());
  for (const migration of migrations) sqlite.exec(migration);
  const text = `SELECT t.name || ' ' || (SELECT group_concat(coalesce(name, '()'), ',') FROM
      (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno)) || CASE i.partial WHEN 1 THEN ' where' ELSE '' END AS rule
    FROM pragma_table_list t JOIN pragma_index_list(t.name) i WHERE t.schema = 'main' AND i."unique" = 1 AND i.origin <> 'pk'`;
  const rows = sqlite.prepare<[], { rule: string }>(text).all();
  return rows
    .map(({ rule }) => rule)
    .filter((rule) => !ownTables.test(rule))
    .sort();
}

async function readPostgresUniques(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ rule: string }>(
    `SELECT c.relname || ' ' || string_agg(coalesce(a.attname, '()'), ',' ORDER BY k.position) ||
        CASE WHEN i.indpred IS NULL THEN '' ELSE ' where' END AS rule
      FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
        CROSS JOIN unnest(i.indkey::int[]) WITH ORDINALITY AS k (number, position)
        LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number AND k.number > 0
      WHERE c.relnamespace = $1::regnamespace AND i.indisunique AND NOT i.indisprimary
      GROUP BY c.relname, i.indexrelid, i.indpred`,
    [schema],
  );
  return rows.map(({ rule }) => rule).sort();
}

for (const kind of postgresStoreKinds)
  t.test(`the store ${kind.name} is the same on both engines`, { skip: skipWithoutPostgres }, async (t) => {
    const database = await createTestDatabase(t);
    const client = new pg.Client(database.url);
    await client.connect();
    t.teardown(() => client.end());
    await migrateStore(client, kind, 'test');
    await migrateStore(client, kind, 'test');
    t.same(await readPostgresColumns(client, `vp_${kind.name}`), readSqliteColumns(kind.migrations));
    t.same(
      await readPostgresUniques(client, `vp_${kind.name}`),
      readSqliteUniques(kind.migrations).filter((rule) => rule !== ownRule),
    );
  });

t.test(
  'stores of two programs are told apart, and a newer one is refused',
  { skip: skipWithoutPostgres },
  async (t) => {
    const database = await createTestDatabase(t);
    const client = new pg.Client(database.url);
    await client.connect();
    t.teardown(() => client.end());
    const [kind] = postgresStoreKinds;
    if (!kind) throw new TypeError('no store');
    await migrateStore(client, kind, 'test');
    await client.query("UPDATE vp.stores SET version = 1000 WHERE name = 'control'");
    await t.rejects(migrateStore(client, kind, 'test'), { code: 'STORE_NEWER' });
    await client.query("UPDATE vp.stores SET application_id = 1 WHERE name = 'control'");
    await t.rejects(migrateStore(client, kind, 'test'), { code: 'STORE_FOREIGN' });
  },
);

t.test('many replicas that start at once migrate once', { skip: skipWithoutPostgres }, async (t) => {
  const database = await createTestDatabase(t);
  const clients = Array.from({ length: 4 }, () => new pg.Client(database.url));
  t.teardown(() => Promise.all(clients.map((client) => client.end())));
  await Promise.all(
    clients.map(async (client) => {
      await client.connect();
      for (const kind of postgresStoreKinds) await migrateStore(client, kind, 'test');
    }),
  );
  t.match(await database.query('SELECT name FROM vp.stores ORDER BY name'), [
    { name: 'audit' },
    { name: 'control' },
    { name: 'memory' },
    { name: 'shared' },
  ]);
});
