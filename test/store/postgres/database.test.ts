/** The store's promises on a real PostgreSQL. */
import { Type } from '@sinclair/typebox';
import pg from 'pg';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { createCachedReader } from '../../../src/store/cached-reader.ts';
import type { Database } from '../../../src/store/database.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { lockClass, storeLocks } from '../../../src/store/postgres/locks.ts';
import {
  openPostgresStores,
  type PostgresStores,
  type PostgresStoresOptions,
} from '../../../src/store/postgres/stores.ts';
import { createRowReader } from '../../../src/store/row-reader.ts';
import type { Sql } from '../../../src/store/sql.ts';
import { eventually } from '../../eventually.ts';
import { startPgBouncer } from '../../postgres/pgbouncer.ts';
import { skipWithoutPgBouncer, skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase, type TestDatabase } from '../../postgres/test-database.ts';

const skip = skipWithoutPostgres;

type ReplicaOptions = Pick<PostgresStoresOptions, 'epoch' | 'onReplaced'>;

async function openStores(
  t: Test,
  { url }: Pick<TestDatabase, 'url'>,
  options: ReplicaOptions = {},
): Promise<PostgresStores> {
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
  const stores = await openPostgresStores({ settings, clock: systemClock, ...options });
  t.teardown(async () => {
    await Promise.all([stores.control.close(), stores.audit.close(), stores.memory.close()]);
    await stores.close();
  });
  return stores;
}

async function openTestStore(t: Test): Promise<{ database: Database; stores: PostgresStores; server: TestDatabase }> {
  const server = await createTestDatabase(t);
  const stores = await openStores(t, server);
  return { database: stores.control.database, stores, server };
}

const insertNote =
  (name: string, value = '') =>
  (sql: Sql): string => {
    sql.execute('INSERT INTO meta (name, value) VALUES (?, ?)', name, value);
    return name;
  };
const metaReader = createRowReader(Type.Object({ name: Type.String(), value: Type.String() }));
const listNames = (sql: Sql): string[] =>
  metaReader.all(sql, 'SELECT name, value FROM meta ORDER BY name').map(({ name }) => name);

t.test('operations of one tick share one commit', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  let commits = 0;
  database.onCommit(() => {
    commits += 1;
  });
  t.same(await Promise.all(['a', 'b', 'c'].map((name) => database.write(insertNote(name)))), ['a', 'b', 'c']);
  t.equal(commits, 1);
  t.same(await database.read(listNames), ['a', 'b', 'c']);
});

t.test('an operation that throws, or breaks a constraint, undoes only itself', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  const throwing = database.write((sql) => {
    insertNote('half')(sql);
    throw new Error('no');
  });
  const first = database.write(insertNote('a'));
  const doubled = database.write(insertNote('a'));
  const last = database.write(insertNote('b'));
  await Promise.all([
    t.rejects(throwing, { message: 'no' }),
    t.rejects(doubled, { code: 'INTERNAL', detail: /23505/ }),
  ]);
  t.same(await Promise.all([first, last]), ['a', 'b']);
  t.same(await database.read(listNames), ['a', 'b']);
});

t.test('an operation that takes too long undoes only itself', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  const slow = database.write((sql) => {
    insertNote('half')(sql);
    sql.execute("SET LOCAL statement_timeout TO '30ms'");
    sql.get('SELECT pg_sleep(5)');
  });
  const other = database.write(insertNote('a'));
  await t.rejects(slow, { code: 'STORE_DATABASE_UNAVAILABLE' });
  t.equal(await other, 'a');
  t.same(await database.read(listNames), ['a']);
});

