import t from 'tap';
import { createTapReader, type FileResult } from './tap-reader.ts';

const green: Omit<FileResult, 'lines'> = {
  file: 'test/x.test.ts',
  exitCode: 0,
  signal: null,
  timedOut: false,
  durationMs: 17.8,
};

function read(text: string, { failOnSkip = false, ...end }: Partial<FileResult> & { failOnSkip?: boolean } = {}) {
  let output = '';
  const reader = createTapReader({ failOnSkip, write: (chunk) => (output += chunk) });
  reader.readFile({ ...green, ...end, lines: text.split('\n') });
  return { output, ...reader.totals() };
}

const passing = `TAP version 14
# Subtest: one
    ok 1 - should be equal
    1..1
ok 1 - one # time=4.837ms

# Subtest: two
    ok 1 - should be equal
    ok 2 - inner # SKIP
    1..2
ok 2 - two # time=1ms

ok 3 - three # SKIP why
1..3
# time=17.833ms`;

t.test('a file whose tests passed is one line', async (t) => {
  const output = '✓ test/x.test.ts: 2 passed, skipped: three, 18 ms\n';
  t.same(read(passing), { output, passed: 2, failed: 0, failures: [], unstable: [] });
});

t.test('the processor time of a file stands behind its duration', async (t) => {
  t.match(read(passing, { processorMs: 12 }).output, ', 18 ms (processor 12 ms)\n');
});

t.test('where nothing may be skipped, a skipped test fails, and so does one that skips inside', async (t) => {
  const { output, passed, failed } = read(passing, { failOnSkip: true });
  t.same({ passed, failed }, { passed: 1, failed: 2 });
  t.match(output, 'ok 2 - inner # SKIP');
});

t.test('everything about a failed test is written, and nothing of those that passed', async (t) => {
  const text = `# Subtest: good
    ok 1 - quiet
ok 1 - good # time=1ms
printed in between
# Subtest: bad
    not ok 1 - numbers
      ---
      diff: one is not two
      ...
not ok 2 - bad # time=1ms
  ---
  at: here
  ...
1..2`;
  const { output, passed, failed, failures } = read(text, { exitCode: 1 });
  t.same({ passed, failed }, { passed: 1, failed: 1 });
  t.same(failures, ['test/x.test.ts: bad'], 'and it is named again at the end');
  t.match(output, 'diff: one is not two');
  t.match(output, 'at: here');
  t.notMatch(output, 'quiet');
});

t.test('a file that crashes behind its tests is a failure of its own, with the signal', async (t) => {
  const { output, passed, failed, failures } = read('ok 1 - x\n1..1', { exitCode: null, signal: 'SIGSEGV' });
  t.same({ passed, failed }, { passed: 1, failed: 1 });
  t.match(output, 'SIGSEGV');
  t.same(failures, ['test/x.test.ts: ended by signal SIGSEGV']);
});

t.test('a file that ends badly without a failing test is a failure', async (t) => {
  t.same(read('ok 1 - x\n1..1', { exitCode: 7 }).failures, ['test/x.test.ts: ended with exit code 7']);
  t.same(read('ok 1 - x').failures, ['test/x.test.ts: ended before its plan']);
  t.same(read('ok 1 - x\n1..1', { exitCode: null, signal: 'SIGTERM', timedOut: true }).failures, [
    'test/x.test.ts: timed out',
  ]);
});

t.test('a file that tests nothing is not green', async (t) => {
  const { output, passed, failed } = read('TAP version 14\n1..0 # no tests found');
  t.same({ passed, failed }, { passed: 0, failed: 1 });
  t.match(output, 'no test ran');
});

t.test('a bail-out names the file, and what was printed before is written', async (t) => {
  const { output, failed } = read('hello\nBail out! no disk', { exitCode: 1 });
  t.equal(failed, 1);
  t.match(output, '✗ test/x.test.ts');
  t.match(output, 'hello');
  t.match(output, 'Bail out! no disk');
});

t.test('several files are counted together', async (t) => {
  const reader = createTapReader({ failOnSkip: false, write: () => undefined });
  for (const file of ['a', 'b']) reader.readFile({ ...green, file, lines: passing.split('\n') });
  t.same(reader.totals(), { passed: 4, failed: 0, failures: [], unstable: [] });
});

t.test(
  'of a file that is read again the last attempt counts, and what failed before is named as unstable',
  async (t) => {
    const reader = createTapReader({ failOnSkip: false, write: () => {} });
    const failing = passing.replace('ok 1 - one', 'not ok 1 - one');
    reader.readFile({ ...green, exitCode: 1, lines: failing.split('\n') });
    t.same(reader.listFailedFiles(), ['test/x.test.ts']);
    reader.readFile({ ...green, lines: passing.split('\n') });
    t.same(reader.listFailedFiles(), []);
    t.same(reader.totals(), { passed: 2, failed: 0, failures: [], unstable: ['test/x.test.ts: one'] });
  },
);

t.test('what fails at each attempt is a failure and not unstable', async (t) => {
  const reader = createTapReader({ failOnSkip: false, write: () => {} });
  const result = { ...green, exitCode: 1, lines: passing.replace('ok 1 - one', 'not ok 1 - one').split('\n') };
  reader.readFile(result);
  reader.readFile(result);
  t.same(reader.totals(), { passed: 1, failed: 1, failures: ['test/x.test.ts: one'], unstable: [] });
});
