/** Commits that are gone, damage, and a second process are noticed before a store is used. */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { VpError } from '../../src/errors/vp-error.ts';
import type { StoreKind } from '../../src/store/database.ts';
import { assertStoreNotInUse, openDatabase } from '../../src/store/engine.ts';
import { copyStore } from './copy-store.ts';

const kind: StoreKind = {
  applicationId: 7,
  migrations: ['CREATE TABLE a (x INTEGER, y TEXT) STRICT; CREATE INDEX ax ON a (y)'],
};
const acknowledged = 60;
const text = 'a row that fills its page in no time '.repeat(20);

function open(file: string, onLoss?: (loss: VpError) => void, role: 'owner' | 'guest' = 'owner') {
  return openDatabase({ file, createKind: kind, position: { role, pid: process.pid, onLoss } });
}

async function countRows(file: string): Promise<unknown> {
  const database = open(file);
  const [row] = await database.read((sql) => sql.all('SELECT count(*) AS count FROM a'));
  await database.close();
  return row;
}

async function insertRows(database: ReturnType<typeof open>, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await database.write((sql) => sql.run('INSERT INTO a VALUES (?, ?)', index, `${index} ${text}`));
}

/** The files of a store whose process was killed: the last 60 commits are in its write-ahead log only. */
async function createKilledStore(t: Test) {
  const base = t.testdir({ live: {}, old: {} });
  const file = join(base, 'live', 's.db');
  const first = open(file);
  await insertRows(first, 40);
  await first.close();
  cpSync(join(base, 'live'), join(base, 'old'), { recursive: true });
  const database = open(file);
  await insertRows(database, acknowledged);
  cpSync(join(base, 'live'), join(base, 'killed'), { recursive: true });
  await database.close();
  /** A fresh copy of the killed store. */
  const fresh = (): string => {
    const folder = join(base, 'now');
    rmSync(folder, { recursive: true, force: true });
    cpSync(join(base, 'killed'), folder, { recursive: true });
    return join(folder, 's.db');
  };
  return { fresh, old: join(base, 'old', 's.db') };
}

t.test('a killed store has everything, and says nothing', async (t) => {
  const { fresh } = await createKilledStore(t);
  const file = fresh();
  t.same(await countRows(file), { count: 100 });
  t.same(await countRows(file), { count: 100 }, 'and again, after a close in order');
});

t.test('commits that are gone are noticed, and nothing is changed', async (t) => {
  const { fresh, old } = await createKilledStore(t);
  const losses: readonly [string, (file: string) => void, number][] = [
    ['the write-ahead log is deleted', (file) => rmSync(`${file}-wal`), 60],
    ['with its index', (file) => ['-wal', '-shm'].map((suffix) => rmSync(file + suffix)), 60],
    ['the log is empty', (file) => truncateSync(`${file}-wal`, 0), 60],
    ['the log is cut', (file) => truncateSync(`${file}-wal`, Math.trunc(readFileSync(`${file}-wal`).length / 2)), 0],
    ['a byte in the log is wrong', (file) => flipByte(`${file}-wal`, 0.3), 0],
    ['its header is zeroed', (file) => writeFileSync(`${file}-wal`, readFileSync(`${file}-wal`).fill(0, 0, 32)), 60],
    [
      'the store is an older copy',
      (file) => {
        for (const suffix of ['-wal', '-shm']) rmSync(file + suffix);
        copyFileSync(old, file);
      },
      60,
    ],
  ];
  for (const [description, lose, lost] of losses) {
    const file = fresh();
    lose(file);
    rmSync(`${file}-shm`, { force: true });
    const before = readFileSync(file);
    t.throws(() => open(file), { code: 'STORE_WENT_BACK', cure: /vp restore.*vp accept-loss/ }, description);
    t.throws(
      () => open(file),
      { code: 'STORE_WENT_BACK', ...(lost > 0 ? { values: { lost, known: 100 } } : {}) },
      'again',
    );
    t.throws(() => open(file, undefined, 'guest'), { code: 'STORE_WENT_BACK' }, 'a command beside it too');
    t.same(readFileSync(file), before, 'the store was not touched');
  }
});