t.test('what is read behind a commit is the state after it, and fails without the write', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  const written = await Promise.all(['a', 'b'].map((name) => database.writeAndRead(insertNote(name), listNames)));
  t.same(
    written.map(({ value }) => value),
    ['a', 'b'],
  );
  t.same(await Promise.all(written.map(({ read }) => read())), [
    ['a', 'b'],
    ['a', 'b'],
  ]);
  const twice = await database.writeAndRead(insertNote('c'), (sql) => [listNames(sql), listNames(sql).length]);
  t.same(await twice.read(), [['a', 'b', 'c'], 3], 'several statements are read by themselves');
  const failing = await database.writeAndRead(insertNote('d'), (sql) => sql.get('SELECT nothing FROM nowhere'));
  await t.rejects(failing.read(), { code: 'INTERNAL' });
  await t.rejects(database.writeAndRead(insertNote('a'), listNames), 'a name that is taken');
  t.same(await database.read(listNames), ['a', 'b', 'c', 'd']);
  const unchanged = await database.writeAndRead(() => 'nothing', listNames);
  t.same(await unchanged.read(), ['a', 'b', 'c', 'd']);
});

t.test('a statement that nobody waited for fails: the operation that sent it is taken out', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  const doubled = (sql: Sql) => [insertNote('a')(sql), insertNote('a')(sql)];
  const before = database.write(insertNote('b'));
  const failing = database.write(doubled);
  const reading = database.write(listNames);
  const after = database.write((sql) => {
    const names = listNames(sql);
    insertNote('c')(sql);
    return names;
  });
  await t.rejects(failing, { code: 'INTERNAL', detail: /23505/ });
  t.same(await Promise.all([before, reading, after]), ['b', ['b'], ['b']]);
  // Behind the last statement comes the commit, which PostgreSQL makes a rollback.
  const [first, last] = [database.write(insertNote('d')), database.write(doubled)];
  await t.rejects(last, { code: 'INTERNAL', detail: /23505/ });
  t.equal(await first, 'd');
  t.same(await database.read(listNames), ['b', 'c', 'd']);
});

t.test('an announced read that fails takes out its operation, not the next one', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  const failing = database.write((sql) => {
    sql.ahead((sql) => sql.get('SELECT 1 / 0'));
    throw new Error('refused');
  });
  const after = database.write(insertNote('a'));
  await t.rejects(failing, { message: 'refused' });
  t.equal(await after, 'a');
});

t.test('a transaction that wrote nothing is no commit for listeners', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  let commits = 0;
  database.onCommit(() => {
    commits += 1;
  });
  t.same(await database.write(listNames), []);
  t.same(await database.readExclusively(listNames), []);
  t.equal(commits, 0);
  await database.write(insertNote('a'));
  t.equal(commits, 1);
});

t.test('a read sees one moment, whatever is committed meanwhile', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  await database.write(insertNote('a'));
  const reading = database.read((sql) => [listNames(sql), listNames(sql), listNames(sql)]);
  await database.write(insertNote('b'));
  const [first, second, third] = await reading;
  t.same([second, third], [first, first]);
});

t.test('callers at the same time share a cache, and what it answers needs no connection', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  await database.write(insertNote('a'));
  const find = createCachedReader<string>(database, systemClock, 10);
  const readName = (sql: Sql) => metaReader.first(sql, "SELECT name, value FROM meta WHERE name = 'a'")?.name;
  t.same(await Promise.all([find('a', readName), find('a', readName), find('a', readName)]), ['a', 'a', 'a']);
  let statements = 0;
  const counting = (sql: Sql) => {
    statements += 1;
    return readName(sql);
  };
  t.equal(await find('a', counting), 'a');
  t.equal(statements, 0);
});

