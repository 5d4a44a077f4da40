import t from 'tap';
import { readTap } from './tap-lines.ts';

function read(text: string, skippedFails = false) {
  let told = '';
  const reader = readTap({ skippedFails, write: (more) => (told += more) });
  for (const line of text.split('\n')) reader.line(line);
  const totals = reader.end();
  return { told, ...totals };
}

const fine = `TAP version 14
# Subtest: test/fine.test.ts
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
    # time=17.833ms
ok 1 - test/fine.test.ts # time=17.833ms
`;

t.test('a file whose tests passed is one line', async (t) => {
  const told = '✓ test/fine.test.ts: 2 passed, skipped: three, 18 ms\n';
  t.same(read(fine), { told, passed: 2, failed: 0, failures: [] });
});

t.test('where nothing may be skipped, a skipped test fails, and so does one that skips inside', async (t) => {
  const { told, passed, failed } = read(fine, true);
  t.same({ passed, failed }, { passed: 1, failed: 2 });
  t.match(told, 'ok 2 - inner # SKIP');
});

t.test('all that is told of a failed test is shown, and nothing of those that passed', async (t) => {
  const { told, passed, failed, failures } = read(`# Subtest: test/bad.test.ts
    # Subtest: good
        ok 1 - quiet
    ok 1 - good # time=1ms
    said in between
    # Subtest: bad
        not ok 1 - numbers
          ---
          diff: one is not two
          ...
    not ok 2 - bad # time=1ms
      ---
      at: here
      ...
    1..2
not ok 1 - test/bad.test.ts # time=3ms
  ---
  exitCode: 1
  ...
`);
  t.same({ passed, failed }, { passed: 1, failed: 1 });
  t.same(failures, ['test/bad.test.ts: bad'], 'and it is named once more at the end');
  t.match(told, 'diff: one is not two');
  t.match(told, 'at: here');
  t.notMatch(told, 'quiet');
  t.notMatch(told, 'exitCode');
});

t.test('a file that crashes behind its tests is a failure of its own, with the signal', async (t) => {
  const { told, passed, failed, failures } = read(`# Subtest: test/crash.test.ts
    ok 1 - x
    # test count(1) != plan(null)
not ok 1 - test/crash.test.ts # time=4ms
  ---
  exitCode: null
  signal: SIGSEGV
  ...
# { total: 1, pass: 1 }
`);
  t.same({ passed, failed }, { passed: 1, failed: 1 });
  t.match(told, 'signal: SIGSEGV');
  t.same(failures, ['test/crash.test.ts: the file itself failed']);
});

t.test('a file that tests nothing is not green', async (t) => {
  const { told, passed, failed } = read(`# Subtest: test/empty.test.ts
    1..0 # no tests found
ok 1 - test/empty.test.ts # SKIP no tests found
`);
  t.same({ passed, failed }, { passed: 0, failed: 1 });
  t.match(told, 'no test ran in this file');
});

t.test('a bail-out names the file, and what was said before is shown', async (t) => {
  const { told, failed } = read(`# Subtest: test/bail.test.ts
    hello
    Bail out! no disk
Bail out! no disk
`);
  t.equal(failed, 1);
  t.match(told, '✗ test/bail.test.ts');
  t.match(told, 'hello');
  t.match(told, 'Bail out! no disk');
});

t.test('several files are counted together', async (t) => {
  t.match(read(`${fine}${fine}`), { passed: 4, failed: 0 });
});
