import { join } from 'node:path';
import { mock } from 'node:test';
import { Type } from '@sinclair/typebox';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { VpError } from '../../../src/errors/vp-error.ts';
import type { Database } from '../../../src/store/database.ts';
import { openDatabase } from '../../../src/store/engine.ts';
import { createRowReader } from '../../../src/store/row-reader.ts';
import type { Sql } from '../../../src/store/sql.ts';
import { openSqliteAuditDatabase } from '../../../src/store/sqlite/audit-database.ts';
import { GroupCommit } from '../../../src/store/sqlite/group-commit.ts';
import { createStatementCache } from '../../../src/store/sqlite/statement-cache.ts';

const kind = { applicationId: 7, migrations: ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE) STRICT'] };

function openTestDatabase(t: Test): Database {
  const database = openDatabase({ file: join(t.testdir(), 'notes.db'), createKind: kind });
  t.teardown(() => database.close());
  return database;
}

const insertNote =
  (text: string) =>
  (sql: Sql): string => {
    sql.run('INSERT INTO notes (text) VALUES (?)', text);
    return text;
  };
const textReader = createRowReader(Type.Object({ text: Type.String() }));
const listTexts = (sql: Sql): string[] =>
  textReader.all(sql, 'SELECT text FROM notes ORDER BY id').map(({ text }) => text);

t.test('operations of one tick share one commit', async (t) => {
  const database = openTestDatabase(t);
  let commits = 0;
  database.onCommit(() => {
    commits += 1;
  });
  t.same(await Promise.all(['a', 'b', 'c'].map((text) => database.write(insertNote(text)))), ['a', 'b', 'c']);
  t.equal(commits, 1);
  t.same(await database.read(listTexts), ['a', 'b', 'c']);
});

t.test('an operation that throws undoes only itself', async (t) => {
  const database = openTestDatabase(t);
  const failing = database.write((sql) => {
    insertNote('half')(sql);
    throw new Error('no');
  });
  const others = Promise.all([database.write(insertNote('a')), database.write(insertNote('b'))]);
  await t.rejects(failing, { message: 'no' });
  await others;
  t.same(await database.read(listTexts), ['a', 'b']);
});

t.test('an operation that fails alone is undone, and the next one is committed', async (t) => {
  const database = openTestDatabase(t);
  const fail = (sql: Sql) => {
    insertNote('half')(sql);
    throw new Error('no');
  };
  await t.rejects(database.write(fail), { message: 'no' });
  await database.write(insertNote('a'));
  await t.rejects(
    database.write((sql) => ['half', 'a'].map((text) => insertNote(text)(sql))),
    { code: 'INTERNAL' },
  );
  await database.write(insertNote('b'));
  t.same(await database.read(listTexts), ['a', 'b']);
});

t.test('a failed constraint undoes only its own operation', async (t) => {
  const database = openTestDatabase(t);
  const results = await Promise.allSettled(
    [insertNote('a'), insertNote('a'), insertNote('b')].map((operation) => database.write(operation)),
  );
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.same(await database.read(listTexts), ['a', 'b']);
});

t.test('pending operations are committed at close, later ones are refused with STORE_CLOSED', async (t) => {
  const folder = t.testdir();
  const database = openDatabase({ file: join(folder, 'notes.db'), createKind: kind });
  const pendingWrite = database.write(insertNote('last'));
  await database.close();
  t.equal(await pendingWrite, 'last');
  await t.rejects(database.write(insertNote('late')), { code: 'STORE_CLOSED' });
  await t.rejects(database.read(listTexts), { code: 'STORE_CLOSED' });
  const reopened = openDatabase({ file: join(folder, 'notes.db'), createKind: kind });
  t.same(await reopened.read(listTexts), ['last']);
  await reopened.close();
});

t.test(
  'a full disk refuses the whole group with STORE_DISK_FULL, and the store continues when there is space',
  async (t) => {
    const database = openTestDatabase(t);
    await database.write(insertNote('before'));
    await database.read((sql) => sql.get('PRAGMA max_page_count = 4'));
    const longText = 'x'.repeat(20_000);
    const [small, large] = await Promise.allSettled([
      database.write(insertNote('small')),
      database.write(insertNote(longText)),
    ]);
    for (const outcome of [small, large]) {
      if (outcome.status !== 'rejected') return t.fail('nothing of the group may be kept');
      t.ok(outcome.reason instanceof VpError && outcome.reason.code === 'STORE_DISK_FULL');
    }
    await database.read((sql) => sql.get('PRAGMA max_page_count = 1000'));
    await database.write(insertNote('after'));
    t.same(await database.read(listTexts), ['before', 'after']);
  },
);

t.test('no commit of an audit waits for a timer, whatever came before', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const database = openSqliteAuditDatabase(join(t.testdir(), 'audit.db'), 10_000_000);
  t.teardown(() => database.close());
  await database.write((sql) => sql.run('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)'));
  let written = 0;
  let expected = 0;
  for (const size of [1, 8, 2, 1, 1, 8]) {
    for (let count = 0; count < size; count += 1)
      void database.write(insertNote(`note ${count}`)).then(() => {
        written += 1;
      });
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expected += size;
    t.equal(written, expected, 'committed in the next turn');
  }
});

t.test('commits wait while they are held, and a close commits what waits', async (t) => {
  const file = join(t.testdir(), 'notes.db');
  const sqlite = new Sqlite(file);
  t.teardown(() => sqlite.close());
  sqlite.exec(kind.migrations[0] ?? '');
  const sql = createStatementCache(sqlite);
  const group = new GroupCommit(sqlite, sql, file);
  const release = group.hold(60_000);
  const first = group.write(insertNote('a'));
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
  t.same(listTexts(sql), []);
  release();
  await first;
  t.same(listTexts(sql), ['a']);
  const releaseAgain = group.hold(60_000);
  const second = group.write(insertNote('b'));
  group.close();
  await second;
  t.same(listTexts(sql), ['a', 'b']);
  releaseAgain();
});