t.test(
  'an exclusive read waits for the writes before it, and those behind it wait for the read',
  { skip },
  async (t) => {
    const { database, server } = await openTestStore(t);
    const holder = new pg.Client(server.url);
    await holder.connect();
    t.teardown(() => holder.end());
    await holder.query('SELECT pg_advisory_lock(77)');
    const slow = database.write((sql) => {
      insertNote('a')(sql);
      sql.get('SELECT 1 AS one FROM pg_advisory_xact_lock(77)');
    });
    await eventually(async () => (await holder.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length > 0);
    const ordinary = database.read(listNames);
    const exclusive = database.readExclusively((sql) => [
      listNames(sql),
      sql.get('SELECT 1 FROM pg_sleep(0.2)'),
      listNames(sql),
    ]);
    const later = database.write(insertNote('b'));
    t.same(await ordinary, []);
    await holder.query('SELECT pg_advisory_unlock(77)');
    t.match(await exclusive, [['a'], {}, ['a']]);
    await Promise.all([slow, later]);
    t.same(await database.read(listNames), ['a', 'b']);
  },
);

t.test('an exclusive read alone waits for a writer of another process, and sees what it wrote', { skip }, async (t) => {
  const { database, server } = await openTestStore(t);
  const writer = new pg.Client(server.url);
  await writer.connect();
  t.teardown(() => writer.end());
  await writer.query(`BEGIN; SELECT pg_advisory_xact_lock(${lockClass}, ${storeLocks.control});
    INSERT INTO vp_control.meta (name, value) VALUES ('theirs', '')`);
  const read = database.readExclusively(listNames);
  await eventually(async () => (await writer.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length > 0);
  await writer.query('COMMIT');
  t.same(await read, ['theirs']);
});

t.test('a read with several statements gets its result, also when it catches errors', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  await database.write(insertNote('a'));
  const readTwice = (sql: Sql): unknown => {
    const first = listNames(sql);
    try {
      return [first, listNames(sql)];
    } catch (error) {
      if (error instanceof Error) return 'nothing';
      throw error;
    }
  };
  for (let time = 0; time < 3; time += 1) t.same(await database.read(readTwice), [['a'], ['a']]);
  t.same(await database.read(listNames), ['a'], 'one with the same first statement, and no other');
});

t.test('a read that would change something is refused', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  const changes: ((sql: Sql) => unknown)[] = [
    insertNote('a'),
    (sql) => sql.get("INSERT INTO meta (name, value) VALUES ('b', '') RETURNING name"),
    (sql) => sql.all("WITH b AS (INSERT INTO meta (name, value) VALUES ('b', '') RETURNING name) SELECT name FROM b"),
  ];
  for (const change of changes) await t.rejects(database.read(change), { name: 'VpError' });
  t.same(await database.read(listNames), []);
});

t.test('stores that share connections read their own tables', { skip }, async (t) => {
  const { stores } = await openTestStore(t);
  const listTables = (sql: Sql): unknown[] =>
    sql.all(`SELECT n.nspname::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.oid = to_regclass('meta')`);
  for (let time = 0; time < 3; time += 1) {
    t.same(await stores.audit.read(listTables), [{ name: 'vp_audit' }]);
    t.same(await stores.control.database.read(listTables), [{ name: 'vp_control' }]);
  }
});

t.test('a commit that PostgreSQL turns into a rollback is not acknowledged', { skip }, async (t) => {
  const { stores, server } = await openTestStore(t);
  const { database, counters } = stores.control;
  await server.query('ALTER SEQUENCE vp.run_times MAXVALUE 10000');
  const take = (nowMs: number) => database.write((sql) => insertNote(String(counters.getNextRunTimeMs(nowMs)))(sql));
  t.equal(await take(5_000), '5000');
  await t.rejects(take(20_000), { code: 'INTERNAL' });
  t.same(await database.read(listNames), ['5000']);
});

t.test('the same text means the tables of its store, whatever their types', { skip }, async (t) => {
  const { stores } = await openTestStore(t);
  const insert = (value: string | Uint8Array) => (sql: Sql) =>
    sql.execute("INSERT INTO meta (name, value) VALUES ('x', ?)", value);
  const find = (sql: Sql) => sql.get("SELECT value FROM meta WHERE name = 'x'");
  await stores.control.database.write(insert('text'));
  await stores.audit.write(insert(Buffer.from('bytes')));
  for (let count = 0; count < 5; count += 1) {
    t.same(await stores.control.database.read(find), { value: 'text' });
    t.same(await stores.audit.read(find), { value: Buffer.from('bytes') });
  }
});

