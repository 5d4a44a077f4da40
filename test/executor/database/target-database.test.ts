/** Against a scripted server on loopback; what a real one does is in test/containers/database.test.ts. */
import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { opened, password, sql, targetAt } from './opened.ts';
import { message, rowDescription, type Script, startWireServer } from './wire-server.ts';

async function serving(t: Test, script: Script, greet?: Parameters<typeof startWireServer>[1]) {
  const server = await startWireServer(script, greet);
  t.teardown(() => server.close());
  return server;
}

const one: Script = (_statement, answer) => answer.rows(['state'], [['sent']]);

t.test('a query runs in a transaction that cannot write, bounded in time, and is rolled back', async (t) => {
  const server = await serving(t, one);
  const database = opened(t, targetAt(server.port));
  const answer = await database.query({ sql: 'SELECT state FROM orders WHERE id = $1', values: ['1'] });
  t.same(answer, { kind: 'rows', columns: ['state'], rows: [['sent']], rowCount: 1, more: false });
  const [opening = '', facts, query, ending] = server.statements;
  t.match(opening, /^BEGIN READ ONLY; SET LOCAL statement_timeout = 5000; SET LOCAL lock_timeout = 2000; /);
  t.match(opening, /SET LOCAL idle_in_transaction_session_timeout = 10000; SET LOCAL search_path = public; /);
  t.match(opening, /SET LOCAL standard_conforming_strings = on/);
  t.match(facts, /pg_namespace/);
  t.same([query, ending], ['SELECT state FROM orders WHERE id = $1', 'ROLLBACK']);
});

t.test('a refused query never reaches the server', async (t) => {
  const server = await serving(t, one);
  const answer = await opened(t, targetAt(server.port)).query(sql('SELECT pg_sleep(9)'));
  t.match(answer, { kind: 'unavailable', problem: /`pg_sleep`/, cure: /schema public/ });
  t.equal(server.connections(), 0);
});

t.test('queries run one at a time on one connection, in their order', async (t) => {
  const server = await serving(t, one);
  const database = opened(t, targetAt(server.port));
  await Promise.all([database.query(sql('SELECT 1')), database.query(sql('SELECT 2'))]);
  t.same(
    server.statements.map((text) => text.slice(0, 8)).filter((text) => !text.startsWith('\nSELECT')),
    ['BEGIN RE', 'SELECT 1', 'ROLLBACK', 'BEGIN RE', 'SELECT 2', 'ROLLBACK'],
  );
  t.equal(server.connections(), 1);
});

t.test('more queries than may wait are refused', async (t) => {
  const server = await serving(t, one);
  const database = opened(t, targetAt(server.port), { waiting: 1 });
  const answers = await Promise.all(['SELECT 1', 'SELECT 2', 'SELECT 3'].map((text) => database.query(sql(text))));
  t.same(
    answers.map(({ kind }) => kind),
    ['rows', 'rows', 'unavailable'],
    'DATABASE_BUSY',
  );
  t.match(answers[2], { problem: 'there are 1 queries waiting already' });
});

t.test(
  'a value without end is not kept: its connection is closed at the bound, and the next query has another',
  async (t) => {
    let sent = 0;
    const server = await serving(t, (statement, answer) => {
      if (statement === 'SELECT 1') return answer.rows(['n'], [['1']]);
      const { socket } = answer;
      const head = message('D').subarray(0, 5);
      head.writeUInt32BE(1_000_000_000, 1);
      socket.write(Buffer.concat([rowDescription(['content']), head]));
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
    });
    const database = opened(t, targetAt(server.port), { answerBytes: 1024 * 1024 });
    const answer = await database.query(sql('SELECT content FROM files'));
    t.match(
      answer,
      { kind: 'unavailable', problem: /larger than 1 MiB/, cure: /left\(content, 200\)/ },
      'DATABASE_TOO_LARGE',
    );
    t.ok(sent < 50_000_000, `${sent} bytes were sent of a gigabyte`);
    t.match(await database.query(sql('SELECT 1')), { rows: [['1']] });
    t.equal(server.connections(), 2);
  },
);

t.test('a server that keeps to no time is left', async (t) => {
  const server = await serving(t, () => undefined);
  const database = opened(t, targetAt(server.port), { statementTimeoutMs: 50, graceMs: 50 });
  const startedMs = performance.now();
  t.match(await database.query(sql('SELECT 1')), { problem: 'the query was stopped after 0.1 s' }, 'DATABASE_TIMEOUT');
  t.ok(performance.now() - startedMs < 5_000);
});

