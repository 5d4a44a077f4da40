import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { VpError } from '../../src/errors/vp-error.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { GroupCommit } from '../../src/store/group-commit.ts';
import { cachedStatements, type Sql } from '../../src/store/sql.ts';

const kind = { applicationId: 7, migrations: ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE) STRICT'] };

function open(t: Test): Database {
  const database = openDatabase({ file: join(t.testdir(), 'notes.db'), kind });
  t.teardown(() => database.close());
  return database;
}

const add =
  (text: string) =>
  (sql: Sql): string => {
    sql.prepare('INSERT INTO notes (text) VALUES (?)').run(text);
    return text;
  };
const texts = (sql: Sql): unknown[] => sql.prepare('SELECT text FROM notes ORDER BY id').pluck().all();

t.test('operations of one tick share one commit', async (t) => {
  const database = open(t);
  let commits = 0;
  database.onCommit(() => {
    commits += 1;
  });
  t.same(await Promise.all(['a', 'b', 'c'].map((text) => database.write(add(text)))), ['a', 'b', 'c']);
  t.equal(commits, 1);
  t.same(await database.read(texts), ['a', 'b', 'c']);
});

t.test('an operation that throws undoes only itself', async (t) => {
  const database = open(t);
  const failing = database.write((sql) => {
    add('half')(sql);
    throw new Error('no');
  });
  const others = Promise.all([database.write(add('a')), database.write(add('b'))]);
  await t.rejects(failing, { message: 'no' });
  await others;
  t.same(await database.read(texts), ['a', 'b']);
});

t.test('a broken constraint undoes only its own operation', async (t) => {
  const database = open(t);
  const results = await Promise.allSettled(
    [add('a'), add('a'), add('b')].map((operation) => database.write(operation)),
  );
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.same(await database.read(texts), ['a', 'b']);
});

t.test('what waits at the close is committed, what comes later is refused with STORE_CLOSED', async (t) => {
  const folder = t.testdir();
  const database = openDatabase({ file: join(folder, 'notes.db'), kind });
  const waiting = database.write(add('last'));
  await database.close();
  t.equal(await waiting, 'last');
  await t.rejects(database.write(add('late')), { code: 'STORE_CLOSED' });
  await t.rejects(database.read(texts), { code: 'STORE_CLOSED' });
  const again = openDatabase({ file: join(folder, 'notes.db'), kind });
  t.same(await again.read(texts), ['last']);
  await again.close();
});

t.test(
  'a full disk refuses the whole group with STORE_DISK_FULL, and the store goes on when there is room',
  async (t) => {
    const database = open(t);
    await database.write(add('before'));
    await database.read((sql) => sql.prepare('PRAGMA max_page_count = 4').get());
    const big = 'x'.repeat(20_000);
    const [small, large] = await Promise.allSettled([database.write(add('small')), database.write(add(big))]);
    for (const outcome of [small, large]) {
      if (outcome.status !== 'rejected') return t.fail('nothing of the group may be kept');
      t.ok(outcome.reason instanceof VpError && outcome.reason.code === 'STORE_DISK_FULL');
    }
    await database.read((sql) => sql.prepare('PRAGMA max_page_count = 1000').get());
    await database.write(add('after'));
    t.same(await database.read(texts), ['before', 'after']);
  },
);

t.test('commits that rest gather what comes meanwhile', async (t) => {
  const sqlite = new Sqlite(':memory:');
  t.teardown(() => sqlite.close());
  sqlite.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)');
  const group = new GroupCommit(sqlite, cachedStatements(sqlite), 'notes', 50);
  let commits = 0;
  group.onCommit(() => {
    commits += 1;
  });
  await group.write(add('first'));
  const later: Promise<string>[] = [];
  for (const text of ['a', 'b', 'c']) {
    later.push(group.write(add(text)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.equal(commits, 1);
  await Promise.all(later);
  t.equal(commits, 2, 'what came in different ticks is one commit');
  const last = group.write(add('last'));
  group.close();
  t.equal(await last, 'last', 'closing does not wait for the rest to be over');
});
