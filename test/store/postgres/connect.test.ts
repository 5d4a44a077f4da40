/** Connections to real servers, and what an operator reads when one cannot be used. */

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { VpError } from '../../../src/errors/vp-error.ts';
import { ElectionConnection } from '../../../src/replicas/election/election-connection.ts';
import { defaultElectionTimings } from '../../../src/replicas/election/timings.ts';
import { connectPostgres, type PostgresConnection } from '../../../src/store/postgres/connect.ts';
import { toUnavailableError } from '../../../src/store/postgres/connection-errors.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { readTruth } from '../../../src/store/postgres/election.ts';
import { createElectionSession } from '../../../src/store/postgres/election-session.ts';
import type { ServerRequirements } from '../../../src/store/postgres/server-requirements.ts';
import { eventually } from '../../eventually.ts';
import { findFreePort } from '../../free-port.ts';
import { startPgBouncer } from '../../postgres/pgbouncer.ts';
import { startPostgres, startStandby } from '../../postgres/postgres-server.ts';
import { skipWithoutPgBouncer, skipWithoutPostgres, skipWithoutStandby } from '../../postgres/programs.ts';
import { createTestDatabase, getSharedServer } from '../../postgres/test-database.ts';
import { startLink } from '../../storm/drill/link.ts';
import { createRootCertificate } from '../../targets/certificates.ts';

const skip = skipWithoutPostgres;
const password = 'hunter2-is-never-printed';

async function connect(t: Test, url: string, requirements?: ServerRequirements): Promise<PostgresConnection> {
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
  const connection = await connectPostgres(settings, {
    clock: systemClock,
    ...(requirements === undefined ? {} : { requirements }),
  });
  t.teardown(() => connection.client.end());
  return connection;
}

/** The error, which must not name the password anywhere. */
async function findError(t: Test, act: () => Promise<unknown>): Promise<VpError> {
  const error = await act().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof VpError)) throw new Error(`no error of the table: ${String(error)}`);
  t.notMatch([error.message, error.cure, error.detail, JSON.stringify(error.values)].join('\n'), password);
  return error;
}

const failToConnect = (t: Test, url: string, requirements?: ServerRequirements): Promise<VpError> =>
  findError(t, () => connect(t, url, requirements));

t.test('a database is connected by TCP and by Unix socket', { skip }, async (t) => {
  const { url, name, server } = await createTestDatabase(t);
  for (const each of [url, server.getUrl(name, { host: server.socketFolder })]) {
    const { client, server: info } = await connect(t, each);
    t.match(info.version, /^\d+/);
    t.match((await client.query("SELECT current_setting('application_name') AS name")).rows, [{ name: 'vp' }]);
  }
});

t.test('an unreachable server is named with the reason', { skip }, async (t) => {
  const port = await findFreePort();
  const code = 'STORE_DATABASE_UNREACHABLE';
  t.match(await failToConnect(t, `postgres://u:${password}@127.0.0.1:${port}/d`), {
    code,
    message: `the database server at 127.0.0.1:${port} was not reached: nothing listens there`,
  });
  t.match(await failToConnect(t, `postgres://u:${password}@nowhere.invalid/d`), { code, message: /does not resolve/ });
  t.match(await failToConnect(t, 'postgres://u@%2Fabsent/d'), {
    code,
    message: /Unix socket/,
  });
  t.match(await failToConnect(t, `postgres://u@127.0.0.1:${port},localhost:${port}/d`), {
    code,
    message: new RegExp(`127.0.0.1:${port}: nothing listens there; localhost:${port}: nothing listens there`),
  });
});

t.test('something else than PostgreSQL, or silence, is not a server', async (t) => {
  const web = createServer((_request, response) => response.end('hello'));
  const silent = createTcpServer();
  for (const [listener, reason] of [
    [web, /PostgreSQL server\?|SSL/],
    [silent, /no session within 2 s/],
  ] as const) {
    const port = await new Promise<number>((resolve) => {
      listener.listen(0, '127.0.0.1', () => resolve(Number(Object(listener.address()).port)));
    });
    t.teardown(() => listener.close());
    const error = await failToConnect(t, `postgres://u@127.0.0.1:${port}/d?connect_timeout=1`);
    t.match(error, { code: 'STORE_DATABASE_UNREACHABLE', message: reason });
  }
});