function flipByte(file: string, share: number): void {
  const bytes = readFileSync(file);
  const position = Math.trunc(bytes.length * share);
  bytes[position] = (bytes[position] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
}

t.test('a loss that is accepted is told until the first commit', async (t) => {
  const { fresh } = await createKilledStore(t);
  const file = fresh();
  rmSync(`${file}-wal`);
  const losses: string[] = [];
  const accept = ({ code }: VpError): void => void losses.push(code);
  await open(file, accept).close();
  t.throws(() => open(file), { code: 'STORE_WENT_BACK' }, 'it was accepted, and nothing recorded it');
  const database = open(file, accept);
  await insertRows(database, 1);
  await database.close();
  t.same(losses, ['STORE_WENT_BACK', 'STORE_WENT_BACK']);
  t.same(await countRows(file), { count: 41 });
});

t.test('a store that is missing or empty is not begun anew', async (t) => {
  const { fresh } = await createKilledStore(t);
  const removed = fresh();
  for (const suffix of ['', '-wal', '-shm']) rmSync(removed + suffix);
  t.throws(() => open(removed), { code: 'STORE_LOST', message: /is missing, although s\.position/ });
  t.notOk(existsSync(removed));
  const emptied = fresh();
  truncateSync(emptied);
  t.throws(() => open(emptied), { code: 'STORE_LOST', message: /is empty/ });
});

t.test('without its position, or with one that a power cut has torn, a store is checked and used', async (t) => {
  const { fresh } = await createKilledStore(t);
  for (const damage of [rmSync, (file: string) => flipByte(file, 0.5), (file: string) => truncateSync(file, 20)]) {
    const file = fresh();
    damage(file.replace('.db', '.position'));
    t.same(await countRows(file), { count: 100 });
  }
});

t.test(
  'damaged pages are noticed after an end out of order, and when the file changed while it was closed',
  async (t) => {
    const { fresh, old } = await createKilledStore(t);
    const file = fresh();
    t.same(await countRows(file), { count: 100 });
    const closed = readFileSync(file);
    const expected = { code: 'STORE_DAMAGED', message: /s\.db is damaged: ./, cure: /vp restore/ };
    for (const [description, bytes] of [
      ['flipped', Buffer.from(closed).fill(0xa5, 5 * 4096, 9 * 4096)],
      ['cut at a page', closed.subarray(0, closed.length - 5 * 4096)],
      ['cut within a page', closed.subarray(0, closed.length - 1000)],
    ] as const) {
      writeFileSync(file, bytes);
      // Later than the close: within a tick of the system's clock a change of the same size has the same time.
      utimesSync(file, new Date(), new Date(Date.now() + 1000));
      t.throws(() => open(file), expected, `${description}, while closed`);
    }
    writeFileSync(file, Buffer.from(closed).fill(0, 0, 100));
    t.throws(() => open(file), { code: 'STORE_CORRUPT' }, 'no header');
    writeFileSync(file, closed);
    t.same(await countRows(file), { count: 100 });
    const killed = fresh();
    const bytes = readFileSync(old);
    rmSync(`${killed}-wal`);
    writeFileSync(killed, bytes.fill(0xa5, 5 * 4096, 9 * 4096));
    t.throws(() => open(killed), expected, 'after a kill');
  },
);

t.test(
  'a store in use is refused to a second owner, also without a lock file, and readers are not in the way',
  async (t) => {
    const folder = join(t.testdir(), 'data');
    mkdirSync(folder);
    const file = join(folder, 's.db');
    const database = open(file);
    await insertRows(database, 1);
    t.throws(() => assertStoreNotInUse(file, 1), {
      code: 'STORE_IN_USE',
      message: new RegExp(`process ${process.pid}`),
    });
    t.throws(() => open(file), { code: 'STORE_IN_USE' });
    const guest = open(file, undefined, 'guest');
    await insertRows(guest, 1);
    await guest.close();
    await copyStore(file, join(folder, 'copy.db'));
    await insertRows(database, 1);
    await database.close();
    const reader = openDatabase({ file, createKind: kind });
    await reader.read((sql) => sql.get('SELECT 1 FROM a'));
    const next = open(file);
    await insertRows(next, 1);
    await reader.close();
    await next.close();
    t.same(await countRows(file), { count: 4 });
    t.same(readdirSync(folder).sort(), ['copy.db', 's.db', 's.position']);
  },
);

t.test('rows that a statement changes and returns are counted as changes', async (t) => {
  const file = join(t.testdir(), 's.db');
  const database = open(file);
  const before = database.countCommits() ?? 0;
  await database.write((sql) => sql.get('INSERT INTO a VALUES (7, NULL) RETURNING x'));
  t.equal(database.countCommits(), before + 1);
  await database.write((sql) => sql.all('UPDATE a SET x = x + 1 RETURNING x'));
  t.equal(database.countCommits(), before + 2);
  await database.write((sql) => [sql.get('DELETE FROM a WHERE x = 99 RETURNING x'), sql.all('SELECT x FROM a')]);
  t.equal(database.countCommits(), before + 2);
  await database.close();
});

t.test('a transaction that changes nothing writes nothing', async (t) => {
  const file = join(t.testdir(), 's.db');
  const database = open(file);
  await insertRows(database, 1);
  const before = readFileSync(`${file}-wal`).length;
  await database.write((sql) => sql.run('DELETE FROM a WHERE x = 99'));
  t.equal(readFileSync(`${file}-wal`).length, before);
  await database.close();
});
