/** Stores on databases that cannot be used, that go away, and behind PgBouncer. */
import pg from 'pg';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { lockClass, storeLocks } from '../../../src/store/postgres/locks.ts';
import { openPostgresStores, type PostgresStores } from '../../../src/store/postgres/stores.ts';
import type { Sql } from '../../../src/store/sql.ts';
import { eventually } from '../../eventually.ts';
import { startPgBouncer } from '../../postgres/pgbouncer.ts';
import { startPostgres, startStandby } from '../../postgres/postgres-server.ts';
import { skipWithoutPgBouncer, skipWithoutPostgres, skipWithoutStandby } from '../../postgres/programs.ts';
import { createTestDatabase, type TestDatabase } from '../../postgres/test-database.ts';

const skip = skipWithoutPostgres;

async function open(t: Test, url: string): Promise<PostgresStores> {
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
  const stores = await openPostgresStores({ settings, clock: systemClock });
  t.teardown(async () => {
    await Promise.all([stores.control.close(), stores.audit.close(), stores.memory.close()]);
    await stores.close();
  });
  return stores;
}

const writeNote =
  (name: string) =>
  (sql: Sql): void => {
    sql.execute("INSERT INTO meta (name, value) VALUES (?, '')", name);
  };
const countNotes = (sql: Sql): unknown => sql.get("SELECT count(*) AS count FROM meta WHERE name LIKE 'note%'");

t.test('a store says its engine and its connections', { skip }, async (t) => {
  const { url } = await createTestDatabase(t);
  const { control } = await open(t, url);
  await control.database.write(writeNote('note'));
  t.match(control.getState(), {
    engine: 'postgresql',
    version: /^\d+/,
    isPooled: false,
    connections: { used: Number, open: Number, waiting: 0 },
  });
});

t.test('a store of a newer version, or of something else, is refused untouched', { skip }, async (t) => {
  const database = await createTestDatabase(t);
  const stores = await open(t, database.url);
  const [row] = await database.query("SELECT version, application_id FROM vp.stores WHERE name = 'control'");
  await database.query("UPDATE vp.stores SET version = version + 1 WHERE name = 'control'");
  await t.rejects(open(t, database.url), { code: 'STORE_NEWER' });
  await database.query("UPDATE vp.stores SET version = version - 1, application_id = 7 WHERE name = 'control'");
  await t.rejects(open(t, database.url), { code: 'STORE_FOREIGN' });
  const [after] = await database.query("SELECT version, application_id FROM vp.stores WHERE name = 'control'");
  t.same(after, { ...row, application_id: '7' });
  t.ok(stores.label.endsWith(`/${database.name}`));
});

t.test('a user without rights is refused with the statement that grants them', { skip }, async (t) => {
  const { server, name } = await createTestDatabase(t);
  await server.query('CREATE ROLE guest LOGIN');
  t.teardown(() => server.query('DROP ROLE guest'));
  await t.rejects(open(t, server.getUrl(name, { user: 'guest' })), {
    code: 'STORE_DATABASE_RIGHTS',
    message: /guest .*permission denied for database/,
    cure: `give the user the database: \`ALTER DATABASE ${name} OWNER TO guest\`, or grant what the message names`,
  });
});

/** A database whose owner is no superuser, with parameters of its own: `default_transaction_isolation = 'serializable'`. */
async function createOwnedDatabase(t: Test, parameters: readonly string[] = []): Promise<TestDatabase> {
  const database = await createTestDatabase(t);
  const { server, name } = database;
  await server.query('CREATE ROLE owner LOGIN');
  for (const parameter of parameters) await server.query(`ALTER ROLE owner SET ${parameter}`);
  await server.query(`ALTER DATABASE ${name} OWNER TO owner`);
  t.teardown(async () => {
    await server.query(`ALTER DATABASE ${name} OWNER TO postgres`);
    await server.query('REASSIGN OWNED BY owner TO postgres', name);
    await server.query('DROP ROLE owner');
  });
  return { ...database, url: server.getUrl(name, { user: 'owner' }) };
}

t.test('the owner of a database who is no superuser has all rights that are needed', { skip }, async (t) => {
  const { url } = await createOwnedDatabase(t);
  const { control } = await open(t, url);
  await control.database.write(writeNote('note'));
});

