import { once } from 'node:events';
import { connect as connectTo, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { announceCommits, type CommitHint, listenForCommits } from '../../../src/store/postgres/commit-hint.ts';
import { connectPostgres } from '../../../src/store/postgres/connect.ts';
import { ConnectionPool } from '../../../src/store/postgres/connection-pool.ts';
import { type PostgresSettings, readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { openPostgresStores, type PostgresStores } from '../../../src/store/postgres/stores.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { startPgBouncer } from '../../postgres/pgbouncer.ts';
import { formatUrl } from '../../postgres/postgres-server.ts';
import { skipWithoutPgBouncer, skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';
import { getPort } from '../../targets/raw-target.ts';

const timings = { probeMs: 50, answerMs: 1_000, retryMs: 50 };

const readSettings = (url: string): PostgresSettings =>
  readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});

function openPool(t: Test, settings: PostgresSettings): ConnectionPool {
  const open = () => connectPostgres(settings, { clock: systemClock });
  const pool = new ConnectionPool({ open, maxConnections: 2, clock: systemClock });
  t.teardown(() => pool.close());
  return pool;
}

async function startListening(t: Test, { main, direct }: { readonly main: string; readonly direct?: string }) {
  const settings = readSettings(direct ?? main);
  const hints: string[] = [];
  const pool = openPool(t, readSettings(main));
  const hint: CommitHint = listenForCommits({
    ...{ pool, clock: systemClock, timings, connect: () => connectPostgres(settings, { clock: systemClock }) },
    onHint: (store) => hints.push(store),
  });
  t.teardown(() => hint.close());
  return { hint, hints, pool };
}

async function openStores(t: Test, url: string, hints?: Parameters<typeof openPostgresStores>[0]['hints']) {
  const stores: PostgresStores = await openPostgresStores({
    ...{ settings: readSettings(url), clock: systemClock },
    ...(hints ? { hints } : {}),
  });
  t.teardown(async () => {
    await Promise.all([stores.control.close(), stores.audit.close(), stores.memory.close()]);
    await stores.close();
  });
  return stores;
}

t.test(
  'a commit is announced to who listens, and many at once share a notification',
  {
    skip: skipWithoutPostgres,
  },
  async (t) => {
    const { url } = await createTestDatabase(t);
    const { hint, hints } = await startListening(t, { main: url });
    await eventually(() => hint.isLive);
    hints.length = 0;
    const announcer = announceCommits(openPool(t, readSettings(url)), 'audit');
    for (let count = 0; count < 100; count += 1) announcer.announce();
    await announcer.close();
    await eventually(() => hints.length > 0);
    await eventually(() => hint.isLive);
    t.ok(hints.length <= 2, 'one for the first, one for all the others');
    t.same(new Set(hints), new Set(['audit']));
  },
);

t.test(
  'a connection that is lost is opened again, and nothing that came meanwhile is missed',
  {
    skip: skipWithoutPostgres,
  },
  async (t) => {
    const database = await createTestDatabase(t);
    const { hint, hints } = await startListening(t, { main: database.url });
    await eventually(() => hint.isLive);
    hints.length = 0;
    await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()`);
    await eventually(() => !hint.isLive || hints.length > 0);
    await eventually(() => hint.isLive && hints.length >= 3);
    t.same(new Set(hints), new Set(['audit', 'memory', 'control']), 'each store is looked at once');
  },
);

t.test('a probe that does not come back ends the hint', { skip: skipWithoutPostgres }, async (t) => {
  const { url } = await createTestDatabase(t);
  const { hint, pool } = await startListening(t, { main: url });
  await eventually(() => hint.isLive);
  await pool.close();
  await eventually(() => !hint.isLive);
  t.notOk(hint.isLive, 'a probe that cannot be sent does not come back');
});

t.test(
  'through a PgBouncer in transaction mode nobody listens; with a direct connection hints arrive',
  {
    skip: skipWithoutPgBouncer,
  },
  async (t) => {
    const { name, server, url: direct } = await createTestDatabase(t);
    const bouncer = await startPgBouncer(t, server, { poolMode: 'transaction' });
    const main = bouncer.getUrl(name);
    const { hint: blind } = await startListening(t, { main });
    const { hint } = await startListening(t, { main, direct });
    await eventually(() => hint.isLive);
    t.notOk(blind.isLive);
    const rows = await server.query(
      `SELECT count(*)::int AS listening FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`,
    );
    t.match(rows, [{ listening: 1 }]);
  },
);

t.test(
  'who serves a store notices what a command commits beside it, with the hint and without',
  {
    skip: skipWithoutPgBouncer,
  },
  async (t) => {
    const { name, server, url } = await createTestDatabase(t);
    const bouncer = await startPgBouncer(t, server, { poolMode: 'transaction' });
    const hinted = await openStores(t, url, { kind: 'listen', settings: readSettings(url) });
    const polling = await openStores(t, bouncer.getUrl(name), {
      kind: 'listen',
      settings: readSettings(bouncer.getUrl(name)),
    });
    const command = await openStores(t, url, { kind: 'announce' });
    await eventually(() => {
      const state = hinted.control.getState();
      return state.engine === 'postgresql' && state.notices === 'hint';
    });
    t.match(polling.control.getState(), { notices: 'polling' });
    for (const stores of [hinted, polling]) {
      await command.control.database.write((sql) => sql.execute("DELETE FROM meta WHERE name = 'nothing'"));
      const noticed = new Promise<void>((resolve) => stores.control.database.onCommit(resolve));
      await eventually(async () => {
        await command.control.database.write((sql) => sql.execute("DELETE FROM meta WHERE name = 'nothing'"));
        return stores.control.database.getForeignVersion() > 0;
      });
      await noticed;
      t.ok(stores.control.database.getForeignVersion() > 0);
    }
  },
);

/** Passes everything on until it is muted: then packets vanish, and connections stay. */
async function startMutingProxy(t: Test, port: number) {
  let isMuted = false;
  const sockets: Socket[] = [];
  const proxy = createServer({ allowHalfOpen: true }, (near) => {
    const far = connectTo({ host: '127.0.0.1', port });
    sockets.push(near, far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => undefined);
      from.on('data', (chunk) => isMuted || to.write(chunk));
    }
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const mute = (): void => {
    isMuted = true;
  };
  return { mute, url: (name: string) => formatUrl(getPort(proxy), name) };
}

t.test('closing does not wait for connections that were cut in silence', { skip: skipWithoutPostgres }, async (t) => {
  const { name, server } = await createTestDatabase(t);
  const proxy = await startMutingProxy(t, server.port);
  const { hint, pool } = await startListening(t, { main: proxy.url(name) });
  await eventually(() => hint.isLive);
  proxy.mute();
  const closed: string[] = [];
  const closing = [hint.close().then(() => closed.push('hint')), pool.close().then(() => closed.push('pool'))];
  await eventually(() => closed.length === 2, { timeoutMs: 8_000 });
  t.same(closed.sort(), ['hint', 'pool']);
  await Promise.all(closing);
});

t.test('closing does not wait for a connection that cannot be opened', async (t) => {
  const clock = fakeClock();
  const hint = listenForCommits({
    pool: { with: () => Promise.reject(new Error('away')) },
    ...{ clock, connect: () => new Promise(() => undefined), onHint: () => undefined },
  });
  const closing = hint.close();
  clock.advance(2_000);
  await closing;
  t.notOk(hint.isLive);
});

t.test('a commit of another process right after the opening is noticed', { skip: skipWithoutPostgres }, async (t) => {
  const { url } = await createTestDatabase(t);
  const command = await openStores(t, url);
  await command.control.database.write((sql) => sql.execute("DELETE FROM meta WHERE name = 'nothing'"));
  const serving = await openStores(t, url);
  await command.control.database.write((sql) => sql.execute("DELETE FROM meta WHERE name = 'nothing'"));
  await eventually(() => serving.control.database.getForeignVersion() > 0, { timeoutMs: 5_000 });
  t.ok(serving.control.database.getForeignVersion() > 0);
});
