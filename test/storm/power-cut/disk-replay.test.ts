/** A replayed disk keeps what was synced, and everything else only by chance. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createSeededRandom } from '../seeded-random.ts';
import { cutKinds, type JournalRecord, ReplayedDisk, readJournal } from './disk-replay.ts';

const operations = ['created', 'written', 'truncated', 'renamed', 'removed', 'sync begun', 'sync ended'];

type Step = {
  readonly operation: JournalRecord['operation'];
  readonly path: string;
  readonly offset?: number;
  readonly text?: string;
  readonly thread?: number;
};

/** As `write-journal.c` writes it. */
function encode({ operation, path, offset = 0, text = '', thread = 1 }: Step): Buffer {
  const header = Buffer.alloc(32);
  header.writeUInt32LE(operations.indexOf(operation) + 1, 0);
  header.writeUInt32LE(Buffer.byteLength(path), 4);
  header.writeBigUInt64LE(BigInt(offset), 8);
  header.writeBigUInt64LE(BigInt(Buffer.byteLength(text)), 16);
  header.writeBigUInt64LE(BigInt(thread), 24);
  return Buffer.concat([header, Buffer.from(path), Buffer.from(text)]);
}

const sync = (path: string, thread = 1): Step[] => [
  { operation: 'sync begun', path, thread },
  { operation: 'sync ended', path, thread },
];
const write = (path: string, text: string, offset = 0): Step => ({ operation: 'written', path, text, offset });

/** The files after many cuts at the end of the steps: for each, the different contents, `absent` among them. */
function cutOften(t: Test, steps: readonly Step[]): Record<string, string[]> {
  const disk = new ReplayedDisk('/data');
  for (const record of readJournal(Buffer.concat(steps.map(encode)))) disk.apply(record);
  const random = createSeededRandom(7);
  const contents: Record<string, Set<string>> = { a: new Set(), b: new Set() };
  for (let count = 0; count < 50; count += 1) {
    const folder = join(t.testdir(), String(count));
    disk.cut(folder, random.pick(cutKinds), random);
    for (const [name, versions] of Object.entries(contents)) {
      const file = join(folder, name);
      versions.add(existsSync(file) ? readFileSync(file, 'utf8') : 'absent');
    }
  }
  return Object.fromEntries(Object.entries(contents).map(([name, versions]) => [name, [...versions].sort()]));
}

const created: Step[] = [{ operation: 'created', path: '/data/a' }, ...sync('/data')];

t.test('what was synced is always there, what was written since only at times', async (t) => {
  const steps = [...created, write('/data/a', 'old'), ...sync('/data/a'), write('/data/a', 'new')];
  t.same(cutOften(t, steps), { a: ['new', 'old'], b: ['absent'] });
});

t.test('a file whose folder was not synced may be missing, although it was synced itself', async (t) => {
  const steps: Step[] = [{ operation: 'created', path: '/data/a' }, write('/data/a', 'x'), ...sync('/data/a')];
  t.same(cutOften(t, steps), { a: ['absent', 'x'], b: ['absent'] });
  t.same(cutOften(t, [...steps, ...sync('/data')]), { a: ['x'], b: ['absent'] });
});

t.test('writes are lost in any order', async (t) => {
  const steps = [
    ...created,
    write('/data/a', '--'),
    ...sync('/data/a'),
    write('/data/a', '1'),
    write('/data/a', '2', 1),
  ];
  t.same(cutOften(t, steps).a, ['--', '-2', '1-', '12']);
});

t.test('a write is torn between sectors only', async (t) => {
  const [first, second] = ['a'.repeat(512), 'b'.repeat(512)];
  const steps = [...created, write('/data/a', '.'.repeat(1024)), ...sync('/data/a'), write('/data/a', first + second)];
  const contents = cutOften(t, steps).a ?? [];
  t.ok(contents.includes(first + '.'.repeat(512)) && contents.includes('.'.repeat(512) + second));
  t.ok(contents.every((text) => /^(a{512}|\.{512})(b{512}|\.{512})$/.test(text)));
});

t.test('a sync covers what was written before it began', async (t) => {
  const syncStart: Step = { operation: 'sync begun', path: '/data/a', thread: 2 };
  const syncEnd: Step = { operation: 'sync ended', path: '/data/a', thread: 2 };
  const steps = [...created, write('/data/a', 'A'), syncStart, write('/data/a', 'B', 1), syncEnd];
  t.same(cutOften(t, steps).a, ['A', 'AB']);
});

t.test('a rename and a truncation last from their sync on', async (t) => {
  const renamed: Step = { operation: 'renamed', path: '/data/a\0/data/b' };
  const truncated: Step = { operation: 'truncated', path: '/data/a', offset: 1 };
  const steps = [...created, write('/data/a', 'xyz'), ...sync('/data/a')];
  t.same(cutOften(t, [...steps, renamed]), { a: ['absent', 'xyz'], b: ['absent', 'xyz'] });
  t.same(cutOften(t, [...steps, renamed, ...sync('/data')]), { a: ['absent'], b: ['xyz'] });
  t.same(cutOften(t, [...steps, truncated]).a, ['x', 'xyz']);
  t.same(cutOften(t, [...steps, truncated, ...sync('/data/a')]).a, ['x']);
});
