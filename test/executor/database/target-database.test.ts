/** Uses a scripted server on loopback; test/containers/database.test.ts uses a real one. */
import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { createDatabaseTarget, createQuery, databasePassword, openTestDatabase } from './test-database.ts';
import { encodeMessage, encodeRowDescription, type Script, startWireServer } from './wire-server.ts';

async function startServer(t: Test, script: Script, greet?: Parameters<typeof startWireServer>[1]) {
  const server = await startWireServer(script, greet);
  t.teardown(() => server.close());
  return server;
}

const oneRow: Script = (_statement, response) => response.rows(['state'], [['sent']]);

t.test('a query runs in a read-only transaction with time limits, and is rolled back', async (t) => {
  const server = await startServer(t, oneRow);
  const database = openTestDatabase(t, createDatabaseTarget(server.port));
  const result = await database.query({ sql: 'SELECT state FROM orders WHERE id = $1', values: ['1'] });
  t.same(result, { kind: 'rows', columns: ['state'], rows: [['sent']], rowCount: 1, more: false });
  const [opening = '', facts, query, ending] = server.statements;
  t.match(opening, /^BEGIN READ ONLY; SET LOCAL statement_timeout = 5000; SET LOCAL lock_timeout = 2000; /);
  t.match(opening, /SET LOCAL idle_in_transaction_session_timeout = 10000; SET LOCAL search_path = public; /);
  t.match(opening, /SET LOCAL standard_conforming_strings = on/);
  t.match(facts, /pg_namespace/);
  t.same([query, ending], ['SELECT state FROM orders WHERE id = $1', 'ROLLBACK']);
});

t.test('a refused query never reaches the server', async (t) => {
  const server = await startServer(t, oneRow);
  const result = await openTestDatabase(t, createDatabaseTarget(server.port)).query(createQuery('SELECT pg_sleep(9)'));
  t.match(result, { kind: 'unavailable', problem: /`pg_sleep`/, cure: /schema public/ });
  t.equal(server.connections(), 0);
});

t.test('queries run one at a time on one connection, in their order', async (t) => {
  const server = await startServer(t, oneRow);
  const database = openTestDatabase(t, createDatabaseTarget(server.port));
  await Promise.all([database.query(createQuery('SELECT 1')), database.query(createQuery('SELECT 2'))]);
  t.same(
    server.statements.map((text) => text.slice(0, 8)).filter((text) => !text.startsWith('\nSELECT')),
    ['BEGIN RE', 'SELECT 1', 'ROLLBACK', 'BEGIN RE', 'SELECT 2', 'ROLLBACK'],
  );
  t.equal(server.connections(), 1);
});

t.test('queries above the queue limit are refused', async (t) => {
  const server = await startServer(t, oneRow);
  const database = openTestDatabase(t, createDatabaseTarget(server.port), { maxWaiting: 1 });
  const results = await Promise.all(
    ['SELECT 1', 'SELECT 2', 'SELECT 3'].map((text) => database.query(createQuery(text))),
  );
  t.same(
    results.map(({ kind }) => kind),
    ['rows', 'rows', 'unavailable'],
    'DATABASE_BUSY',
  );
  t.match(results[2], { problem: '1 queries are already waiting' });
});

t.test(
  'an endless value is not buffered: its connection is closed at the limit, and the next query opens another',
  async (t) => {
    let sent = 0;
    const server = await startServer(t, (statement, response) => {
      if (statement === 'SELECT 1') return response.rows(['n'], [['1']]);
      const { socket } = response;
      const head = encodeMessage('D').subarray(0, 5);
      head.writeUInt32BE(1_000_000_000, 1);
      socket.write(Buffer.concat([encodeRowDescription(['content']), head]));
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
    });
    const database = openTestDatabase(t, createDatabaseTarget(server.port), { responseBytes: 1024 * 1024 });
    const result = await database.query(createQuery('SELECT content FROM files'));
    t.match(
      result,
      { kind: 'unavailable', problem: /larger than 1 MiB/, cure: /left\(content, 200\)/ },
      'DATABASE_TOO_LARGE',
    );
    t.ok(sent < 50_000_000, `${sent} bytes were sent of a gigabyte`);
    t.match(await database.query(createQuery('SELECT 1')), { rows: [['1']] });
    t.equal(server.connections(), 2);
  },
);

t.test('the connection to a server that ignores its timeout is closed', async (t) => {
  const server = await startServer(t, () => undefined);
  const database = openTestDatabase(t, createDatabaseTarget(server.port), { statementTimeoutMs: 50, graceMs: 50 });
  t.match(
    await database.query(createQuery('SELECT 1')),
    { problem: 'the query was stopped after 0.1 s' },
    'DATABASE_TIMEOUT',
  );
});