t.test('a value of any characters comes back as it was', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  for (const value of ['a\0b', '\u{10FFFE}', '\u{10FFFE}0\0\0', "it's \\ \u{1F600}", '']) {
    await database.write((sql) => {
      sql.execute("DELETE FROM meta WHERE name = 'x'");
      insertNote('x', value)(sql);
    });
    const row = await database.read((sql) =>
      metaReader.first(sql, 'SELECT name, value FROM meta WHERE value = ?', value),
    );
    t.equal(row?.value, value);
  }
});

t.test('behind a PgBouncer that shares connections, everything works', { skip: skipWithoutPgBouncer }, async (t) => {
  const server = await createTestDatabase(t);
  const settings = { default_pool_size: 3 };
  const bouncer = await startPgBouncer(t, server.server, { poolMode: 'transaction', settings });
  const stores = await openStores(t, { url: bouncer.getUrl(server.name) });
  const { database } = stores.control;
  const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
  await Promise.all(
    names.map(async (name) => {
      const find = (sql: Sql) => metaReader.first(sql, 'SELECT name, value FROM meta WHERE name = ?', name);
      const { read } = await database.writeAndRead(insertNote(name, name), find);
      t.match(await read(), { value: name });
      t.match(await database.read(find), { value: name });
    }),
  );
  t.equal((await database.read(listNames)).length, 40);
  t.match(stores.control.getState?.(), { engine: 'postgresql', isPooled: true });
});

t.test(
  'two processes write one after another, and their numbers are in the order of their commits',
  { skip },
  async (t) => {
    const { stores, server } = await openTestStore(t);
    const other = await openStores(t, server);
    const seen: number[] = [];
    const writeMany = async ({ control }: PostgresStores, label: string): Promise<void> => {
      for (let index = 0; index < 20; index += 1)
        await control.database.write((sql) => {
          const before = metaReader.all(sql, 'SELECT name, value FROM meta').map(({ value }) => Number(value));
          const seq = control.counters.nextSeq();
          if (before.some((earlier) => earlier >= seq)) seen.push(seq);
          insertNote(`${label}${index}`, String(seq))(sql);
        });
    };
    await Promise.all([writeMany(stores, 'a'), writeMany(other, 'b')]);
    t.same(seen, [], 'no number is below one that was committed before');
    t.equal((await stores.control.database.read(listNames)).length, 40);
  },
);

t.test('run times are given once by all processes together', { skip }, async (t) => {
  const { stores, server } = await openTestStore(t);
  const other = await openStores(t, server);
  const take = ({ control }: PostgresStores): Promise<number> =>
    control.database.write((sql) => {
      const runMs = control.counters.getNextRunTimeMs(5_000);
      insertNote(String(runMs))(sql);
      return runMs;
    });
  const taken = await Promise.all(Array.from({ length: 20 }, (_, index) => take(index % 2 === 0 ? stores : other)));
  t.equal(new Set(taken).size, 20);
  t.same([Math.min(...taken), Math.max(...taken)], [5_000, 5_019]);
});

t.test('commits of another process are noticed', { skip }, async (t) => {
  const { stores, server } = await openTestStore(t);
  const other = await openStores(t, server);
  await stores.control.database.write(insertNote('a'));
  const before = await stores.control.database.read(() => stores.control.database.getForeignVersion());
  let notices = 0;
  stores.control.database.onCommit(() => {
    notices += 1;
  });
  await other.control.database.write(insertNote('b'));
  await eventually(() => notices > 0);
  t.not(stores.control.database.getForeignVersion(), before);
});

