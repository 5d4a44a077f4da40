import fc from 'fast-check';
import t from 'tap';
import { diffTexts, excerptDiff, type NumberedLine } from '../../src/diff/line-diff.ts';

const joinSide = (lines: readonly NumberedLine[], omittedKind: 'added' | 'removed'): string =>
  lines
    .filter(({ kind }) => kind !== omittedKind)
    .map(({ text }) => text)
    .join('\n');

t.test('both texts can be rebuilt from the diff', async (t) => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffTexts(before, after);
      return joinSide(lines, 'added') === before && joinSide(lines, 'removed') === after;
    }),
  );
  t.pass('for all texts');
});

t.test('line numbers are those of each side', async (t) => {
  t.same(diffTexts('a\nb\nc', 'a\nx\nc'), [
    { kind: 'same', text: 'a', before: 1, after: 1 },
    { kind: 'removed', text: 'b', before: 2, after: undefined },
    { kind: 'added', text: 'x', before: undefined, after: 2 },
    { kind: 'same', text: 'c', before: 3, after: 3 },
  ]);
});

t.test('an excerpt has the changes with context lines', async (t) => {
  const before = Array.from({ length: 20 }, (_, index) => `${index}`).join('\n');
  const excerpt = excerptDiff(diffTexts(before, before.replace('\n10\n', '\nten\n')), 1);
  t.same(
    excerpt.map((line) => line && `${line.kind} ${line.text}`),
    [undefined, 'same 9', 'removed 10', 'added ten', 'same 11', undefined],
  );
});

t.test('an excerpt of equal texts is one gap, and small gaps are closed', async (t) => {
  t.same(excerptDiff(diffTexts('a\nb', 'a\nb')), [undefined]);
  const excerpt = excerptDiff(diffTexts('a\nb\nc\nd\ne', 'A\nb\nc\nd\nE'), 2);
  t.notOk(excerpt.includes(undefined));
});
