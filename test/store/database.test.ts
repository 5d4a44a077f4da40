import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t from 'tap';
import { copyStore } from '../../src/store/copy.ts';
import { openDatabase } from '../../src/store/database.ts';
import { storeFault } from '../../src/store/faults.ts';
import { lockFolder } from '../../src/store/lock.ts';

const first = 'CREATE TABLE a (x INTEGER) STRICT';
const second = 'ALTER TABLE a ADD COLUMN y INTEGER';
const kind = (...migrations: string[]) => ({ applicationId: 7, migrations });

async function filled(file: string): Promise<void> {
  const database = openDatabase({ file, kind: kind(first) });
  await database.write((sql) => sql.prepare('INSERT INTO a VALUES (1)').run());
  await database.close();
}

t.test('a new store and its folder belong to this user alone', async (t) => {
  const folder = join(t.testdir(), 'deep', 'data');
  const database = openDatabase({ file: join(folder, 's.db'), kind: kind(first) });
  t.teardown(() => database.close());
  t.equal(statSync(folder).mode & 0o777, 0o700);
  t.equal(statSync(join(folder, 's.db')).mode & 0o777, 0o600);
});

t.test('a store is brought forward, and copied first', async (t) => {
  const file = join(t.testdir(), 's.db');
  await filled(file);
  const database = openDatabase({ file, kind: kind(first, second) });
  t.same(await database.read((sql) => sql.prepare('SELECT x, y FROM a').all()), [{ x: 1, y: null }]);
  await database.close();
  t.equal(statSync(`${file}.before-2`).mode & 0o777, 0o600, 'the copy from before version 2 stands beside it');
});

t.test('a migration that fails leaves the store as it was', async (t) => {
  const file = join(t.testdir(), 's.db');
  await filled(file);
  t.throws(() => openDatabase({ file, kind: kind(first, 'ALTER TABLE a ADD COLUMN y INTEGER; NONSENSE') }));
  const database = openDatabase({ file, kind: kind(first) });
  t.same(await database.read((sql) => sql.prepare('SELECT * FROM a').all()), [{ x: 1 }]);
  await database.close();
});

t.test('a store of a newer version is refused and left untouched', async (t) => {
  const file = join(t.testdir(), 's.db');
  await openDatabase({ file, kind: kind(first, second) }).close();
  const before = readFileSync(file);
  t.throws(() => openDatabase({ file, kind: kind(first) }), { code: 'STORE_NEWER', values: { found: 2, known: 1 } });
  t.same(readFileSync(file), before);
});

t.test('a database of another program is refused', async (t) => {
  const file = join(t.testdir(), 's.db');
  await openDatabase({ file, kind: { applicationId: 8, migrations: [first] } }).close();
  t.throws(() => openDatabase({ file, kind: kind(first) }), { code: 'STORE_FOREIGN' });
});

t.test('a damaged file is refused with the way out', (t) => {
  const file = join(
    t.testdir({ 's.db': 'this is no database, but it is long enough to look like a header'.repeat(40) }),
    's.db',
  );
  t.throws(() => openDatabase({ file, kind: kind(first) }), { code: 'STORE_CORRUPT', cure: /vp restore/ });
  t.end();
});

t.test('a store that cannot be opened for want of room is told as a full disk', (t) => {
  const thrown = new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_SHMSIZE');
  t.match(storeFault(thrown, 's.db'), { code: 'STORE_DISK_FULL' });
  t.match(storeFault(new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_READ'), 's.db'), {
    code: 'STORE_UNUSABLE',
  });
  t.end();
});

t.test('a folder that cannot be made is STORE_UNWRITABLE', (t) => {
  const folder = t.testdir({ file: '' });
  t.throws(() => openDatabase({ file: join(folder, 'file', 's.db'), kind: kind(first) }), { code: 'STORE_UNWRITABLE' });
  t.end();
});

t.test('a folder that can never be is refused at once', { skip: !existsSync('/proc') }, (t) => {
  t.throws(() => openDatabase({ file: '/proc/vp/data/s.db', kind: kind(first) }), { code: 'STORE_UNWRITABLE' });
  t.throws(() => lockFolder('/proc/vp', 'control', 1), { code: 'STORE_UNWRITABLE' });
  t.end();
});

t.test('what was deleted is not in the file any more', async (t) => {
  const file = join(t.testdir(), 's.db');
  const database = openDatabase({ file, kind: kind('CREATE TABLE secrets (x TEXT) STRICT') });
  const long = `the long one ${'x'.repeat(20_000)}`;
  for (const text of ['hunter2', long, 'stays'])
    await database.write((sql) => sql.prepare('INSERT INTO secrets VALUES (?)').run(text));
  await database.write((sql) => sql.prepare("DELETE FROM secrets WHERE x <> 'stays'").run());
  await database.close();
  const bytes = readFileSync(file);
  t.ok(bytes.includes('stays'));
  t.notOk(bytes.includes('hunter2'));
  t.notOk(bytes.includes('the long one'));
  t.notOk(bytes.includes('x'.repeat(1000)));
});

t.test('a copy is taken while the store is in use, for this user alone, and never over a file', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 's.db');
  await filled(file);
  const database = openDatabase({ file, kind: kind(first) });
  t.teardown(() => database.close());
  const target = join(folder, 'copy.db');
  await copyStore(file, target, () => {});
  t.equal(statSync(target).mode & 0o777, 0o600);
  await t.rejects(
    copyStore(file, target, () => {}),
    { code: 'BACKUP_EXISTS' },
  );
  await t.rejects(
    copyStore(file, join(folder, 'no', 'where.db'), () => {}),
    { code: 'STORE_UNWRITABLE' },
  );
  const copy = openDatabase({ file: target, kind: kind(first) });
  t.same(await copy.read((sql) => sql.prepare('SELECT x FROM a').all()), [{ x: 1 }]);
  await copy.close();
});

t.test('one process holds a folder; the next is told who', (t) => {
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