t.test('passwords: accepted, wrong, missing, and users that are not there', { skip }, async (t) => {
  const server = await startPostgres(t, { accessRules: ['host all all 127.0.0.1/32 scram-sha-256'] });
  await server.query(`CREATE ROLE app LOGIN PASSWORD '${password}'`);
  const getUrl = (user: string, given?: string) =>
    server.getUrl('postgres', { user, ...(given === undefined ? {} : { password: given }) });
  await connect(t, getUrl('app', password));
  t.match(await failToConnect(t, getUrl('app', `x${password}`)), {
    code: 'STORE_DATABASE_SIGN_IN',
    message: /rejected the user app: password authentication failed/,
  });
  t.match(await failToConnect(t, getUrl('nobody', password)), { code: 'STORE_DATABASE_SIGN_IN' });
  t.match(await failToConnect(t, getUrl('app')), {
    code: 'STORE_DATABASE_PASSWORD_MISSING',
    cure: new RegExp(`127.0.0.1:${server.port}:postgres:app:<password>`),
  });
});

t.test('TLS: required, missing, trusted and not', { skip }, async (t) => {
  const root = createRootCertificate(t.testdir());
  const accessRules = ['hostssl all all 127.0.0.1/32 trust'];
  const server = await startPostgres(t, { certificate: root.leaf('localhost'), accessRules });
  const getUrl = (sslmode: string, host: string, sslrootcert?: string) =>
    server.getUrl('postgres', { host, parameters: { sslmode, ...(sslrootcert === undefined ? {} : { sslrootcert }) } });
  for (const url of [
    getUrl('allow', '127.0.0.1'),
    getUrl('prefer', '127.0.0.1'),
    getUrl('require', '127.0.0.1'),
    getUrl('verify-ca', '127.0.0.1', root.file),
    getUrl('verify-full', 'localhost', root.file),
  ]) {
    const { client } = await connect(t, url);
    const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    t.same(rows, [{ ssl: true }], url);
  }
  t.match(await failToConnect(t, getUrl('disable', '127.0.0.1')), { code: 'STORE_DATABASE_TLS_REQUIRED' });
  const untrusted = 'STORE_DATABASE_TLS_UNTRUSTED';
  t.match(await failToConnect(t, getUrl('verify-full', 'localhost')), { code: untrusted, message: /authority/ });
  t.match(await failToConnect(t, getUrl('verify-full', '127.0.0.1', root.file)), { code: untrusted, message: /IP/ });
  const plain = await getSharedServer();
  t.match(await failToConnect(t, plain.getUrl('postgres', { parameters: { sslmode: 'require' } })), {
    code: 'STORE_DATABASE_TLS_UNAVAILABLE',
  });
  await connect(t, plain.getUrl('postgres', { parameters: { sslmode: 'prefer' } }));
});

t.test('a client certificate signs a user in', { skip }, async (t) => {
  const folder = t.testdir();
  const root = createRootCertificate(folder);
  const server = await startPostgres(t, {
    certificate: root.leaf('localhost'),
    accessRules: ['hostssl all all 127.0.0.1/32 cert'],
    clientAuthority: root.cert,
  });
  await server.query('CREATE ROLE app LOGIN');
  const { key, cert } = root.leaf('app');
  const [sslcert, sslkey] = [join(folder, 'client.pem'), join(folder, 'client.key')];
  writeFileSync(sslcert, cert);
  writeFileSync(sslkey, key, { mode: 0o600 });
  const tls = { sslmode: 'verify-full', sslrootcert: root.file };
  const options = { user: 'app', host: 'localhost' };
  await connect(t, server.getUrl('postgres', { ...options, parameters: { ...tls, sslcert, sslkey } }));
  t.match(await failToConnect(t, server.getUrl('postgres', { ...options, parameters: tls })), {
    code: 'STORE_DATABASE_SIGN_IN',
  });
});

t.test('a database that is not there is named with the statement that creates it', { skip }, async (t) => {
  const server = await getSharedServer();
  t.match(await failToConnect(t, server.getUrl('absent')), {
    code: 'STORE_DATABASE_UNKNOWN',
    cure: /CREATE DATABASE absent OWNER postgres/,
  });
});

