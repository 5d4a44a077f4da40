/**
 * The target's database against PostgreSQL 16: what the server itself refuses, what only the guard refuses, and what
 * happens when it is restarted, slow, locked, full or without rights.
 * Length: one server, started once, for all of it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { schemaFor } from '../../compose/example/storage/schema.ts';
import { systemClock } from '../../src/environment/clock.ts';
import type { CatalogueReader } from '../../src/executor/database/catalogue/read-catalogue-rows.ts';
import { describeDatabaseError } from '../../src/executor/database/database-error.ts';
import { databaseLimits } from '../../src/executor/database/database-limits.ts';
import { openDatabaseSession } from '../../src/executor/database/database-session.ts';
import { callableNames } from '../../src/executor/database/guard/callable.ts';
import { guardQuery } from '../../src/executor/database/guard/guard-query.ts';
import { readQueryCatalogue } from '../../src/executor/database/guard/read-query-catalogue.ts';
import { readRows } from '../../src/executor/database/read-rows.ts';
import type { DatabaseTarget } from '../../src/project/project-config.ts';
import { attacks, harmless } from '../executor/database/guard/attacks.ts';
import { createQuery, openTestDatabase as openedHasty } from '../executor/database/test-database.ts';
import { asOwner, enableTls, owner, reader, restartPostgres, startPostgres, targetFor } from './postgres.ts';

const readerTarget = targetFor(reader);
const ownerTarget = targetFor(owner);

startPostgres(t);
asOwner(`
  CREATE TABLE orders (id int PRIMARY KEY, state text NOT NULL, total_cents int, data jsonb, created_at timestamptz,
    tags text[], "user" text);
  CREATE TABLE items (order_id int NOT NULL REFERENCES orders (id), name text);
  INSERT INTO orders SELECT i, 'sent', 100 * i, '{"a": 1.50, "list": [1, 2]}', '2026-01-02T03:04:05Z', '{x,"y z"}', 'u'
    FROM generate_series(1, 500) i;
  INSERT INTO items VALUES (1, 'pen'), (1, 'ink');
  ANALYZE orders;
  CREATE VIEW sent_orders AS SELECT id FROM orders WHERE state = 'sent';
  CREATE VIEW giant AS SELECT repeat('x', 1000000000) AS content;
  CREATE TABLE hidden (id int);
  REVOKE ALL ON hidden FROM reader;
  CREATE SCHEMA vault;
  CREATE TABLE vault.secrets (value text);
  INSERT INTO vault.secrets VALUES ('the secret');
  GRANT USAGE ON SCHEMA vault TO reader;
  GRANT SELECT ON vault.secrets TO reader;
  CREATE FUNCTION reveal() RETURNS text SECURITY DEFINER LANGUAGE sql AS 'SELECT value FROM vault.secrets';
  CREATE FUNCTION total(orders) RETURNS text SECURITY DEFINER LANGUAGE sql AS 'SELECT value FROM vault.secrets';
  CREATE FUNCTION initcap(orders) RETURNS text SECURITY DEFINER LANGUAGE sql AS 'SELECT value FROM vault.secrets';
`);

/** These tests are not about timeouts, and the machine may be busy. */
const generousTimeouts = { connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 };

function openDatabaseWith(t: Test, target: DatabaseTarget, limits: Partial<typeof databaseLimits> = {}) {
  return openedHasty(t, target, { ...generousTimeouts, ...limits });
}

/** Queries without the guard. */
function openUnguarded(t: Test, target: DatabaseTarget, limits: Partial<typeof databaseLimits> = {}) {
  const all = { ...databaseLimits, ...generousTimeouts, ...limits };
  const session = openDatabaseSession({ target, clock: systemClock, limits: all, extraRoots: [] });
  t.teardown(() => session.close());
  return {
    session,
    run: (text: string) => session.inTransaction((connection) => readRows(connection, text, [], 1_000)),
    async problem(text: string): Promise<string | undefined> {
      try {
        await session.inTransaction((connection) => readRows(connection, text, [], 1_000));
        return undefined;
      } catch (error) {
        return describeDatabaseError(error, { target, limits: all, sql: text, redact: (fullText) => fullText }).code;
      }
    },
  };
}

t.test('values are read without loss', async (t) => {
  const database = openDatabaseWith(t, readerTarget);
  const answer = await database.query({
    sql: `SELECT id, total_cents::int8, total_cents::numeric(10, 2), state = 'sent', data, created_at, tags, NULL,
      9223372036854775807, 'NaN'::float8, '\\x00ff'::bytea, '2026-01-02'::date FROM orders WHERE id = $1 AND state = $2`,
    values: ['1', 'sent'],
  });
  t.equal(
    JSON.stringify('rows' in answer && answer.rows[0]),
    `[1,100,100.00,true,{"a":1.50,"list":[1,2]},"2026-01-02 03:04:05+00","{x,\\"y z\\"}",null,9223372036854775807,"NaN","\\\\x00ff","2026-01-02"]`,
  );
});

