import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createCachedReader } from '../../src/store/cached-reader.ts';
import { controlStoreKind } from '../../src/store/control/schema/control-schema.ts';
import { openDatabase } from '../../src/store/engine.ts';
import { runOperation } from '../../src/store/postgres/operation.ts';
import type { Sql } from '../../src/store/sql.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { eventually } from '../eventually.ts';

const insertName = (sql: Sql, name: string): void => {
  sql.run('CREATE TABLE IF NOT EXISTS names (name TEXT)');
  sql.run('INSERT INTO names VALUES (?)', name);
};

async function openTestDatabase(t: Test) {
  const file = join(t.testdir(), 'control.db');
  const database = openDatabase({ file, createKind: controlStoreKind });
  t.teardown(() => database.close());
  await database.write((sql) => insertName(sql, 'Ana'));
  let readCount = 0;
  const findName = (name: string) => (sql: Sql) => {
    readCount += 1;
    return sql.get('SELECT name FROM names WHERE name = ?', name) === undefined ? undefined : name;
  };
  return { file, database, clock: fakeClock(), has: findName, readCount: () => readCount };
}

t.test('a result is cached until this process commits', async (t) => {
  const { database, clock, has: findName, readCount } = await openTestDatabase(t);
  const read = createCachedReader<string>(database, clock, 10);
  t.equal(await read('Ana', findName('Ana')), 'Ana');
  t.equal(await read('Ana', findName('Ana')), 'Ana');
  t.equal(readCount(), 1);
  await database.write((sql) => sql.run('DELETE FROM names'));
  t.equal(await read('Ana', findName('Ana')), undefined, 'the very next read knows');
});

t.test('a result that was read while something was committed is not cached', async (t) => {
  const { database, clock } = await openTestDatabase(t);
  const pause = Promise.withResolvers<void>();
  // As on PostgreSQL: the answer arrives later, and the operation ends then.
  const read = createCachedReader<string>(
    {
      ...database,
      read: (operation) =>
        runOperation(operation, async ({ text, values }) => {
          const row = await database.read((sql) => sql.get(text, ...values));
          if (row !== undefined) await pause.promise;
          return row;
        }),
    },
    clock,
    10,
  );
  const findAna = (sql: Sql) =>
    sql.get("SELECT name FROM names WHERE name = 'Ana'") === undefined ? undefined : 'Ana';
  const before = read('Ana', findAna);
  await new Promise((resolve) => setImmediate(resolve));
  await database.write((sql) => sql.run('DELETE FROM names'));
  pause.resolve();
  t.equal(await before, 'Ana');
  t.equal(await read('Ana', findAna), undefined, 'what was revoked meanwhile stays revoked');
});

t.test('a commit of another process empties the cache', async (t) => {
  const { file, database, clock, has: findName } = await openTestDatabase(t);
  const read = createCachedReader<string>(database, clock, 10);
  t.equal(await read('Ana', findName('Ana')), 'Ana');
  const otherProcess = openDatabase({ file, createKind: controlStoreKind });
  await otherProcess.write((sql) => sql.run('DELETE FROM names'));
  clock.advance(50);
  t.equal(await read('Ana', findName('Ana')), undefined);
  await otherProcess.close();
});

t.test('undefined results are not cached, and the cache has a maximum size', async (t) => {
  const { database, clock, has: findName, readCount } = await openTestDatabase(t);
  const read = createCachedReader<string>(database, clock, 2);
  await read('Max', findName('Max'));
  await read('Max', findName('Max'));
  t.equal(readCount(), 2);
  await database.write((sql) => insertName(sql, 'Eva'));
  await database.write((sql) => insertName(sql, 'Ida'));
  for (const name of ['Ana', 'Eva', 'Ida', 'Ida', 'Ana']) t.equal(await read(name, findName(name)), name);
  t.equal(readCount(), 2 + 4, 'the third made room for itself');
});

t.test('a closed store rejects with STORE_CLOSED', async (t) => {
  const { database, clock, has: findName } = await openTestDatabase(t);
  const read = createCachedReader<string>(database, clock, 2);
  await database.close();
  await t.rejects(read('Ana', findName('Ana')), { code: 'STORE_CLOSED' });
});

t.test('a result that was on its way when the commit of another process was noticed is not cached', async (t) => {
  const clock = fakeClock();
  const answers: ((value: string) => void)[] = [];
  let version = 1;
  let isAnswerLate = true;
  const sql: Sql = Object.create(null);
  const read = createCachedReader<string>(
    {
      // As on PostgreSQL: the first read of a lookup is made at once, what the second finds arrives later.
      read: async (operation) => {
        const value = operation(sql);
        if (value === undefined || !isAnswerLate) return value;
        await new Promise<string>((resolve) => answers.push(resolve));
        return value;
      },
      onCommit: () => () => {},
      getForeignVersion: () => version,
    },
    clock,
    10,
  );
  const early = read('key', () => 'before');
  await eventually(() => answers.length === 1);
  version = 2;
  clock.advance(100);
  const other = read('other', () => 'any');
  await eventually(() => answers.length === 2);
  isAnswerLate = false;
  for (const answer of answers) answer('');
  t.same(await Promise.all([early, other]), ['before', 'any']);
  t.equal(await read('key', () => 'after'), 'after');
});