t.test(
  'commits wait for the disk where the role says otherwise, also behind a pooler',
  { skip: skipWithoutPgBouncer },
  async (t) => {
    const readLevel = (note: string) => (sql: Sql) => {
      writeNote(note)(sql);
      return sql.get("SELECT current_setting('synchronous_commit') AS level");
    };
    for (const [level, expected] of [
      ['off', 'on'],
      ['remote_apply', 'remote_apply'],
      ['local', 'local'],
    ]) {
      const { server, name, query } = await createTestDatabase(t);
      await query(`ALTER DATABASE ${name} SET synchronous_commit TO ${level}`);
      const bouncer = await startPgBouncer(t, server, { poolMode: 'transaction' });
      for (const url of [server.getUrl(name), bouncer.getUrl(name)]) {
        const { control } = await open(t, url);
        t.match(await control.database.write(readLevel(`note ${url}`)), { level: expected }, url);
      }
    }
  },
);

for (const isolation of ['repeatable read', 'serializable'])
  t.test(`writes see all commits before them where the default of the role is ${isolation}`, { skip }, async (t) => {
    const { url } = await createOwnedDatabase(t, [`default_transaction_isolation = '${isolation}'`]);
    const databases = [(await open(t, url)).control.database, (await open(t, url)).control.database];
    const countBefore = (writer: number) => (sql: Sql) => {
      const { count } = countNotes(sql) as { count: number };
      writeNote(`note ${writer} ${count}`)(sql);
      return count;
    };
    const counts: number[] = [];
    for (let round = 0; round < 20; round += 1)
      counts.push(...(await Promise.all(databases.map((database, writer) => database.write(countBefore(writer))))));
    t.same(
      counts.sort((a, b) => a - b),
      Array.from({ length: 40 }, (_, index) => index),
    );
  });

