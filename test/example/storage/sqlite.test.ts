import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { DatabaseUnavailable, toRow } from '../../../compose/example/storage/database.ts';
import { openSqlite } from '../../../compose/example/storage/sqlite.ts';

t.test('parameters are matched by their number', async (t) => {
  const database = openSqlite(':memory:');
  t.same(await database.query('SELECT $2 AS "b", $1 AS "a", $1 AS "again"', ['x', 7]), [{ b: 7, a: 'x', again: 'x' }]);
  await database.close();
});

t.test('a transaction is committed when its work resolves and rolled back when it rejects', async (t) => {
  const database = openSqlite(':memory:');
  await database.query('CREATE TABLE word (text text PRIMARY KEY)');
  await database.transaction((session) => session.query('INSERT INTO word VALUES ($1)', ['kept']));
  await t.rejects(
    database.transaction(async (session) => {
      await session.query('INSERT INTO word VALUES ($1)', ['undone']);
      throw new Error('changed my mind');
    }),
    { message: 'changed my mind' },
  );
  t.same(await database.query('SELECT text FROM word'), [{ text: 'kept' }]);
  await database.close();
});

t.test('queries during a transaction wait until it has ended', async (t) => {
  const database = openSqlite(':memory:');
  await database.query('CREATE TABLE word (text text)');
  const undone = database.transaction(async (session) => {
    await session.query('INSERT INTO word VALUES ($1)', ['inside']);
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error('undone');
  });
  const outside = database.query('INSERT INTO word VALUES ($1)', ['outside']);
  const second = database.transaction((session) => session.query('INSERT INTO word VALUES ($1)', ['second']));
  await t.rejects(undone);
  await Promise.all([outside, second]);
  t.same(await database.query('SELECT text FROM word'), [{ text: 'outside' }, { text: 'second' }]);
  await database.close();
});

t.test(
  'a missing, corrupt or closed database is unavailable; invalid SQL and constraint violations are other errors',
  async (t) => {
    const folder = t.testdir();
    t.throws(() => openSqlite(join(folder, 'none', 'example.db')), DatabaseUnavailable);
    const broken = join(folder, 'broken.db');
    writeFileSync(broken, 'this is no database, but long enough to be taken for one '.repeat(100));
    const onBroken = openSqlite(broken);
    await t.rejects(onBroken.query('SELECT * FROM word'), DatabaseUnavailable);
    await onBroken.close();
    const database = openSqlite(':memory:');
    await database.query('CREATE TABLE word (text text PRIMARY KEY)');
    await database.query("INSERT INTO word VALUES ('a')");
    for (const mistake of ['SELEC 1', 'SELECT * FROM nothing', "INSERT INTO word VALUES ('a')"]) {
      const error = await database.query(mistake).catch((error: unknown) => error);
      t.ok(error instanceof Error && !(error instanceof DatabaseUnavailable), mistake);
    }
    await database.close();
    await t.rejects(database.query('SELECT 1'), DatabaseUnavailable);
  },
);

t.test('a row contains only text, numbers, null and times', async (t) => {
  const timestamp = new Date('2026-11-20T09:30:31.123Z');
  t.same(toRow({ a: 'x', b: 1, c: null, at: timestamp }), { a: 'x', b: 1, c: null, at: '2026-11-20T09:30:31.123Z' });
  for (const value of [1n, undefined, true, Buffer.from('a')]) t.throws(() => toRow({ value }), TypeError);
});
