/** A pool's connections go to the server that can be written, also after a failover, and know of a pooler. */
import pg from 'pg';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { type ServerSelection, selectServer } from '../../../src/store/postgres/server-selection.ts';
import { eventually } from '../../eventually.ts';
import { startPgBouncer } from '../../postgres/pgbouncer.ts';
import { startPostgres, startStandby } from '../../postgres/postgres-server.ts';
import { skipWithoutPgBouncer, skipWithoutPostgres, skipWithoutStandby } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';

function select(url: string): Promise<ServerSelection> {
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
  return selectServer(settings, systemClock);
}

function createPool(t: Test, { poolOptions }: ServerSelection): pg.Pool {
  const pool = new pg.Pool({ ...poolOptions, max: 2, connectionTimeoutMillis: 2000 });
  pool.on('error', () => undefined);
  t.teardown(() => pool.end());
  return pool;
}

t.test('a pool follows a failover to the promoted standby', { skip: skipWithoutStandby }, async (t) => {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  await primary.query('CREATE TABLE notes (port int)');
  const url = `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`;
  const selection = await select(url);
  const pool = createPool(t, selection);
  const write = (): Promise<unknown> => pool.query('INSERT INTO notes VALUES (inet_server_port())');
  await write();
  t.equal(selection.getHost().port, primary.port);
  await eventually(async () => (await standby.query('SELECT * FROM notes')).length === 1);
  await primary.stop('immediate');
  await t.rejects(write());
  await standby.query('SELECT pg_promote()');
  await eventually(() => write().then(() => true));
  t.equal(selection.getHost().port, standby.port);
  t.same(await standby.query('SELECT port FROM notes'), [{ port: primary.port }, { port: standby.port }]);
});

t.test('a pool does not take a standby, and names it', { skip: skipWithoutStandby }, async (t) => {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  const selection = await select(primary.getUrl('postgres'));
  const pool = createPool(t, selection);
  await pool.query('SELECT 1');
  await t.rejects(select(standby.getUrl('postgres')), { code: 'STORE_DATABASE_READ_ONLY' });
  await primary.query('ALTER SYSTEM SET default_transaction_read_only = on');
  await primary.query('SELECT pg_reload_conf()');
  await eventually(async () => (await primary.query('SHOW default_transaction_read_only'))[0]);
  await primary.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
    AND application_name = 'vp'`);
  await eventually(() =>
    pool.query('SELECT 1').then(
      () => false,
      (error) => error.code === 'STORE_DATABASE_READ_ONLY',
    ),
  );
});

t.test('a wrong TLS mode or password is refused before there is a pool', { skip: skipWithoutPostgres }, async (t) => {
  const { url } = await createTestDatabase(t);
  await t.rejects(select(`${url}?sslmode=require`), { code: 'STORE_DATABASE_TLS_UNAVAILABLE' });
  const { label } = await select(url);
  t.match(label, /^database test_\w+$/);
});

t.test('a pooler is noticed in every mode, and its absence', { skip: skipWithoutPgBouncer }, async (t) => {
  const { server, name, url } = await createTestDatabase(t);
  t.same((await select(url)).getServer().isPooled, false);
  for (const poolMode of ['transaction', 'session'] as const) {
    const bouncer = await startPgBouncer(t, server, { poolMode });
    const selection = await select(bouncer.getUrl(name));
    t.same(selection.getServer().isPooled, true, poolMode);
    await createPool(t, selection).query('SELECT 1');
  }
});

t.test('a pool works again when its only server does', { skip: skipWithoutPostgres }, async (t) => {
  const server = await startPostgres(t);
  const selection = await select(server.getUrl('postgres'));
  const pool = createPool(t, selection);
  await pool.query('SELECT 1');
  await server.stop('fast');
  const describeFailure = () =>
    pool.query('SELECT 1').then(
      () => undefined,
      (thrown: unknown) => selection.describeError(thrown).code,
    );
  await eventually(describeFailure, { until: (code) => code === 'STORE_DATABASE_UNREACHABLE' });
  await server.start();
  await eventually(() => pool.query('SELECT 1').then(() => true));
});
