/** Writes whose COMMIT is not answered, or not by the server that they were sent to. */
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { findCommitOutcome } from '../../../src/store/postgres/commit-outcome.ts';
import { connectPostgres } from '../../../src/store/postgres/connect.ts';
import { ConnectionPool } from '../../../src/store/postgres/connection-pool.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { openPostgresStores, type PostgresStores } from '../../../src/store/postgres/stores.ts';
import type { Sql } from '../../../src/store/sql.ts';
import { eventually } from '../../eventually.ts';
import { startPgBouncer } from '../../postgres/pgbouncer.ts';
import {
  formatUrl,
  freezeReplication,
  queryOnce,
  startPostgres,
  startStandby,
} from '../../postgres/postgres-server.ts';
import { skipWithoutPgBouncer, skipWithoutPostgres, skipWithoutStandby } from '../../postgres/programs.ts';
import { startCommitLosingProxy } from './commit-losing-proxy.ts';

async function openStores(t: Test, url: string, maxConnections?: number): Promise<PostgresStores> {
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
  const stores = await openPostgresStores({ settings, clock: systemClock, maxConnections });
  t.teardown(async () => {
    await Promise.all([stores.control.close(), stores.audit.close(), stores.memory.close()]);
    await stores.close();
  });
  return stores;
}

const insertNote = (name: string) => (sql: Sql) =>
  sql.execute('INSERT INTO meta (name, value) VALUES (?, ?)', name, '');

const replicating = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'";

const appendMark = (sql: Sql) => sql.execute("UPDATE meta SET value = value || 'x' WHERE name = 'marks'");

t.test(
  'a write that a crash has undone is not taken for another one with its number',
  { skip: skipWithoutPostgres },
  async (t) => {
    const server = await startPostgres(t, { settings: { wal_writer_delay: '10s' } });
    const proxy = await startCommitLosingProxy(t, server.port);
    const stores = await openStores(t, formatUrl(proxy.port, 'postgres'));
    await stores.control.database.write(insertNote('before'));
    const reachedCommit = new Promise<void>((resolve) => {
      proxy.state.onCommit = resolve;
    });
    const write = stores.control.database.write(insertNote('lost'));
    write.catch(() => undefined);
    await reachedCommit;
    const [lost] = await server.query(
      'SELECT backend_xid::text AS id FROM pg_stat_activity WHERE backend_xid IS NOT NULL',
    );
    await server.stop('immediate');
    await server.start();
    const [other] = await server
      .query('CREATE TABLE other (); SELECT 1')
      .then(() => server.query("SELECT xmin::text AS id FROM pg_class WHERE relname = 'other'"));
    t.match(other, { id: lost?.id }, 'another transaction has the number of the lost one');
    proxy.state.isOpen = true;
    await t.rejects(write, { code: 'STORE_OUTCOME_UNKNOWN' });
    const rows = await server.query("SELECT name FROM vp_control.meta WHERE name IN ('before', 'lost')");
    t.same(rows, [{ name: 'before' }]);
  },
);

t.test('a write that a crash has undone is made again', { skip: skipWithoutPostgres }, async (t) => {
  const server = await startPostgres(t, { settings: { wal_writer_delay: '10s' } });
  const proxy = await startCommitLosingProxy(t, server.port);
  const stores = await openStores(t, formatUrl(proxy.port, 'postgres'));
  const reachedCommit = new Promise<void>((resolve) => {
    proxy.state.onCommit = resolve;
  });
  const write = stores.control.database.write(insertNote('again'));
  await reachedCommit;
  await server.stop('immediate');
  await server.start();
  proxy.state.isOpen = true;
  await write;
  t.same(await server.query("SELECT name FROM vp_control.meta WHERE name = 'again'"), [{ name: 'again' }]);
});

t.test('a commit that is not replicated is not acknowledged', { skip: skipWithoutStandby }, async (t) => {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  const stores = await openStores(t, primary.getUrl('postgres'));
  await eventually(async () => (await primary.query(replicating)).length > 0);
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await primary.query('SELECT pg_reload_conf()');
  await stores.control.database.write(insertNote('replicated'));
  const resumeReplication = await freezeReplication(t, standby);
  let isSettled = false;
  const write = stores.control.database.write(insertNote('waits')).finally(() => {
    isSettled = true;
  });
  write.catch(() => undefined);
  // It ends the wait of the commit, as the time limit of a statement does, and as an administrator can.
  await eventually(async () => {
    const rows = await primary.query(
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
    );
    return rows.length > 0;
  });
  await eventually(async () => (await primary.query("SELECT 1 FROM vp_control.meta WHERE name = 'waits'")).length > 0);
  t.notOk(isSettled, 'it is committed, on one server');
  resumeReplication();
  await write;
  // The change has arrived there, and is applied a moment later.
  await eventually(async () => (await standby.query("SELECT 1 FROM vp_control.meta WHERE name = 'waits'")).length > 0);
});

