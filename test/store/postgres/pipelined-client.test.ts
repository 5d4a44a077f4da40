/** Statements of one turn in one message, and what becomes of them when one fails. */
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { connectPostgres } from '../../../src/store/postgres/connect.ts';
import { ConnectionPool } from '../../../src/store/postgres/connection-pool.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { endConnection } from '../../../src/store/postgres/end-connection.ts';
import { readOnce } from '../../../src/store/postgres/read.ts';
import type { PreparedStatement } from '../../../src/store/postgres/statement-batch.ts';
import type { Sql } from '../../../src/store/sql.ts';
import { skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';

const skip = skipWithoutPostgres;

/** `counts`: how many messages of the server ended an exchange, and described columns. */
async function connectTo(url: string) {
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
  const connection = await connectPostgres(settings, { clock: systemClock, clientOptions: { pipeline: true } });
  const counts = { exchanges: 0, descriptions: 0 };
  connection.client.connection.on('readyForQuery', () => {
    counts.exchanges += 1;
  });
  connection.client.connection.on('rowDescription', () => {
    counts.descriptions += 1;
  });
  return { ...connection, counts };
}

async function connect(t: Test) {
  const { url } = await createTestDatabase(t);
  const connection = await connectTo(url);
  t.teardown(() => endConnection(connection.client));
  return connection;
}

const select = (name: string, text: string, ...values: string[]): PreparedStatement => ({ name, text, values });
const one = select('one', 'SELECT 1 AS number');
const echo = (value: string) => select('echo', 'SELECT $1::text AS echo', value);
const divide = (value: string) => select('divide', 'SELECT 1 / $1::int AS part', value);
const commit: PreparedStatement = { name: 'COMMIT', text: 'COMMIT', values: [], isEnd: true };

t.test('statements of one turn share an exchange, and columns are described once', { skip }, async (t) => {
  const { client, counts } = await connect(t);
  const send = () => Promise.all([client.execute(one), client.execute(echo('a')), client.execute(echo('b'))]);
  const [number, a, b] = await send();
  t.match(number, { rows: [{ number: 1 }], rowCount: 1, command: 'SELECT' });
  t.same([a.rows, b.rows], [[{ echo: 'a' }], [{ echo: 'b' }]]);
  await send();
  t.same(counts, { exchanges: 2, descriptions: 2 });
  const [, behind] = await Promise.all([client.execute(echo('c')), client.query('SELECT 2 AS number')]);
  t.same(behind.rows, [{ number: 2 }], 'a query of the driver comes behind them');
});

t.test('texts and bytes of any length arrive as they are', { skip }, async (t) => {
  const { client } = await connect(t);
  const text = 'SELECT $1::text AS text, length($2::bytea) AS size, $3::text AS nothing';
  const lengths = [0, 1, 5_000, 16_384, 70_000, 3_000_000, 10];
  const sent = lengths.map((length) => {
    const letters = 'aß漢😀'.repeat(length).slice(0, length);
    return { letters, values: [letters, Buffer.alloc(length, 7), null] };
  });
  const results = await Promise.all(sent.map(({ values }) => client.execute({ name: 'all', text, values })));
  for (const [index, { letters, values }] of sent.entries())
    t.ok(
      results[index]?.rows[0]?.text === Buffer.from(letters).toString() &&
        results[index]?.rows[0]?.size === values[1]?.length &&
        results[index]?.rows[0]?.nothing === null,
      `${lengths[index]} characters`,
    );
});

t.test('what stands behind a statement that failed has its error, and works the next time', { skip }, async (t) => {
  const { client } = await connect(t);
  const sent = [client.execute(one), client.execute(divide('0')), client.execute(echo('skipped'))];
  const outcomes = await Promise.allSettled(sent);
  t.match(outcomes, [
    { status: 'fulfilled', value: { rowCount: 1 } },
    { status: 'rejected', reason: { code: '22012' } },
    { status: 'rejected', reason: { code: '22012' } },
  ]);
  const [part, text] = await Promise.all([client.execute(divide('1')), client.execute(echo('sent'))]);
  t.same([part.rows, text.rows], [[{ part: 1 }], [{ echo: 'sent' }]]);
});

t.test('a statement that an unanswered message was to prepare is prepared all the same', { skip }, async (t) => {
  const { client } = await connect(t);
  const failing = [client.execute(divide('0')), client.execute(echo('skipped'))];
  // Each sends what came before it: all is on its way before the first message is answered, and that one does not prepare `echo`.
  const queries = [client.query('SELECT 1')];
  const early = [client.execute(one), client.execute(echo('a'))];
  queries.push(client.query('SELECT 1'));
  const behind = client.execute(echo('b'));
  t.match(await Promise.allSettled(failing), [{ status: 'rejected' }, { status: 'rejected' }]);
  const answers = await Promise.all([...early, behind]);
  await Promise.all(queries);
  t.same(
    answers.map(({ rows }) => rows),
    [[{ number: 1 }], [{ echo: 'a' }], [{ echo: 'b' }]],
  );
});

t.test('the end of a transaction that is skipped rolls it back, before anything else', { skip }, async (t) => {
  const { client } = await connect(t);
  await client.query('CREATE TABLE notes (name text)');
  const begin = select('BEGIN', 'BEGIN');
  const insert = select('insert', `INSERT INTO notes VALUES ('lost')`);
  const outcomes = [begin, insert, divide('0'), commit].map((statement) => client.execute(statement));
  const last = outcomes.at(-1);
  // Sent as soon as the failure is known.
  const after = last?.catch(() => client.execute(select('count', 'SELECT count(*)::int AS count FROM notes')));
  await Promise.allSettled(outcomes);
  t.match(await after, { rows: [{ count: 0 }] });
  t.equal(client.getTransactionStatus(), 'I');
});

t.test('what was sent behind an end that is skipped is not carried out: the connection ends', { skip }, async (t) => {
  const { client } = await connect(t);
  await client.query('CREATE SEQUENCE numbers');
  const failing = [select('BEGIN', 'BEGIN'), divide('0'), commit].map((statement) => client.execute(statement));
  client.separate();
  const behind = client.execute(select('next', `SELECT nextval('numbers')`));
  client.separate();
  t.match(await Promise.allSettled(failing), [{ status: 'fulfilled' }, { reason: { code: '22012' } }, {}]);
  await t.rejects(behind);
  await t.rejects(client.execute(one), 'nothing is sent any more');
});

t.test('a use of a connection does not fail with the one before it', { skip }, async (t) => {
  const { client } = await connect(t);
  const failing = client.execute(divide('0'));
  client.separate();
  const behind = client.execute(one);
  await t.rejects(failing, { code: '22012' });
  t.same((await behind).rows, [{ number: 1 }]);
});

t.test('a read whose statements are all announced is one exchange', { skip }, async (t) => {
  const { url } = await createTestDatabase(t);
  const opened = await connectTo(url);
  const { client, counts } = opened;
  await client.query('CREATE SCHEMA vp_control; CREATE SCHEMA vp');
  const pool = new ConnectionPool({ open: async () => opened, maxConnections: 1, clock: systemClock });
  t.teardown(() => pool.close());
  const access = { pool, store: 'control', label: '', onReplaced: () => undefined } as const;
  const read = (operation: (sql: Sql) => unknown) =>
    readOnce({ ...access, epoch: () => undefined, describe: (error) => error as never }, operation);
  const announced = (sql: Sql) => {
    for (const text of ['SELECT 1 AS a', 'SELECT 2 AS b']) sql.ahead((sql) => sql.get(text));
    return [sql.get('SELECT 1 AS a'), sql.get('SELECT 2 AS b')];
  };
  t.same(await read(announced), [{ a: 1 }, { b: 2 }]);
  counts.exchanges = 0;
  t.same(await read(announced), [{ a: 1 }, { b: 2 }]);
  t.equal(counts.exchanges, 1);
  t.same(await read((sql) => [sql.get('SELECT 1 AS a'), sql.get('SELECT 3 AS c')]), [{ a: 1 }, { c: 3 }]);
  t.same(await read(announced), [{ a: 1 }, { b: 2 }]);
  await t.rejects(
    read((sql) => {
      sql.ahead((sql) => sql.get('SELECT 2 AS b'));
      sql.ahead((sql) => sql.get('SELECT 1 / 0'));
      return [sql.get('SELECT 2 AS b'), sql.get('SELECT 1 / 0')];
    }),
    { code: '22012' },
  );
  t.same(await read(announced), [{ a: 1 }, { b: 2 }]);
  for (const text of ['SELECT 1 / 0', 'SELECT 2 AS b']) {
    const [, alone, together] = await Promise.allSettled([
      // It does not wait for its statements, with and without a transaction.
      read((sql) => {
        sql.ahead((sql) => sql.get(text));
        sql.ahead((sql) => sql.get('SELECT 1 / 0'));
        throw new Error('no');
      }),
      read((sql) => sql.get('SELECT 4 AS d')),
      read(announced),
    ]);
    t.match(alone, { value: { d: 4 } }, 'an operation has no error of another one');
    t.match(together, { value: [{ a: 1 }, { b: 2 }] });
  }
  // The second needs more than its first statement, which is not sent yet.
  const unknown = (sql: Sql) => {
    sql.ahead((sql) => sql.get('SELECT 5 AS e'));
    return sql.get('SELECT 6 AS f');
  };
  t.same(await read(unknown), { f: 6 });
  await client.query('SELECT 1');
  t.equal(client.getTransactionStatus(), 'I', 'no transaction is left open');
});
