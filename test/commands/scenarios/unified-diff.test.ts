import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { unifiedDiff } from '../../../src/commands/scenarios/unified-diff.ts';
import { paintFor } from '../../../src/terminal/paint.ts';

const paint = paintFor({ write: () => {} }, {});
const numberedLines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `${from + index}\n`).join('');
const diffTexts = (before: string, after: string): string =>
  unifiedDiff({ name: 'a', text: before }, { name: 'b', text: after }, paint);

t.test('equal texts have no difference', async (t) => {
  t.equal(diffTexts('one\ntwo\n', 'one\ntwo\n'), '');
  t.equal(diffTexts('', ''), '');
});

t.test('changes are shown with three lines of context, and adjacent ones together', async (t) => {
  const before = numberedLines(1, 30);
  const after = before.replace('5\n', 'five\n').replace('9\n', '').replace('\n25\n', '\n25\n25.5\n');
  t.match(diffTexts(before, after), /^--- a\n\+\+\+ b\n@@ -2,11 \+2,10 @@\n/);
  t.equal(diffTexts(before, after).match(/^@@ /gm)?.length, 2);
});

t.test('`patch` understands every difference', async (t) => {
  const cases: [string, string][] = [
    [numberedLines(1, 30), numberedLines(1, 30).replace('5\n', 'five\n').replace('20\n', '')],
    ['', 'one\ntwo\n'],
    ['one\ntwo\n', ''],
    ['one\n', 'zero\none\n'],
    ['one\ntwo\n', 'one\ntwo'],
    ['one\ntwo', 'one\ntwo\nthree'],
    ['a\nb\nc\n', 'c\nb\na\n'],
    ['same\r\nlines\r\n', 'same\nlines\n'],
  ];
  for (const [index, [before, after]] of cases.entries()) {
    const folder = t.testdir({ before });
    writeFileSync(
      join(folder, 'difference'),
      unifiedDiff({ name: 'before', text: before }, { name: 'after', text: after }, paint).replaceAll('\\r', '\r'),
    );
    const patched = execFileSync('patch', ['--binary', '-s', '-o', '-', 'before', 'difference'], {
      cwd: folder,
      encoding: 'utf8',
    });
    t.equal(patched, after, `case ${index}`);
  }
});

t.test('control characters are escaped', async (t) => {
  t.match(diffTexts('a\n', '\u001b[2J\n'), '+\\u001b[2J\n');
});
