/** `vp move`, `vp backup` and `vp restore` of a store in which every table of the schema has rows: none may be forgotten. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { backedUpStores } from '../../../src/store/store-files.ts';
import { skipWithoutPostgres as skip } from '../../postgres/programs.ts';
import { createTestDatabase, type TestDatabase } from '../../postgres/test-database.ts';
import { createWorkspace } from '../test-workspace.ts';
import { fillEmptyTables } from './fill-tables.ts';
import { dump, fillFolder, variables } from './filled-folder.ts';

/** Where stores in files stand beside each other: a transaction of a database changes all of its stores. */
const positions = ['audit.control_position', 'control.store_position'];
/** Ended, because a restore is no moment that anybody waited for: sessions, grants and links. */
const ended = ['invitations', 'oauth_records', 'password_links', 'sessions', 'setup_links'];
/** What counts: the last numbers that were given, and the runs that a restore cancels. */
const counting = ['control.meta', 'control.notification_position', 'control.run_total_steps'];
const changedByRestore = [...ended.map((table) => `control.${table}`), ...counting];

/** Rows of each table of the files of a folder, as `store.table`. */
function countFileRows(folder: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name: store } of backedUpStores) {
    const sqlite = new Sqlite(join(folder, `${store}.db`), { readonly: true });
    const list = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`;
    for (const table of sqlite.prepare<[], string>(list).pluck().all())
      counts.set(`${store}.${table}`, sqlite.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get() ?? 0);
    sqlite.close();
  }
  return counts;
}

async function countDatabaseRows({ query }: TestDatabase): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const tables = await query(
    `SELECT substr(schemaname, 4) AS store, tablename AS name FROM pg_tables WHERE schemaname IN ('vp_control', 'vp_audit', 'vp_memory')`,
  );
  for (const { store, name } of tables) {
    const [row] = await query(`SELECT count(*)::int AS rows FROM vp_${store}."${name}"`);
    counts.set(`${store}.${name}`, Number(row?.rows));
  }
  return counts;
}

async function start(t: Test) {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9');
  const folder = join(workspace.folder, 'data');
  await fillFolder(folder);
  t.ok(fillEmptyTables(folder).length > 20);
  const counts = countFileRows(folder);
  const empty = [...counts].filter(([, rows]) => rows === 0).map(([name]) => name);
  t.same(empty, ['audit.control_position'], 'every table has a row, but for one without a use yet');
  const vp = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await workspace.vp(args, { variables });
    t.equal(code, 0, `${args[0]}: ${stderr}`);
    return stdout;
  };
  return { workspace, folder, vp, counts, database: await createTestDatabase(t) };
}

/** The tables whose rows are not as many as in `expected`. */
function listDifferent(found: Map<string, number>, expected: Map<string, number>): string[] {
  const names = new Set([...found.keys(), ...expected.keys()]);
  return [...names].filter((name) => found.get(name) !== expected.get(name)).sort();
}

t.test('every table moves to PostgreSQL and back', { skip }, async (t) => {
  const { workspace, folder, vp, counts, database } = await start(t);
  const before = dump(folder);
  await vp('move', '--to', database.url, '--data', folder);
  t.same(listDifferent(await countDatabaseRows(database), counts), positions);
  const back = join(workspace.folder, 'back');
  await vp('move', '--from', database.url, '--data', back);
  t.same(listDifferent(countFileRows(back), counts), ['control.meta', ...positions].sort());
  t.equal(dump(back), before);
});

t.test('every table is in a backup, and is restored on both engines', { skip }, async (t) => {
  const { workspace, folder, vp, counts, database } = await start(t);
  await vp('move', '--to', database.url, '--data', folder);
  const backup = join(workspace.folder, 'monday.db');
  await vp('backup', backup, '--database', database.url);
  const [files, other] = [join(workspace.folder, 'files'), await createTestDatabase(t)];
  await vp('restore', backup, '--data', files);
  await vp('restore', backup, '--database', other.url, '--data', join(workspace.folder, 'keys'));
  t.same(listDifferent(countFileRows(files), counts), [...changedByRestore, 'audit.control_position'].sort());
  t.same(listDifferent(await countDatabaseRows(other), counts), [...changedByRestore, ...positions].sort());
});
