/** The record of a position is changed in place, and always reads as what was set last. */
import { crc32 } from 'node:zlib';
import t, { type Test } from 'tap';
import {
  PositionRecord,
  parseRecord,
  recordBytes,
  type StorePosition,
} from '../../../src/store/sqlite/position-record.ts';

const open = { state: 'open', pid: 4242, fileStamp: '-' } as const;

/** As versions before wrote it. */
function format({ state, commits, pid, fileStamp }: StorePosition): string {
  const text = `vp1 ${state} ${commits} ${pid} ${fileStamp}`.padEnd(recordBytes - 10);
  return `${text} ${crc32(text).toString(16).padStart(8, '0')}\n`;
}

function assertRecord(t: Test, record: PositionRecord, position: StorePosition): void {
  record.set(position);
  const text = record.bytes.toString('latin1');
  t.equal(text, format(position));
  t.same(parseRecord(text), position);
}

t.test('a record that is changed in place is the one that would be made anew', async (t) => {
  const record = new PositionRecord();
  for (const commits of [0, 1, 9, 10, 11, 99, 100, 101, 7, 999, 1000, 1001, 123_456, 123_457, 1_795_945_406_960, 5])
    assertRecord(t, record, { ...open, commits });
  for (let commits = 95; commits < 1_105; commits += 1) assertRecord(t, record, { ...open, commits });
});

t.test('another state, process or stamp is written as well, shorter or longer', async (t) => {
  const record = new PositionRecord();
  const stamp = '4689920:1795945354725';
  const positions: StorePosition[] = [
    { ...open, commits: 12 },
    { ...open, commits: 13, state: 'closed', fileStamp: stamp },
    { ...open, commits: 13, pid: 7 },
    { ...open, commits: 14, pid: 7 },
    { ...open, commits: 999_999_999_999_999, pid: 4_194_304, fileStamp: stamp },
  ];
  for (const position of positions) assertRecord(t, record, position);
});

t.test('a torn record is not read', async (t) => {
  const record = new PositionRecord();
  record.set({ ...open, commits: 41 });
  const before = record.bytes.toString('latin1');
  record.set({ ...open, commits: 52 });
  const after = record.bytes.toString('latin1');
  for (const length of [10, 11, 40, 90]) t.equal(parseRecord(after.slice(0, length) + before.slice(length)), undefined);
  t.equal(parseRecord(after.slice(0, 50)), undefined);
  t.equal(parseRecord(''), undefined);
});
