import fc from 'fast-check';
import t from 'tap';
import { type DiffLine, diffLines, excerptDiff } from '../../../src/console/text/line-diff.ts';

const joinSide = (lines: readonly DiffLine[], omittedKind: 'added' | 'removed'): string =>
  lines
    .filter(({ kind }) => kind !== omittedKind)
    .map(({ text }) => text)
    .join('\n');

t.test('both texts can be rebuilt from the diff', async (t) => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      return joinSide(lines, 'added') === before && joinSide(lines, 'removed') === after;
    }),
  );
  t.pass('for all texts');
});

t.test('line numbers are those of each side', async (t) => {
  t.same(diffLines('a\nb\nc', 'a\nx\nc'), [
    { kind: 'same', text: 'a', before: 1, after: 1 },
    { kind: 'removed', text: 'b', before: 2, after: undefined },
    { kind: 'added', text: 'x', before: undefined, after: 2 },
    { kind: 'same', text: 'c', before: 3, after: 3 },
  ]);
});

t.test('long texts without common lines take no time', async (t) => {
  const buildLongText = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word} ${index}`).join('\n');
  const lines = diffLines(buildLongText('a'), buildLongText('b'));
  t.equal(lines.filter(({ kind }) => kind === 'removed').length, 3000);
  t.equal(lines.filter(({ kind }) => kind === 'added').length, 3000);
});

t.test('an excerpt has the changes with context lines', async (t) => {
  const before = Array.from({ length: 20 }, (_, index) => `${index}`).join('\n');
  const excerpt = excerptDiff(diffLines(before, before.replace('\n10\n', '\nten\n')), 1);
  t.same(
    excerpt.map((line) => line && `${line.kind} ${line.text}`),
    [undefined, 'same 9', 'removed 10', 'added ten', 'same 11', undefined],
  );
});
