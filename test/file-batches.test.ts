import t from 'tap';
import { groupFiles, hasFailure, splitOutput } from './file-batches.ts';
import type { FileCosts } from './file-schedule.ts';

const short = { wallMs: 500, processorMs: 300 };
const toCosts = (files: readonly string[], cost = short): FileCosts =>
  Object.fromEntries(files.map((file) => [file, cost]));
const countFiles = (batches: readonly (readonly string[])[]): readonly number[] => batches.map(({ length }) => length);

t.test('short files share processes by name, up to a number and a time that leave some for each core', async (t) => {
  const files = Array.from({ length: 70 }, (_, index) => `test/a/${String(index).padStart(2, '0')}.test.ts`);
  const batches = groupFiles([...files].reverse(), toCosts(files), () => false);
  t.same(batches.flat(), files);
  t.same(countFiles(batches), [32, 32, 6]);
  const longer = toCosts(files, { wallMs: 5000, processorMs: 300 });
  t.same(countFiles(groupFiles(files.slice(0, 16), longer, () => false)), [6, 6, 4]);
});

t.test('a long file and one that needs a process of its own stand alone', async (t) => {
  const files = ['a', 'b', 'c', 'd', 'e'];
  const costs = { ...toCosts(files), b: { wallMs: 9000, processorMs: 100 } };
  const batches = groupFiles(files, costs, (file) => file === 'd');
  t.same(batches, [['a', 'c', 'e'], ['b'], ['d']]);
});

const shared = `TAP version 14
# Subtest: a
    # Subtest: first
        ok 1 - should be equal
        1..1
    ok 1 - first # time=1ms
    
    1..1
ok 1 - a # time=2ms

# Subtest: b
    # Subtest: second
        not ok 1 - should be equal
          ---
          diff: here
          ...
        1..1
    not ok 1 - second # time=1ms
    1..1
    # failed 1 test
not ok 2 - b # time=2ms
  ---
  at: nowhere
  ...

# Subtest: c
    1..0
ok 3 - c # time=1ms`.split('\n');

t.test('each file gets the lines that a process of its own would have printed', async (t) => {
  const outputs = splitOutput(shared, ['a', 'b', 'c']);
  const firstLines = [
    '# Subtest: first',
    '    ok 1 - should be equal',
    '    1..1',
    'ok 1 - first # time=1ms',
    '',
    '1..1',
  ];
  t.same(outputs.get('a'), firstLines);
  t.match(outputs.get('b')?.join('\n'), /^ {4}not ok 1 - should be equal\n {6}---\n {6}diff: here/m);
  t.notMatch(outputs.get('b')?.join('\n'), 'nowhere', 'what is said of the file as a test is left out');
  t.same(outputs.get('c'), ['1..0']);
  t.same(
    [...outputs.values()].map((lines) => hasFailure(lines)),
    [false, true, false],
  );
});

t.test('an error that no test of a file caught is a failure of the file that was running', async (t) => {
  const lines = ['# Subtest: a', '    ok 1 - x', 'ok 1 - a', 'not ok 2 - thrown later', '  ---', '  at: here', '  ...'];
  const outputs = splitOutput(lines, ['a', 'b']);
  t.same(outputs.get('a'), ['ok 1 - x', 'not ok 2 - thrown later', '  ---', '  at: here', '  ...']);
  t.same(outputs.get('b'), []);
});

t.test(
  'what a test prints by itself stays as it is, and a test with the name of another file is no file',
  async (t) => {
    const lines = ['# Subtest: a', 'printed', '    # Subtest: b', '        ok 1 - x', '    ok 1 - b', 'ok 1 - a'];
    t.same(splitOutput(lines, ['a', 'b']).get('a'), ['printed', '# Subtest: b', '    ok 1 - x', 'ok 1 - b']);
  },
);