t.test('cancelling a run cancels its queries, running or waiting', async (t) => {
  const server = await startServer(t, () => undefined);
  const database = openTestDatabase(t, createDatabaseTarget(server.port));
  const stop = new AbortController();
  const running = database.query(createQuery('SELECT 1'), { signal: stop.signal });
  const waiting = database.query(createQuery('SELECT 2'), { signal: stop.signal });
  await eventually(() => server.statements, { until: (statements) => statements.includes('SELECT 1') });
  stop.abort();
  t.match(await running, { problem: 'the query was cancelled because the run ended' }, 'DATABASE_CANCELLED');
  t.match(await waiting, { kind: 'unavailable' });
  t.notOk(server.statements.includes('SELECT 2'));
  const late = await database.query(createQuery('SELECT 3'), { signal: AbortSignal.abort() });
  t.match(late, { problem: /was cancelled/ });
});

t.test('a lost connection is reopened', async (t) => {
  const server = await startServer(t, oneRow);
  const database = openTestDatabase(t, createDatabaseTarget(server.port));
  t.match(await database.query(createQuery('SELECT 1')), { kind: 'rows' });
  server.dropAll();
  t.match(await database.query(createQuery('SELECT 1')), { kind: 'rows' });
  t.equal(server.connections(), 2);
});

t.test('a connection that breaks during a query is reported as lost', async (t) => {
  const server = await startServer(t, (_statement, { socket }) => socket.destroy());
  const result = await openTestDatabase(t, createDatabaseTarget(server.port)).query(createQuery('SELECT 1'));
  t.match(result, { problem: /was lost during the query/, cure: /log of the database/ }, 'DATABASE_CONNECTION_LOST');
});

t.test('server messages are redacted and bounded', async (t) => {
  const server = await startServer(t, (_statement, response) =>
    response.error({ C: '22P02', M: `invalid input syntax for type integer: "hunter2"${' x'.repeat(1_000)}`, P: '12' }),
  );
  const result = await openTestDatabase(t, createDatabaseTarget(server.port)).query(
    createQuery('SELECT 1,\n "a"::int'),
  );
  t.match(result, { problem: /stopped at a value: .*"\[redacted\]" x.*… \(line 2, column 2\)$/ }, 'DATABASE_VALUE');
  t.ok('problem' in result && result.problem.length < 700);
  t.notMatch(JSON.stringify(result), /hunter2/);
});

t.test('a port on which nothing listens', async (t) => {
  const server = await startWireServer(oneRow);
  await server.close();
  const database = openTestDatabase(t, createDatabaseTarget(server.port));
  t.match(await database.query(createQuery('SELECT 1')), {
    problem: `nothing listens at 127.0.0.1:${server.port}: the connection to the database was refused`,
    cure: /jdbc_url/,
  });
  await t.rejects(database.describe(), {
    code: 'DATABASE_UNREACHABLE',
    message: /^the database was not read: nothing listens/,
  });
  await t.rejects(database.grants(), { code: 'DATABASE_UNREACHABLE', cure: /start the database/ }, 'DATABASE_REFUSED');
});

t.test('a host that does not exist, and one that never responds', async (t) => {
  const nowhere = openTestDatabase(t, createDatabaseTarget(5432, { host: 'db.invalid' }));
  t.match(
    await nowhere.query(createQuery('SELECT 1')),
    { problem: /^the host name db\.invalid / },
    'DATABASE_UNRESOLVED',
  );
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const mute = openTestDatabase(t, createDatabaseTarget(port), { connectTimeoutMs: 100 });
  t.match(
    await mute.query(createQuery('SELECT 1')),
    { problem: `the database at 127.0.0.1:${port} did not accept the connection within 0.1 s` },
    'DATABASE_CONNECT_TIMEOUT',
  );
});

t.test('a server that requires TLS, and a client that requires it of a server without', async (t) => {
  const server = await startServer(t, oneRow);
  const required = openTestDatabase(t, createDatabaseTarget(server.port, { parameters: { sslmode: 'require' } }));
  t.match(
    await required.query(createQuery('SELECT 1')),
    { problem: /the TLS connection to the database at \S+ failed/, cure: /sslmode/ },
    'DATABASE_TLS',
  );
  const preferred = openTestDatabase(t, createDatabaseTarget(server.port, { parameters: {} }));
  t.match(await preferred.query(createQuery('SELECT 1')), { kind: 'rows' }, 'by default it goes on without');
});

t.test('a server that refuses sign-in: no message contains the password', async (t) => {
  const server = await startServer(t, oneRow, (socket) => {
    const error = { S: 'FATAL', C: '28P01', M: 'password authentication failed for user "reader"' };
    socket.end(
      encodeMessage(
        'E',
        `${Object.entries(error)
          .map(([letter, text]) => `${letter}${text}\0`)
          .join('')}\0`,
      ),
    );
  });
  const result = await openTestDatabase(t, createDatabaseTarget(server.port)).query(createQuery('SELECT 1'));
  t.match(result, { problem: /rejected the sign-in of the user reader/, cure: /`password`/ }, 'DATABASE_SIGN_IN');
  t.notMatch(JSON.stringify(result), new RegExp(databasePassword));
});
