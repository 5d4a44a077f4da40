/** Answers that are kept while nothing changes. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { controlStoreKind } from '../../src/store/control/schema.ts';
import { openDatabase } from '../../src/store/database.ts';
import { keptReads } from '../../src/store/kept-reads.ts';
import type { Sql } from '../../src/store/sql.ts';
import { fakeClock } from '../environment/fake-clock.ts';

const put = (sql: Sql, name: string): void => {
  sql.prepare('CREATE TABLE IF NOT EXISTS names (name TEXT)').run();
  sql.prepare('INSERT INTO names VALUES (?)').run(name);
};

async function opened(t: Test) {
  const file = join(t.testdir(), 'control.db');
  const database = openDatabase({ file, kind: controlStoreKind });
  t.teardown(() => database.close());
  await database.write((sql) => put(sql, 'Ana'));
  let asked = 0;
  const has = (name: string) => (sql: Sql) => {
    asked += 1;
    return sql.prepare('SELECT name FROM names WHERE name = ?').get(name) === undefined ? undefined : name;
  };
  return { file, database, clock: fakeClock(), has, asked: () => asked };
}

t.test('what was read is read once, until somebody of this process commits', async (t) => {
  const { database, clock, has, asked } = await opened(t);
  const read = keptReads<string>(database, clock, 10);
  t.equal(await read('Ana', has('Ana')), 'Ana');
  t.equal(await read('Ana', has('Ana')), 'Ana');
  t.equal(asked(), 1);
  await database.write((sql) => sql.prepare('DELETE FROM names').run());
  t.equal(await read('Ana', has('Ana')), undefined, 'the very next read knows');
});

t.test('another process that commits is noticed too', async (t) => {
  const { file, database, clock, has } = await opened(t);
  const read = keptReads<string>(database, clock, 10);
  t.equal(await read('Ana', has('Ana')), 'Ana');
  const other = openDatabase({ file, kind: controlStoreKind });
  await other.write((sql) => sql.prepare('DELETE FROM names').run());
  clock.advance(50);
  t.equal(await read('Ana', has('Ana')), undefined);
  await other.close();
});

t.test('what is not there is looked for each time, and no more is kept than is allowed', async (t) => {
  const { database, clock, has, asked } = await opened(t);
  const read = keptReads<string>(database, clock, 2);
  await read('Max', has('Max'));
  await read('Max', has('Max'));
  t.equal(asked(), 2);
  await database.write((sql) => put(sql, 'Eva'));
  await database.write((sql) => put(sql, 'Ida'));
  for (const name of ['Ana', 'Eva', 'Ida', 'Ida', 'Ana']) t.equal(await read(name, has(name)), name);
  t.equal(asked(), 2 + 4, 'the third made room for itself');
});

t.test('a closed store says so', async (t) => {
  const { database, clock, has } = await opened(t);
  const read = keptReads<string>(database, clock, 2);
  await database.close();
  await t.rejects(read('Ana', has('Ana')), { code: 'STORE_CLOSED' });
});
