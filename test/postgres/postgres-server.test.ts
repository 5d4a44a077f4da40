/** The servers that tests start: real ones, apart from each other, and gone afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import t from 'tap';
import { eventually } from '../eventually.ts';
import { createRootCertificate } from '../targets/certificates.ts';
import { startPgBouncer } from './pgbouncer.ts';
import { type PostgresServer, queryOnce, startPostgres, startStandby } from './postgres-server.ts';
import { skipWithoutPgBouncer, skipWithoutPostgres, skipWithoutStandby } from './programs.ts';
import { createTemplate, createTestDatabase, getSharedServer } from './test-database.ts';

const skip = skipWithoutPostgres;

t.test('each test has a database of its own', { skip }, async (t) => {
  const [one, other] = [await createTestDatabase(t), await createTestDatabase(t)];
  await one.query('CREATE TABLE notes (id int)');
  t.same(await one.query('SELECT count(*)::int AS count FROM notes'), [{ count: 0 }]);
  await t.rejects(other.query('SELECT * FROM notes'), { code: '42P01' });
  t.match(await queryOnce({ connectionString: one.url }, 'SELECT current_database() AS name'), [{ name: one.name }]);
});

t.test('a database begins as its template', { skip }, async (t) => {
  const template = await createTemplate(async (connectionString) => {
    await queryOnce({ connectionString }, 'CREATE TABLE notes AS SELECT 7 AS id');
  });
  const database = await createTestDatabase(t, { template });
  t.same(await database.query('SELECT id FROM notes'), [{ id: 7 }]);
});

t.test('a database is gone after its test, with its connections', { skip }, async (t) => {
  const server = await getSharedServer();
  let name = '';
  await t.test('with a connection that is left open', async (t) => {
    const database = await createTestDatabase(t);
    name = database.name;
    const client = new pg.Client(database.url);
    client.on('error', () => undefined);
    await client.connect();
  });
  t.same(await server.query(`SELECT datname FROM pg_database WHERE datname = '${name}'`), []);
});

t.test('a server crashes, starts again with its rows, and is reached by its Unix socket', { skip }, async (t) => {
  const server = await startPostgres(t, { settings: { max_connections: 7 } });
  await server.query('CREATE TABLE notes AS SELECT 7 AS id');
  await server.query('CHECKPOINT');
  await server.stop('immediate');
  await t.rejects(server.query('SELECT 1'));
  await server.start();
  const url = server.getUrl('postgres', { host: server.socketFolder });
  t.same(await queryOnce({ connectionString: url }, 'SELECT id FROM notes'), [{ id: 7 }]);
  t.same(await server.query('SHOW max_connections'), [{ max_connections: '7' }]);
});

t.test('a server can require TLS and a password', { skip }, async (t) => {
  const root = createRootCertificate(t.testdir());
  const server = await startPostgres(t, {
    certificate: root.leaf('localhost'),
    accessRules: ['hostssl all all 127.0.0.1/32 scram-sha-256'],
  });
  await server.query("CREATE ROLE app LOGIN PASSWORD 'p:w/d'");
  const connect = (password: string, ssl: false | { ca: string }) => {
    const connectionString = server.getUrl('postgres', { user: 'app', password, host: 'localhost' });
    return queryOnce({ connectionString, ssl }, 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
  };
  t.same(await connect('p:w/d', { ca: root.cert }), [{ ssl: true }]);
  await t.rejects(connect('other', { ca: root.cert }), { code: '28P01' });
  await t.rejects(connect('p:w/d', false), { code: '28000' });
});

t.test('a standby is read-only until it is promoted', { skip: skipWithoutStandby }, async (t) => {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  await primary.query('CREATE TABLE notes AS SELECT 7 AS id');
  t.same(await eventually(() => standby.query('SELECT id FROM notes')), [{ id: 7 }]);
  await t.rejects(standby.query('INSERT INTO notes VALUES (8)'), { code: '25006' });
  await primary.stop('immediate');
  await standby.query('SELECT pg_promote()');
  t.same(await standby.query('INSERT INTO notes VALUES (8) RETURNING id'), [{ id: 8 }]);
});

t.test('PgBouncer shares one connection by transaction, or by session', { skip: skipWithoutPgBouncer }, async (t) => {
  const server = await startPostgres(t);
  const countBackends = async (poolMode: 'transaction' | 'session') => {
    const bouncer = await startPgBouncer(t, server, { poolMode });
    const clients = [1, 2].map(() => new pg.Client(bouncer.getUrl('postgres')));
    const pids = new Set<unknown>();
    for (const client of clients) {
      await client.connect();
      pids.add((await client.query('SELECT pg_backend_pid() AS pid')).rows[0]?.pid);
    }
    await Promise.all(clients.map((client) => client.end()));
    return pids.size;
  };
  t.same([await countBackends('transaction'), await countBackends('session')], [1, 2]);
});

t.test('nothing is left of a server after its test', { skip: skipWithoutPgBouncer }, async (t) => {
  let server: PostgresServer | undefined;
  await t.test('with a server and a PgBouncer', async (t) => {
    server = await startPostgres(t);
    await startPgBouncer(t, server, { poolMode: 'session' });
  });
  t.ok(server);
  t.notOk(existsSync(server?.socketFolder ?? '/'));
  await t.rejects(queryOnce({ connectionString: server?.getUrl('postgres') }, 'SELECT 1'), { code: 'ECONNREFUSED' });
});

t.test('nothing is left of a server whose test was killed', { skip: skipWithoutPostgres }, async (t) => {
  const probe = join(import.meta.dirname, 'endless-test.ts');
  const child = spawn(process.execPath, [probe], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const url = new URL(String(line));
  const folder = decodeURIComponent(url.hostname);
  t.same(await queryOnce({ connectionString: url.href }, 'SELECT 1 AS one'), [{ one: 1 }]);
  child.kill('SIGKILL');
  await eventually(() => !existsSync(folder), { description: 'the folder of the server is removed' });
  await eventually(() => queryFails(url.port), { description: 'the server has ended' });
});

async function queryFails(port: string): Promise<boolean> {
  const connecting = queryOnce({ host: '127.0.0.1', port: Number(port), user: 'postgres' }, 'SELECT 1');
  return connecting.then(
    () => false,
    (error) => error.code === 'ECONNREFUSED',
  );
}