t.test('allowed queries return rows', async (t) => {
  const database = openDatabaseWith(t, readerTarget);
  for (const text of harmless) {
    const values = Array.from({ length: new Set(text.match(/\$\d/g)).size }, () => 'sent');
    const answer = await database.query({ sql: text, values });
    t.equal('problem' in answer ? answer.problem : answer.kind, 'rows', text);
  }
});

t.test('every attack is refused by the guard', async (t) => {
  const database = openDatabaseWith(t, readerTarget);
  for (const attack of attacks) {
    const answer = await database.query(createQuery(attack.sql));
    t.match(answer, { kind: 'unavailable' }, attack.sql);
    t.ok('problem' in answer && answer.problem.includes(attack.word), attack.sql);
  }
});

t.test('without the guard the server executes the attacks', async (t) => {
  const ownerSession = openUnguarded(t, ownerTarget);
  const readerSession = openUnguarded(t, readerTarget);
  let leakCount = 0;
  for (const { sql: text, leaks } of attacks) {
    if (leaks === true) t.equal(await ownerSession.problem(text), undefined, text);
    if (leaks === true && (await readerSession.problem(text)) === undefined) leakCount += 1;
  }
  t.ok(leakCount >= 30, `the user with the fewest rights got the results of ${leakCount}`);
  t.match(await readerSession.run('SELECT reveal()'), { rows: [['the secret']] });
});

t.test('the guard’s assumptions about the server are true', async (t) => {
  const { run } = openUnguarded(t, ownerTarget);
  const names = callableNames.map((name) => `'${name}'`).join(',');
  const acting = await run(
    `SELECT DISTINCT proname FROM pg_proc WHERE proname IN (${names}) AND pronamespace = 'pg_catalog'::regnamespace
       AND (provolatile = 'v' OR prosecdef) AND prorettype <> 'tsm_handler'::regtype`,
  );
  t.same(acting.rows, [['clock_timestamp']], 'no function that may be called acts');
  const relations = await run(
    `SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relname !~ '^pg_'`,
  );
  t.same(relations.rows, [], 'every catalogue begins with pg_');
  const types = await run(
    `SELECT typname FROM pg_type WHERE typname ~ '^reg' AND typnamespace = 'pg_catalog'::regnamespace`,
  );
  t.ok(types.rows.length >= 10);
  for (const [name] of types.rows) t.ok(guardQuery(`SELECT 'x'::${name}`), `${name}`);
});

t.test('functions of an extension do not shadow known ones', async (t) => {
  asOwner('CREATE EXTENSION citext; CREATE EXTENSION pg_stat_statements');
  const { session } = openUnguarded(t, readerTarget);
  const facts = await session.inTransaction((connection) => {
    const read: CatalogueReader = async (text, values) => (await readRows(connection, text, values, 1_000)).rows;
    return readQueryCatalogue(read, `SELECT max(o."we""ird\\"), replace(a), o.total FROM vault.x, pg_catalog.y`);
  });
  t.same([...facts.schemas].sort(), ['pg_catalog', 'vault']);
  t.same([[...facts.functions], [...facts.rowFunctions]], [['total'], ['total']]);
  const database = openDatabaseWith(t, readerTarget);
  t.match(await database.query(createQuery('SELECT max(state), replace(max(state), $$s$$, $$S$$) FROM orders')), {
    rows: [['sent', 'Sent']],
  });
});

t.test('the server refuses writes by any user', async (t) => {
  const ownerSession = openUnguarded(t, ownerTarget);
  t.equal(await ownerSession.problem(`INSERT INTO items VALUES (1, 'x')`), 'DATABASE_WRITE_REFUSED');
  t.equal(
    await ownerSession.problem('WITH x AS (DELETE FROM items RETURNING 1) SELECT * FROM x'),
    'DATABASE_WRITE_REFUSED',
  );
  t.equal(await ownerSession.problem('SELECT * FROM orders FOR UPDATE'), 'DATABASE_WRITE_REFUSED');
  t.equal(await ownerSession.problem('CREATE TEMP TABLE x (id int)'), 'DATABASE_WRITE_REFUSED');
  t.equal(await ownerSession.problem('SELECT 1; SELECT 2'), 'DATABASE_QUERY_SYNTAX', 'two statements');
  t.equal(
    await ownerSession.problem('SELECT 1 /* ; */ ; DELETE FROM items'),
    'DATABASE_QUERY_SYNTAX',
    'a comment trick',
  );
  const attempt = `DO $$ BEGIN SET TRANSACTION READ WRITE; DELETE FROM items; END $$`;
  t.not(await ownerSession.problem(attempt), undefined);
  t.equal(await ownerSession.problem('COMMIT'), undefined);
  t.equal(await ownerSession.problem(`INSERT INTO items VALUES (1, 'x')`), 'DATABASE_WRITE_REFUSED', 'after it too');
  t.equal(asOwner('SELECT count(*) FROM items'), '2');
});