t.test('a run that ends gives its query up, whether it runs or waits', async (t) => {
  const server = await serving(t, () => undefined);
  const database = opened(t, targetAt(server.port));
  const stop = new AbortController();
  const running = database.query(sql('SELECT 1'), { signal: stop.signal });
  const waiting = database.query(sql('SELECT 2'), { signal: stop.signal });
  while (!server.statements.includes('SELECT 1')) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  t.match(await running, { problem: 'the query was given up, because the run ended' }, 'DATABASE_CANCELLED');
  t.match(await waiting, { kind: 'unavailable' });
  t.notOk(server.statements.includes('SELECT 2'));
  const late = await database.query(sql('SELECT 3'), { signal: AbortSignal.abort() });
  t.match(late, { problem: /given up/ });
});

t.test('a lost connection is opened again', async (t) => {
  const server = await serving(t, one);
  const database = opened(t, targetAt(server.port));
  t.match(await database.query(sql('SELECT 1')), { kind: 'rows' });
  server.dropAll();
  t.match(await database.query(sql('SELECT 1')), { kind: 'rows' });
  t.equal(server.connections(), 2);
});

t.test('a connection that breaks during a query is told as such', async (t) => {
  const server = await serving(t, (_statement, { socket }) => socket.destroy());
  const answer = await opened(t, targetAt(server.port)).query(sql('SELECT 1'));
  t.match(answer, { problem: /broke off during the query/, cure: /log of the database/ }, 'DATABASE_CONNECTION_LOST');
});

t.test('what the server says is redacted and bounded', async (t) => {
  const server = await serving(t, (_statement, answer) =>
    answer.error({ C: '22P02', M: `invalid input syntax for type integer: "hunter2"${' x'.repeat(1_000)}`, P: '12' }),
  );
  const answer = await opened(t, targetAt(server.port)).query(sql('SELECT 1,\n "a"::int'));
  t.match(answer, { problem: /stopped at a value: .*"\[redacted\]" x.*… \(line 2, column 2\)$/ }, 'DATABASE_VALUE');
  t.ok('problem' in answer && answer.problem.length < 700);
  t.notMatch(JSON.stringify(answer), /hunter2/);
});

t.test('where nothing listens', async (t) => {
  const server = await startWireServer(one);
  await server.close();
  const database = opened(t, targetAt(server.port));
  t.match(await database.query(sql('SELECT 1')), {
    problem: `nothing listens at 127.0.0.1:${server.port}: the connection to the database was refused`,
    cure: /jdbc_url/,
  });
  await t.rejects(database.describe(), {
    code: 'DATABASE_UNREACHABLE',
    message: /^the database was not read: nothing listens/,
  });
  await t.rejects(database.grants(), { code: 'DATABASE_UNREACHABLE', cure: /start the database/ }, 'DATABASE_REFUSED');
});

t.test('a host that does not exist, and one that never answers', async (t) => {
  const nowhere = opened(t, targetAt(5432, { host: 'db.invalid' }));
  t.match(await nowhere.query(sql('SELECT 1')), { problem: /^the host name db\.invalid / }, 'DATABASE_UNRESOLVED');
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const mute = opened(t, targetAt(port), { connectTimeoutMs: 100 });
  t.match(
    await mute.query(sql('SELECT 1')),
    { problem: `the database at 127.0.0.1:${port} did not take the connection within 0.1 s` },
    'DATABASE_CONNECT_TIMEOUT',
  );
});

t.test('a server that wants TLS, and a client that wants it of a server without', async (t) => {
  const server = await serving(t, one);
  const required = opened(t, targetAt(server.port, { parameters: { sslmode: 'require' } }));
  t.match(await required.query(sql('SELECT 1')), { problem: /no TLS connection/, cure: /sslmode/ }, 'DATABASE_TLS');
  const preferred = opened(t, targetAt(server.port, { parameters: {} }));
  t.match(await preferred.query(sql('SELECT 1')), { kind: 'rows' }, 'by default it goes on without');
});

t.test('a server that lets nobody in: the password is in no word', async (t) => {
  const server = await serving(t, one, (socket) => {
    const error = { S: 'FATAL', C: '28P01', M: 'password authentication failed for user "reader"' };
    socket.end(
      message(
        'E',
        `${Object.entries(error)
          .map(([letter, text]) => `${letter}${text}\0`)
          .join('')}\0`,
      ),
    );
  });
  const answer = await opened(t, targetAt(server.port)).query(sql('SELECT 1'));
  t.match(answer, { problem: /does not let the user reader in/, cure: /`password`/ }, 'DATABASE_SIGN_IN');
  t.notMatch(JSON.stringify(answer), new RegExp(password));
});
