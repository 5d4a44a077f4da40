import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { controlStoreKind } from '../../../src/store/control/schema/control-schema.ts';
import type { StoreKind } from '../../../src/store/database.ts';
import { openDatabase } from '../../../src/store/engine.ts';
import { createNewestSchema } from '../../../src/store/sqlite/generate-newest-schema.ts';
import { nativeAddonOptions } from '../../../src/store/sqlite/native-addon.ts';
import { listNewStoreStatements } from '../../../src/store/sqlite/newest-schema.ts';
import { listSqliteSchemaDifferences } from '../../../src/store/sqlite/schema-differences.ts';

/** Everything in a new store of this kind. */
async function readNewStore(t: Test, folder: string, name: string, createKind: StoreKind) {
  const file = join(folder, `${name}.db`);
  await openDatabase({ file, createKind }).close();
  const sqlite = new Sqlite(file, nativeAddonOptions());
  t.teardown(() => sqlite.close());
  const entries = sqlite
    .prepare<[], { type: string; name: string }>('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name')
    .all();
  const tables = entries.filter(({ type }) => type === 'table');
  const rows = tables.map((table) => [table.name, sqlite.prepare(`SELECT * FROM "${table.name}"`).raw().all()]);
  const pragmas = ['application_id', 'user_version', 'auto_vacuum', 'journal_mode'].map((name) => sqlite.pragma(name));
  const isWhole = sqlite.pragma('integrity_check', { simple: true });
  return { file, content: { entries, rows, pragmas, isWhole } };
}

t.test('a new control store has the schema and the rows to which its steps lead', async (t) => {
  const folder = t.testdir();
  t.equal(listNewStoreStatements(controlStoreKind), controlStoreKind.newestSchema?.statements, 'not by the steps');
  const { file, content } = await readNewStore(t, folder, 'newest', controlStoreKind);
  const byEachStep = await readNewStore(t, folder, 'steps', { ...controlStoreKind, newestSchema: undefined });
  t.same(content, byEachStep.content);
  t.ok(content.entries.length > 100);
  t.ok(content.rows.some(([, rows]) => rows && rows.length > 0));
  t.same(listSqliteSchemaDifferences(file, controlStoreKind), []);
});

const steps = [
  `CREATE TABLE things (name TEXT, weight REAL, content BLOB, note TEXT) STRICT;
   CREATE TABLE counts (n INTEGER) STRICT;
   INSERT INTO counts VALUES (0);
   CREATE TRIGGER things_counted AFTER INSERT ON things BEGIN UPDATE counts SET n = n + 1; END;
   INSERT INTO things VALUES ('it''s', 0.1, x'00ff', NULL), ('two; -- lines', 2, x'', 'a' || char(10) || 'b')`,
  'ALTER TABLE things ADD COLUMN kind TEXT; CREATE VIEW light AS SELECT * FROM things WHERE weight < 1',
];

t.test('rows that steps insert are there once, and triggers do not act on them again', async (t) => {
  const folder = t.testdir();
  const migrations = { applicationId: 7, migrations: steps };
  const byEachStep = await readNewStore(t, folder, 'steps', migrations);
  const newest = await readNewStore(t, folder, 'newest', { ...migrations, newestSchema: createNewestSchema(steps) });
  t.same(newest.content, byEachStep.content);
  t.match(newest.content.rows, [['counts', [[2]]], { 1: { length: 2 } }]);
});

t.test('a schema that was generated from other steps is not used', async (t) => {
  const folder = t.testdir();
  const kind = { applicationId: 7, migrations: steps, newestSchema: createNewestSchema(steps.slice(0, 1)) };
  t.equal(listNewStoreStatements(kind), steps);
  t.match((await readNewStore(t, folder, 'other', kind)).content.entries, [{}, { name: 'light' }]);
});

t.test('a virtual table has tables of its own, and is refused', async (t) => {
  t.throws(() => createNewestSchema(['CREATE VIRTUAL TABLE words USING fts5(word)']), /virtual/);
});