t.test('a server without free connections is full', { skip }, async (t) => {
  const { server, name } = await createTestDatabase(t);
  await server.query(`CREATE ROLE busy LOGIN CONNECTION LIMIT 1; GRANT ALL ON DATABASE ${name} TO busy`);
  t.teardown(() => server.query(`REVOKE ALL ON DATABASE ${name} FROM busy; DROP ROLE busy`));
  const url = server.getUrl(name, { user: 'busy' });
  const { client } = await connect(t, url);
  t.match(await failToConnect(t, url), { code: 'STORE_DATABASE_FULL', message: /too many connections/ });
  await client.end();
});

t.test('a standby is refused alone, and passed over beside its primary', { skip: skipWithoutStandby }, async (t) => {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  t.match(await failToConnect(t, standby.getUrl('postgres')), {
    code: 'STORE_DATABASE_READ_ONLY',
    message: /read-only: the server is a standby/,
  });
  const url = `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`;
  t.equal((await connect(t, url)).host.port, primary.port);
  await primary.stop('immediate');
  t.match(await failToConnect(t, url), { code: 'STORE_DATABASE_READ_ONLY', message: /nothing listens there/ });
  await standby.query('SELECT pg_promote()');
  t.equal((await connect(t, url)).host.port, standby.port);
});

t.test('a first host that drops packets does not keep the election from the second one', { skip }, async (t) => {
  const { server, name } = await createTestDatabase(t);
  const link = await startLink(server.port);
  t.teardown(() => link.close());
  const url = `postgres://postgres@127.0.0.1:${link.port},127.0.0.1:${server.port}/${name}`;
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
  const election = new ElectionConnection({
    connect: async () => createElectionSession(await connectPostgres(settings, { clock: systemClock })),
    clock: systemClock,
    stepMs: defaultElectionTimings.stepMs,
  });
  t.teardown(() => election.close());
  link.cut();
  t.equal(await election.run(({ session }) => readTruth(session, 'true')), true);
});

t.test('attempts that were slower are closed, also those whose session has begun', { skip }, async (t) => {
  const { server, name, query } = await createTestDatabase(t);
  const silent = createTcpServer();
  const closed = new Promise((resolve) => silent.on('connection', (socket) => socket.on('close', resolve).resume()));
  const port = await new Promise<number>((resolve) => {
    silent.listen(0, '127.0.0.1', () => resolve(Number(Object(silent.address()).port)));
  });
  t.teardown(() => silent.close());
  const link = await startLink(server.port);
  t.teardown(() => link.close());
  const hosts = `127.0.0.1:${port},127.0.0.1:${link.port},127.0.0.1:${server.port}`;
  link.cut();
  const { host } = await connect(t, `postgres://postgres@${hosts}/${name}`);
  t.equal(host.port, server.port);
  await closed;
  link.heal();
  const countSessions = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = '${name}' AND application_name = 'vp'`;
  await eventually(async () => (await query(countSessions))[0]?.count === 1);
});

t.test('hosts that all fail are named in their order', async (t) => {
  const [one, other] = [await findFreePort(), await findFreePort()];
  const error = await failToConnect(t, `postgres://u@127.0.0.1:${one},127.0.0.1:${other}/d`);
  t.match(error, {
    code: 'STORE_DATABASE_UNREACHABLE',
    message: new RegExp(`127.0.0.1:${one}: nothing listens there; 127.0.0.1:${other}: nothing listens there`),
  });
});

t.test('a database that is set read-only is refused', { skip }, async (t) => {
  const { query, name, url } = await createTestDatabase(t);
  await query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  t.match(await failToConnect(t, url), {
    code: 'STORE_DATABASE_READ_ONLY',
    message: /default_transaction_read_only/,
  });
});

t.test('a database whose encoding cannot hold every text is refused', { skip }, async (t) => {
  const latin = await createTestDatabase(t, { clauses: "ENCODING 'LATIN1' LOCALE 'C'" });
  t.match(await failToConnect(t, latin.url), { code: 'STORE_DATABASE_ENCODING', message: /LATIN1/ });
});

t.test('a server that is older than the oldest one is refused', { skip }, async (t) => {
  const { url } = await createTestDatabase(t);
  t.match(await failToConnect(t, url, { minVersion: 99 }), {
    code: 'STORE_DATABASE_VERSION',
    message: /is PostgreSQL \d+\S*.*, and a store needs 99 or newer/,
  });
});