t.test('an exclusive read sees what it waited for, whatever the default of the role is', { skip }, async (t) => {
  const { url, query } = await createOwnedDatabase(t, ["default_transaction_isolation = 'repeatable read'"]);
  const { database } = (await open(t, url)).control;
  const writer = new pg.Client(url);
  await writer.connect();
  t.teardown(() => writer.end());
  await writer.query(`BEGIN; SELECT pg_advisory_xact_lock(${lockClass}, ${storeLocks.control});
    INSERT INTO vp_control.meta (name, value) VALUES ('note', '')`);
  const read = database.readExclusively(countNotes);
  await eventually(async () => (await query('SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0);
  await writer.query('COMMIT');
  t.match(await read, { count: 1 });
});

t.test('slow reads leave connections to writes', { skip }, async (t) => {
  const { url } = await createTestDatabase(t);
  const { control } = await open(t, url);
  let finished = 0;
  const reads = Array.from({ length: 14 }, async () => {
    await control.database.read((sql) => sql.get('SELECT 1 AS slept FROM pg_sleep(2)'));
    finished += 1;
  });
  const isFull = () => {
    const state = control.getState();
    return state.engine === 'postgresql' && state.connections.used >= 7;
  };
  await eventually(isFull);
  await control.database.write(writeNote('note'));
  t.equal(finished, 0);
  await Promise.all(reads);
  t.match(await control.database.read(countNotes), { count: 1 });
});

t.test('statements whose columns a migration changed are prepared again on all connections', { skip }, async (t) => {
  const { url, query } = await createTestDatabase(t);
  const { control } = await open(t, url);
  const readColumns = (sql: Sql) =>
    Object.keys(sql.get('SELECT m.* FROM (SELECT pg_sleep(0.3)) AS s, meta m LIMIT 1') ?? {});
  const readAll = () => Promise.all(Array.from({ length: 6 }, () => control.database.read(readColumns)));
  await control.database.write(writeNote('note'));
  const before = await readAll();
  await query('ALTER TABLE vp_control.meta ADD COLUMN extra text');
  t.same(
    await readAll(),
    before.map((columns) => [...columns, 'extra']),
  );
});

t.test('a write with an outdated plan is repeated', { skip }, async (t) => {
  const { url, query } = await createTestDatabase(t);
  const { control } = await open(t, url);
  const write = (note: string) => (sql: Sql) => {
    writeNote(note)(sql);
    return Object.keys(sql.get('SELECT * FROM meta LIMIT 1') ?? {}).length;
  };
  const before = await control.database.write(write('note 1'));
  await query('ALTER TABLE vp_control.meta ADD COLUMN extra text');
  t.equal(await control.database.write(write('note 2')), before + 1);
});

t.test('known statements are prepared also when many others have been seen', { skip }, async (t) => {
  const { url } = await createTestDatabase(t);
  const known = 'SELECT count(*) AS count FROM pg_prepared_statements';
  const readAll = (texts: readonly string[]) => (sql: Sql) => {
    for (const text of texts) sql.get(text);
  };
  const first = (await open(t, url)).control.database;
  await first.read(readAll([known]));
  for (let part = 0; part < 5; part += 1)
    await first.read(readAll(Array.from({ length: 500 }, (_, index) => `SELECT ${part * 500 + index} AS number`)));
  const second = (await open(t, url)).control.database;
  await second.read(readAll([known]));
  t.match(await second.read((sql) => sql.get(known)), { count: 1 });
});

t.test('while the server is away callers learn no address, and it works again afterwards', { skip }, async (t) => {
  const server = await startPostgres(t);
  const { control } = await open(t, server.getUrl('postgres'));
  await control.database.write(writeNote('note 1'));
  await server.stop('immediate');
  const error = await control.database.read(countNotes).then(
    () => undefined,
    (thrown) => thrown,
  );
  t.match(error, { code: 'STORE_DATABASE_UNAVAILABLE', row: { status: 503 } });
  t.notMatch(`${error.message} ${error.cure}`, /127\.0\.0\.1|postgres/);
  t.match(error.cause, { code: 'STORE_DATABASE_UNREACHABLE', message: new RegExp(`127.0.0.1:${server.port}`) });
  await server.start();
  t.match(await eventually(() => control.database.read(countNotes)), { count: 1 });
});

t.test('a store follows a failover to the promoted standby', { skip: skipWithoutStandby }, async (t) => {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  const { control } = await open(t, `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`);
  await control.database.write(writeNote('note 1'));
  const [{ position } = {}] = await primary.query('SELECT pg_current_wal_lsn()::text AS position');
  const caughtUp = `SELECT pg_last_wal_replay_lsn() >= '${position}' AS is_there`;
  await eventually(async () => (await standby.query(caughtUp))[0]?.is_there);
  await primary.stop('immediate');
  await standby.query('SELECT pg_promote()');
  await control.database.write(writeNote('note 2'));
  t.match(await control.database.read(countNotes), { count: 2 });
});

t.test('a store works behind PgBouncer in both modes', { skip: skipWithoutPgBouncer }, async (t) => {
  // In the mode session each connection of the store takes one of the server's.
  for (const [poolMode, poolSize] of [
    ['transaction', 2],
    ['session', 20],
  ] as const) {
    const { server, name } = await createTestDatabase(t);
    const bouncer = await startPgBouncer(t, server, { poolMode, settings: { default_pool_size: poolSize } });
    const { control } = await open(t, bouncer.getUrl(name));
    const names = Array.from({ length: 40 }, (_, index) => `note ${index}`);
    for (const batch of [names.slice(0, 20), names.slice(20)])
      await Promise.all(
        batch.flatMap((note) => [control.database.write(writeNote(note)), control.database.read(countNotes)]),
      );
    t.match(await control.database.read(countNotes), { count: 40 }, poolMode);
    t.match(control.getState(), { isPooled: true });
  }
});

t.test('PgBouncer in the mode statement is refused with the setting', { skip: skipWithoutPgBouncer }, async (t) => {
  const { server, name } = await createTestDatabase(t);
  const bouncer = await startPgBouncer(t, server, { poolMode: 'statement' });
  await t.rejects(open(t, bouncer.getUrl(name)), { code: 'STORE_DATABASE_POOLER', cure: /pool_mode = transaction/ });
});

t.test('a killed PgBouncer is survived', { skip: skipWithoutPgBouncer }, async (t) => {
  const { server, name } = await createTestDatabase(t);
  const bouncer = await startPgBouncer(t, server, { poolMode: 'transaction' });
  const { control } = await open(t, bouncer.getUrl(name));
  await control.database.write(writeNote('note 1'));
  await bouncer.stop('kill');
  const write = control.database.write(writeNote('note 2'));
  await bouncer.start();
  await write;
  t.match(await control.database.read(countNotes), { count: 2 });
});