t.test('a transaction of this process is not taken for one of another while it is open', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  await database.write(insertNote('a'));
  let notices = 0;
  t.teardown(
    database.onCommit(() => {
      notices += 1;
    }),
  );
  const before = database.getForeignVersion();
  // Longer than from one look to the next.
  await database.write((sql) => [insertNote('b')(sql), sql.get('SELECT pg_sleep(0.6)')]);
  t.equal(database.getForeignVersion(), before);
  t.equal(notices, 1, 'its own commit');
});

t.test('what another process commits long after it took its number is noticed', { skip }, async (t) => {
  const { database, server } = await openTestStore(t);
  await database.write(insertNote('a'));
  const find = createCachedReader<string>(database, systemClock, 10);
  const readName = (sql: Sql) => metaReader.first(sql, "SELECT name, value FROM meta WHERE name = 'a'")?.name;
  // The watch has seen our own number.
  await new Promise((resolve) => setTimeout(resolve, 600));
  const other = new pg.Client(server.url);
  await other.connect();
  t.teardown(() => other.end());
  await other.query('BEGIN; SELECT * FROM vp.begin_write(1, NULL)');
  await other.query("DELETE FROM vp_control.meta WHERE name = 'a'");
  await new Promise((resolve) => setTimeout(resolve, 600));
  t.equal(await find('a', readName), 'a', 'not committed yet');
  await other.query('COMMIT');
  await eventually(async () => (await find('a', readName)) === undefined);
});

t.test('a write of a replica that is not active any more is refused, and stores nothing', { skip }, async (t) => {
  const server = await createTestDatabase(t);
  let replaced = 0;
  const onReplaced = (): void => {
    replaced += 1;
  };
  const stores = await openStores(t, server, { epoch: () => 3, onReplaced });
  await server.query('UPDATE vp.active_replica SET epoch = 3');
  await stores.control.database.write(insertNote('a'));
  await server.query('UPDATE vp.active_replica SET epoch = 4');
  t.equal(replaced, 0);
  await t.rejects(stores.control.database.write(insertNote('b')), { code: 'STORE_NOT_ACTIVE' });
  t.equal(replaced, 1, 'its replica learns of it');
  const readFirst = stores.control.database.write((sql) => [listNames(sql), insertNote('c')(sql)]);
  await t.rejects(readFirst, { code: 'STORE_NOT_ACTIVE' });
  t.same(await stores.control.database.read(listNames), ['a']);
});

t.test('an exclusive read takes no number, and is refused to a replica that is not active', { skip }, async (t) => {
  const server = await createTestDatabase(t);
  let replaced = 0;
  const onReplaced = (): void => {
    replaced += 1;
  };
  let epoch = 3;
  const { database } = (await openStores(t, server, { epoch: () => epoch, onReplaced })).control;
  await server.query('UPDATE vp.active_replica SET epoch = 3');
  await database.write(insertNote('a'));
  const readNumber = async () => (await server.query('SELECT last_value FROM vp.commits_1'))[0]?.last_value;
  const before = await readNumber();
  t.same(await database.readExclusively(listNames), ['a']);
  t.same(await database.readExclusively((sql) => [listNames(sql), listNames(sql)]), [['a'], ['a']]);
  t.equal(await readNumber(), before);
  await t.rejects(
    database.readExclusively(() => {
      throw new Error('its own');
    }),
    { message: 'its own' },
  );
  await server.query('UPDATE vp.active_replica SET epoch = 4');
  await t.rejects(database.readExclusively(listNames), { code: 'STORE_NOT_ACTIVE' });
  t.equal(replaced, 1, 'its replica learns of it');
  epoch = 4;
  t.same(await database.readExclusively(listNames), ['a'], 'the connection goes on');
});