t.test('missing rights, a lost connection and other refusals are described', { skip }, async (t) => {
  const { server, name } = await createTestDatabase(t);
  await server.query('CREATE ROLE weak LOGIN');
  t.teardown(() => server.query('DROP ROLE weak'));
  const { client, describeError } = await connect(t, server.getUrl(name, { user: 'weak' }));
  const fail = (sql: string) =>
    findError(t, () =>
      client.query(sql).catch((error: unknown) => {
        throw describeError(error);
      }),
    );
  t.match(await fail('CREATE TABLE notes (id int)'), {
    code: 'STORE_DATABASE_RIGHTS',
    message: /weak .* permission denied for schema public/,
    cure: new RegExp(`ALTER DATABASE ${name} OWNER TO weak`),
  });
  // The disk of a server is not filled here: it raises the error by itself.
  t.match(await fail("DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$"), {
    code: 'STORE_DATABASE_DISK_FULL',
    message: /could not extend file/,
  });
  t.match(await fail('SELECT 1/0'), { code: 'STORE_DATABASE_FAILED', message: /SQLSTATE 22012/ });
  await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'weak'`);
  t.match(await fail('SELECT 1'), { code: 'STORE_DATABASE_LOST' });
});

t.test(
  'a server that starts is not ready, and one that has stopped is unreachable',
  { skip: skipWithoutStandby },
  async (t) => {
    const server = await startPostgres(t);
    const starting = await startStandby(t, server, { settings: { hot_standby: 'off' } });
    t.match(await failToConnect(t, starting.getUrl('postgres')), { code: 'STORE_DATABASE_STARTING' });
    const { client, describeError } = await connect(t, server.getUrl('postgres'));
    await server.stop('immediate');
    const error = await findError(t, () =>
      client.query('SELECT 1').catch((cause) => Promise.reject(describeError(cause))),
    );
    t.equal(error.code, 'STORE_DATABASE_LOST');
    t.match(await failToConnect(t, server.getUrl('postgres')), { code: 'STORE_DATABASE_UNREACHABLE' });
  },
);

t.test('PgBouncer: modes, its limits, and what it refuses', { skip: skipWithoutPgBouncer }, async (t) => {
  const { server, name } = await createTestDatabase(t);
  const start = (poolMode: 'transaction' | 'session' | 'statement', settings = {}) =>
    startPgBouncer(t, server, { poolMode, settings });
  t.equal((await connect(t, server.getUrl(name))).server.isPooled, false);
  for (const mode of ['transaction', 'session'] as const) {
    const { client, server: info } = await connect(t, (await start(mode)).getUrl(name));
    t.equal(info.isPooled, true, mode);
    for (const sql of ['BEGIN', 'SELECT 1', 'COMMIT']) await client.query(sql);
  }
  const { client, describeError } = await connect(t, (await start('statement')).getUrl(name));
  const failure = await findError(t, () =>
    client.query('BEGIN').catch((cause) => Promise.reject(describeError(cause))),
  );
  t.match(failure, { code: 'STORE_DATABASE_POOLER', cure: /pool_mode = transaction/ });

  const small = await start('session', { max_client_conn: 1 });
  const smallUrl = small.getUrl(name, { parameters: { sslmode: 'disable' } });
  await connect(t, smallUrl);
  t.match(await failToConnect(t, smallUrl), { code: 'STORE_DATABASE_FULL' });

  const strict = await start('transaction');
  const options = { parameters: { options: '-c search_path=public' } };
  t.match(await failToConnect(t, strict.getUrl(name, options)), { code: 'STORE_DATABASE_POOLER', message: /options/ });
  t.match(await failToConnect(t, strict.getUrl('absent')), { code: 'STORE_DATABASE_UNKNOWN' });
});

t.test('callers of the control plane learn the code, and no address, user or name', { skip }, async (t) => {
  const server = await getSharedServer();
  const error = toUnavailableError(await failToConnect(t, server.getUrl('absent')));
  t.match(error, {
    code: 'STORE_DATABASE_UNAVAILABLE',
    message: 'the database of the control plane cannot be used now (STORE_DATABASE_UNKNOWN)',
  });
  t.notMatch(error.message + error.cure, /127\.0\.0\.1|absent|postgres/);
  t.equal(error.row.status, 503);
});