t.test('a query that sleeps or never ends is stopped', async (t) => {
  const { problem } = openUnguarded(t, readerTarget, { statementTimeoutMs: 300 });
  t.equal(await problem('SELECT pg_sleep(60)'), 'DATABASE_TIMEOUT');
  const database = openDatabaseWith(t, readerTarget, { statementTimeoutMs: 300 });
  t.match(
    await database.query(
      createQuery('SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b'),
    ),
    { problem: 'the query was stopped after 0.3 s' },
  );
  t.match(await database.query(createQuery('SELECT 1')), { rows: [[1]] }, 'the connection is still usable');
});

t.test('a million rows are truncated and marked so', async (t) => {
  const database = openDatabaseWith(t, readerTarget);
  const many = 'SELECT a.id FROM orders a, orders b, generate_series(1, 4) c';
  t.match(await database.query(createQuery(many)), { rowCount: 1_000, more: true });
  t.match(await database.query(createQuery(many), { maxRows: 200 }), { rowCount: 200, more: true });
  t.match(await database.query(createQuery('SELECT id FROM orders'), { maxRows: 500 }), { rowCount: 500, more: false });
  t.match(await database.query(createQuery('SELECT id FROM orders WHERE false')), {
    columns: ['id'],
    rows: [],
    more: false,
  });
});

t.test('a value of 1 GB is not read', async (t) => {
  const database = openDatabaseWith(t, readerTarget);
  const before = process.memoryUsage().rss;
  const answer = await database.query(createQuery('SELECT content FROM giant'));
  t.match(answer, {
    kind: 'unavailable',
    problem: 'the result of the query is larger than 10 MiB, and reading it was stopped',
  });
  t.ok(process.memoryUsage().rss - before < 150_000_000);
  t.match(await database.query(createQuery('SELECT length(content) FROM giant')), { rows: [[1_000_000_000]] });
});

t.test('errors include a fix', async (t) => {
  const database = openDatabaseWith(t, readerTarget);
  const query = async (text: string) => database.query(createQuery(text));
  t.match(await query('SELECT * FROM hidden'), {
    problem: 'the database user reader may not do that: permission denied for table hidden',
    cure: 'as the owner of the database run: GRANT SELECT ON hidden TO reader',
  });
  t.match(await query('SELECT * FROM ordrs'), { cure: /^did you mean `orders`\? / });
  t.match(await query('SELECT stat FROM orders'), { cure: /"orders\.state"/ });
  t.match(await query('SELECT *\nFROM orders WHERE WHERE'), {
    problem: /\(line 2, column 19\): syntax error at or near "WHERE"/,
  });
  t.match(await query(`SELECT id / 0 FROM orders`), { problem: /division by zero/ });
  t.match(await query('SELECT $1 + $2'), { cure: /\$1::/ });
  t.match(await database.query({ sql: 'SELECT $1::text', values: ['a\0b'] }), {
    problem: /^the database stopped at a value/,
  });
  t.match(await database.query({ sql: 'SELECT id FROM orders WHERE id = $1', values: ['x'] }), {
    problem: /integer: "x"/,
  });
  t.match(await database.query({ sql: 'SELECT 1', values: ['x'] }), { kind: 'unavailable' }, 'a value too many');
  t.match(await query('SELECT 1'), { rows: [[1]] });
});

t.test('waiting for a lock is limited', async (t) => {
  const holder = openUnguarded(t, ownerTarget);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await new Promise<void>((ready) => {
    const locked = holder.session.inTransaction(async (connection) => {
      await connection.client.query('ROLLBACK; BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE');
      ready();
      await released;
    });
    t.teardown(() => locked);
  });
  const database = openDatabaseWith(t, readerTarget, { lockTimeoutMs: 200 });
  const answer = await database.query(createQuery('SELECT * FROM items'));
  release();
  t.match(answer, { problem: 'the query waited 0.2 s for a lock that another session holds' });
});

t.test('wrong password, unknown user, unknown database: no message contains the password', async (t) => {
  const wrong = { ...reader, password: 'not-the-password' };
  const answers = await Promise.all(
    [targetFor(wrong), targetFor({ ...wrong, username: 'nobody' }), { ...readerTarget, database: 'nowhere' }].map(
      (target) => openDatabaseWith(t, target).query(createQuery('SELECT 1')),
    ),
  );
  t.match(answers[0], { problem: /rejected the sign-in of the user reader: password authentication failed/ });
  t.match(answers[1], { problem: /rejected the sign-in of the user nobody/ });
  t.match(answers[2], { problem: /there is no database nowhere/ });
  t.notMatch(JSON.stringify(answers), /not-the-password|reader-password/);
});