t.test('a connection that ends in mid-transaction: the write is made once', { skip }, async (t) => {
  const { database, server } = await openTestStore(t);
  await database.write(insertNote('a'));
  const kill = (): Promise<unknown> =>
    server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = '${server.name}' AND application_name = 'vp' AND pid <> pg_backend_pid()`);
  const killing = (async () => {
    for (let count = 0; count < 20; count += 1) {
      await kill();
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  })();
  const names = Array.from({ length: 150 }, (_, index) => `n${String(index).padStart(3, '0')}`);
  for (const name of names) t.equal(await database.write(insertNote(name)), name);
  await killing;
  t.same(await database.read(listNames), ['a', ...names]);
});

t.test('an attempt that was ended after longer than writes are tried again is made again', { skip }, async (t) => {
  const { database, server } = await openTestStore(t);
  const { now } = performance;
  t.teardown(() => Object.assign(performance, { now }));
  let ended: Promise<unknown> | undefined;
  const written = database.write((sql) => {
    const { pid } = Object(sql.get('SELECT pg_backend_pid() AS pid'));
    // As after a process that stood still, whose transaction PostgreSQL has ended.
    performance.now = () => now.call(performance) + 20_000;
    ended ??= server.query(`SELECT pg_terminate_backend(${pid})`);
    sql.all('SELECT pg_sleep(0.2)');
    return insertNote('b')(sql);
  });
  t.equal(await written, 'b');
  await ended;
  t.same(await database.read(listNames), ['b']);
});

t.test('a write whose attempts all take long is tried twice', { skip }, async (t) => {
  const { database, server } = await openTestStore(t);
  const { now } = performance;
  t.teardown(() => Object.assign(performance, { now }));
  const pids = new Set<number>();
  const written = database.write((sql) => {
    const { pid } = Object(sql.get('SELECT pg_backend_pid() AS pid'));
    pids.add(pid);
    performance.now = () => now.call(performance) + pids.size * 20_000;
    void server.query(`SELECT pg_terminate_backend(${pid})`);
    sql.all('SELECT pg_sleep(0.2)');
    return insertNote('c')(sql);
  });
  await t.rejects(written, { code: 'STORE_DATABASE_UNAVAILABLE' });
  t.equal(pids.size, 2);
  t.same(await database.read(listNames), []);
});

t.test('all idle connections ended: the next read is made on a new one', { skip }, async (t) => {
  const { database, server } = await openTestStore(t);
  await database.write(insertNote('a'));
  const readSlowly = () => database.read((sql) => [sql.get('SELECT pg_sleep(0.05)'), listNames(sql)]);
  await Promise.all(Array.from({ length: 5 }, readSlowly));
  const ended = await server.query(`SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = '${server.name}' AND application_name = 'vp'`);
  t.ok(ended.length > 3, 'more than a read tries');
  const pids = ended.map(({ pid }) => pid).join(', ');
  await eventually(async () => {
    const alive = await server.query(`SELECT pid FROM pg_stat_activity WHERE pid IN (${pids})`);
    return alive.length === 0;
  });
  t.same(await database.read(listNames), ['a']);
});

t.test('PostgreSQL restarts: writes wait for it, and none is lost or made twice', { skip }, async (t) => {
  const { database, server } = await openTestStore(t);
  const names = Array.from({ length: 30 }, (_, index) => `n${String(index).padStart(2, '0')}`);
  const writing = (async () => {
    for (const name of names) {
      await database.write(insertNote(name));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  await server.server.stop('immediate');
  await server.server.start();
  await writing;
  t.same(await database.read(listNames), names);
});

t.test('a statement that fails tells callers nothing about the database', { skip }, async (t) => {
  const { database } = await openTestStore(t);
  await t.rejects(
    database.read((sql) => sql.get('SELECT nothing FROM nowhere')),
    { code: 'INTERNAL', message: 'something went wrong inside vp' },
  );
});

t.test('while PostgreSQL is away, callers learn that and no address', { skip }, async (t) => {
  const { database, server } = await openTestStore(t);
  await server.server.stop('immediate');
  t.teardown(() => server.server.start());
  const error = await database.read(listNames).catch((thrown: unknown) => thrown);
  t.match(error, { code: 'STORE_DATABASE_UNAVAILABLE' });
  t.notMatch(String(error), '127.0.0.1');
});
