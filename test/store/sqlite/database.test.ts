import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t from 'tap';
import { lockFolder, openDatabase } from '../../../src/store/engine.ts';
import { toStoreError } from '../../../src/store/sqlite/errors.ts';
import { copyStore } from '../copy-store.ts';

const firstMigration = 'CREATE TABLE a (x INTEGER) STRICT';
const secondMigration = 'ALTER TABLE a ADD COLUMN y INTEGER';
const createKind = (...migrations: string[]) => ({ applicationId: 7, migrations });

async function createStore(file: string): Promise<void> {
  const database = openDatabase({ file, createKind: createKind(firstMigration) });
  await database.write((sql) => sql.run('INSERT INTO a VALUES (1)'));
  await database.close();
}

t.test('a new store and its folder are accessible to this user only', async (t) => {
  const folder = join(t.testdir(), 'deep', 'data');
  const database = openDatabase({ file: join(folder, 's.db'), createKind: createKind(firstMigration) });
  t.teardown(() => database.close());
  t.equal(statSync(folder).mode & 0o777, 0o700);
  t.equal(statSync(join(folder, 's.db')).mode & 0o777, 0o600);
});

t.test('a store is copied before it is migrated', async (t) => {
  const file = join(t.testdir(), 's.db');
  await createStore(file);
  const database = openDatabase({ file, createKind: createKind(firstMigration, secondMigration) });
  t.same(await database.read((sql) => sql.all('SELECT x, y FROM a')), [{ x: 1, y: null }]);
  await database.close();
  t.equal(statSync(`${file}.before-2`).mode & 0o777, 0o600, 'the copy from before version 2 stands beside it');
});

t.test('a migration that fails leaves the store as it was', async (t) => {
  const file = join(t.testdir(), 's.db');
  await createStore(file);
  t.throws(() =>
    openDatabase({ file, createKind: createKind(firstMigration, 'ALTER TABLE a ADD COLUMN y INTEGER; NONSENSE') }),
  );
  const database = openDatabase({ file, createKind: createKind(firstMigration) });
  t.same(await database.read((sql) => sql.all('SELECT * FROM a')), [{ x: 1 }]);
  await database.close();
});

t.test('a store of a newer version is refused and left untouched', async (t) => {
  const file = join(t.testdir(), 's.db');
  await openDatabase({ file, createKind: createKind(firstMigration, secondMigration) }).close();
  const before = readFileSync(file);
  t.throws(() => openDatabase({ file, createKind: createKind(firstMigration) }), {
    code: 'STORE_NEWER',
    values: { found: 2, known: 1 },
  });
  t.same(readFileSync(file), before);
});

t.test('a database of another program is refused', async (t) => {
  const file = join(t.testdir(), 's.db');
  await openDatabase({ file, createKind: { applicationId: 8, migrations: [firstMigration] } }).close();
  t.throws(() => openDatabase({ file, createKind: createKind(firstMigration) }), { code: 'STORE_FOREIGN' });
});

t.test('a damaged file is refused; the error says how to fix it', (t) => {
  const file = join(
    t.testdir({ 's.db': 'this is no database, but it is long enough to look like a header'.repeat(40) }),
    's.db',
  );
  t.throws(() => openDatabase({ file, createKind: createKind(firstMigration) }), {
    code: 'STORE_CORRUPT',
    cure: /vp restore/,
  });
  t.end();
});

t.test('a store that cannot be opened for lack of space is reported as a full disk', (t) => {
  const thrown = new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_SHMSIZE');
  t.match(toStoreError(thrown, 's.db'), { code: 'STORE_DISK_FULL' });
  t.match(toStoreError(new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_READ'), 's.db'), {
    code: 'STORE_UNUSABLE',
  });
  t.end();
});

t.test('a folder that cannot be created is STORE_UNWRITABLE', (t) => {
  const folder = t.testdir({ file: '' });
  t.throws(() => openDatabase({ file: join(folder, 'file', 's.db'), createKind: createKind(firstMigration) }), {
    code: 'STORE_UNWRITABLE',
  });
  t.end();
});

t.test('a folder that can never exist is refused at once', { skip: !existsSync('/proc') }, (t) => {
  t.throws(() => openDatabase({ file: '/proc/vp/data/s.db', createKind: createKind(firstMigration) }), {
    code: 'STORE_UNWRITABLE',
  });
  t.throws(() => lockFolder('/proc/vp', 'control', 1), { code: 'STORE_UNWRITABLE' });
  t.end();
});

t.test('deleted rows are not left in the file', async (t) => {
  const file = join(t.testdir(), 's.db');
  const database = openDatabase({ file, createKind: createKind('CREATE TABLE secrets (x TEXT) STRICT') });
  const longText = `the long one ${'x'.repeat(20_000)}`;
  for (const text of ['hunter2', longText, 'stays'])
    await database.write((sql) => sql.run('INSERT INTO secrets VALUES (?)', text));
  await database.write((sql) => sql.run("DELETE FROM secrets WHERE x <> 'stays'"));
  await database.close();
  const bytes = readFileSync(file);
  t.ok(bytes.includes('stays'));
  t.notOk(bytes.includes('hunter2'));
  t.notOk(bytes.includes('the long one'));
  t.notOk(bytes.includes('x'.repeat(1000)));
});

t.test('a copy of a store in use is accessible to this user only', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 's.db');
  await createStore(file);
  const database = openDatabase({ file, createKind: createKind(firstMigration) });
  t.teardown(() => database.close());
  const target = join(folder, 'copy.db');
  await copyStore(file, target);
  t.equal(statSync(target).mode & 0o777, 0o600);
  await t.rejects(copyStore(file, join(folder, 'no', 'where.db')), { code: 'STORE_UNWRITABLE' });
  const copy = openDatabase({ file: target, createKind: createKind(firstMigration) });
  t.same(await copy.read((sql) => sql.all('SELECT x FROM a')), [{ x: 1 }]);
  await copy.close();
});

t.test('one process locks a folder; the error of the next names it', (t) => {
  const folder = t.testdir();
  const lock = lockFolder(folder, 'control', 4711);
  t.throws(() => lockFolder(folder, 'control', 4712), { code: 'STORE_IN_USE', message: /process 4711/ });
  lock.release();
  lockFolder(folder, 'control', 4712).release();
  writeFileSync(join(folder, 'control.pid'), 'rubbish');
  const held = lockFolder(folder, 'control', 1);
  writeFileSync(join(folder, 'control.pid'), 'rubbish');
  t.throws(() => lockFolder(folder, 'control', 2), { code: 'STORE_IN_USE', values: { holder: '' } });
  held.release();
  chmodSync(folder, 0o700);
  t.end();
});