const maxConnections = 4;

/** The COMMIT of a write waits for a standby that is silent when the connection breaks; the standby goes on a moment later. */
async function breakWaitingCommit(t: Test, { isPooled }: { readonly isPooled: boolean }) {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary, { settings: { wal_retrieve_retry_interval: '100ms' } });
  const settings = { admin_users: 'postgres' };
  const bouncer = isPooled ? await startPgBouncer(t, primary, { poolMode: 'transaction', settings }) : undefined;
  const proxy = await startCommitLosingProxy(t, (bouncer ?? primary).port);
  const stores = await openStores(t, formatUrl(proxy.port, 'postgres'), maxConnections);
  const { database } = stores.control;
  // All connections are older than what follows.
  const sleep = () => database.read((sql) => sql.get('SELECT pg_sleep(0.2)'));
  await Promise.all(Array.from({ length: maxConnections }, sleep));
  await database.write((sql) => sql.execute("INSERT INTO meta (name, value) VALUES ('marks', '')"));
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  if (bouncer) {
    // As operators restart PostgreSQL behind PgBouncer: its clients wait, and their connections survive.
    const command = (sql: string) =>
      queryOnce({ host: '127.0.0.1', port: bouncer.port, user: 'postgres', database: 'pgbouncer' }, sql);
    await command('PAUSE');
    await primary.stop('fast');
    await primary.start();
    await command('RESUME');
  } else {
    await primary.query('SELECT pg_reload_conf()');
    await primary.query("SELECT pg_stat_reset_shared('bgwriter')");
  }
  await eventually(async () => (await primary.query(replicating)).length > 0);
  const resumeReplication = await freezeReplication(t, standby);
  const write = database.write(appendMark);
  write.catch(() => undefined);
  const countWaiting = async () =>
    (await primary.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")).length;
  await eventually(async () => (await countWaiting()) > 0);
  proxy.cut();
  // Were the write made again, it would wait for the lock of the first one.
  const lockWait = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  const endMs = performance.now() + 1_000;
  await eventually(async () => (await primary.query(lockWait)).length > 0 || performance.now() > endMs);
  resumeReplication();
  const outcome = await write.then(
    () => 'acknowledged' as const,
    (error: unknown) => error,
  );
  await eventually(async () => (await countWaiting()) === 0 && (await primary.query(lockWait)).length === 0);
  return { outcome, rows: await primary.query("SELECT value FROM vp_control.meta WHERE name = 'marks'") };
}

t.test(
  'a commit that waits for its standby behind a pooler is not made again after the connection broke',
  { skip: skipWithoutPgBouncer || skipWithoutStandby },
  async (t) => {
    const { outcome, rows } = await breakWaitingCommit(t, { isPooled: true });
    t.same(rows, [{ value: 'x' }]);
    t.equal(outcome, 'acknowledged', 'the server is the one that the transaction began on');
  },
);

t.test(
  'a commit that waits for its standby is not made again after the statistics were reset',
  { skip: skipWithoutStandby },
  async (t) => {
    const { outcome, rows } = await breakWaitingCommit(t, { isPooled: false });
    t.same(rows, [{ value: 'x' }]);
    t.match(outcome, { code: 'STORE_OUTCOME_UNKNOWN' });
  },
);

t.test(
  'a question about an outcome that fails leaves no transaction open',
  { skip: skipWithoutPostgres },
  async (t) => {
    const server = await startPostgres(t);
    const settings = readPostgresSettings(
      { kind: 'variable', name: 'VP_DATABASE', url: server.getUrl('postgres') },
      {},
    );
    const open = () => connectPostgres(settings, { clock: systemClock });
    const pool = new ConnectionPool({ open, maxConnections: 1, clock: systemClock });
    t.teardown(() => pool.close());
    const transaction = await pool.with(
      async ({ client, server: { incarnation } }) => {
        const { rows } = await client.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
        return { id: rows[0]?.id ?? '', incarnation };
      },
      () => true,
    );
    await server.query('REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text) FROM PUBLIC');
    await server.query('CREATE ROLE reader LOGIN');
    await pool.with(
      ({ client }) => client.query('SET ROLE reader'),
      () => true,
    );
    await t.rejects(findCommitOutcome(pool, transaction, 50), { code: 'STORE_OUTCOME_UNKNOWN' });
    const state = await server.query(
      "SELECT state FROM pg_stat_activity WHERE backend_type = 'client backend' AND usename = 'postgres' AND pid <> pg_backend_pid()",
    );
    t.same(state, [{ state: 'idle' }]);
  },
);

t.test('a commit whose outcome cannot be learned is reported as such', async (t) => {
  const unreachable: Pick<ConnectionPool, 'with'> = { with: () => Promise.reject(new Error('away')) };
  const transaction = { id: '7', incarnation: '1' };
  await t.rejects(findCommitOutcome(unreachable, transaction, 50), { code: 'STORE_OUTCOME_UNKNOWN' });
});