t.test('the connection limit of the user is reported', async (t) => {
  const databases = Array.from({ length: 11 }, () => openDatabaseWith(t, readerTarget));
  const answers = await Promise.all(databases.map((database) => database.query(createQuery('SELECT 1'))));
  t.match(
    answers.filter(({ kind }) => kind === 'unavailable'),
    [{ problem: /accepts no more connections: too many connections for role "reader"/ }],
  );
});

t.test('tables are described', async (t) => {
  const tables = await openDatabaseWith(t, readerTarget).describe();
  const byName = new Map(tables.map((table) => [table.name, table]));
  t.same(byName.get('items'), {
    name: 'items',
    kind: 'table',
    readable: true,
    columns: [
      { name: 'order_id', nullable: false, type: 'integer' },
      { name: 'name', nullable: true, type: 'text' },
    ],
    primaryKey: [],
    references: [{ columns: ['order_id'], table: 'orders' }],
    approximateRows: undefined,
  });
  t.match(byName.get('orders'), { primaryKey: ['id'], approximateRows: 500, references: [] });
  t.match(byName.get('sent_orders'), { kind: 'view', approximateRows: undefined });
  t.match(byName.get('hidden'), { readable: false });
  t.notOk(byName.has('secrets'));
});

t.test('excessive grants, and the minimal ones of the example', async (t) => {
  t.same(await openDatabaseWith(t, readerTarget).grants(), {
    writable: [],
    unreadable: ['hidden'],
    hidden: [],
    tooPowerful: [],
  });
  asOwner('DROP TABLE hidden');
  asOwner(schemaFor('postgres').join(';'));
  t.same(
    await openDatabaseWith(t, readerTarget).grants(),
    { writable: [], unreadable: [], hidden: [], tooPowerful: [] },
    'tables of the example',
  );
  asOwner(`GRANT UPDATE (name) ON items TO reader; GRANT TRUNCATE ON orders TO reader;
    GRANT pg_read_server_files TO reader; ALTER ROLE reader CREATEDB BYPASSRLS; GRANT CREATE ON SCHEMA public TO reader`);
  t.same(await openDatabaseWith(t, readerTarget).grants(), {
    writable: ['items', 'orders'],
    unreadable: [],
    hidden: [],
    tooPowerful: [
      'may create databases (CREATEDB)',
      'bypasses row security (BYPASSRLS)',
      'may create tables in the schema public',
      'member of pg_read_server_files',
    ],
  });
  const ownerSession = await openDatabaseWith(t, ownerTarget).grants();
  t.ok(ownerSession.tooPowerful.includes('superuser') && ownerSession.writable.includes('orders'));
});

t.test('a restarted server is reconnected', async (t) => {
  const database = openDatabaseWith(t, readerTarget);
  t.match(await database.query(createQuery('SELECT 1')), { rows: [[1]] });
  const broken = database.query(
    createQuery('SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b'),
  );
  restartPostgres();
  t.match(await broken, { kind: 'unavailable' });
  t.match(await database.query(createQuery('SELECT 1')), { rows: [[1]] });
});

t.test('TLS is used if offered, verified if required, and limited in time', async (t) => {
  const certificate = enableTls();
  const folder = mkdtempSync(join(tmpdir(), 'vp-database-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const sslrootcert = join(folder, 'root.pem');
  writeFileSync(sslrootcert, certificate);
  const inUse = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
  t.match(await openUnguarded(t, readerTarget).run(inUse), { rows: [[true]] }, 'by default');
  t.match(await openUnguarded(t, targetFor(reader, { sslmode: 'disable' })).run(inUse), { rows: [[false]] });
  const verifying = (parameters: object, host: string) =>
    openDatabaseWith(t, { ...targetFor(reader, parameters), host });
  const full = { sslmode: 'verify-full' };
  t.match(await verifying(full, 'localhost').query(createQuery('SELECT 1')), { problem: /self-signed certificate/ });
  const known = { ...full, sslrootcert };
  t.match(await verifying(known, 'localhost').query(createQuery('SELECT 1')), { rows: [[1]] });
  t.match(await verifying(known, '127.0.0.1').query(createQuery('SELECT 1')), {
    problem: /the TLS connection to the database at \S+ failed/,
  });
  t.match(await verifying({ ...known, sslmode: 'verify-ca' }, '127.0.0.1').query(createQuery('SELECT 1')), {
    rows: [[1]],
  });
  const giant = await verifying(known, 'localhost').query(
    createQuery(`SELECT lpad('', 1) || left(content, 20000000) FROM giant`),
  );
  t.match(giant, { kind: 'unavailable' });
});
