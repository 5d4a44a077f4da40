import fc from 'fast-check';
import t from 'tap';
import { type DiffLine, excerptOf, lineDiff } from '../../../src/console/words/line-diff.ts';

const side = (lines: readonly DiffLine[], left: 'added' | 'removed'): string =>
  lines
    .filter(({ kind }) => kind !== left)
    .map(({ text }) => text)
    .join('\n');

t.test('both texts can be made again from what changed', async (t) => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after);
      return side(lines, 'added') === before && side(lines, 'removed') === after;
    }),
  );
  t.pass('for all texts');
});

t.test('line numbers are those of each side', async (t) => {
  t.same(lineDiff('a\nb\nc', 'a\nx\nc'), [
    { kind: 'same', text: 'a', before: 1, after: 1 },
    { kind: 'removed', text: 'b', before: 2, after: undefined },
    { kind: 'added', text: 'x', before: undefined, after: 2 },
    { kind: 'same', text: 'c', before: 3, after: 3 },
  ]);
});

t.test('two long texts with nothing in common are told at once', async (t) => {
  const long = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word} ${index}`).join('\n');
  const lines = lineDiff(long('a'), long('b'));
  t.equal(lines.filter(({ kind }) => kind === 'removed').length, 3000);
  t.equal(lines.filter(({ kind }) => kind === 'added').length, 3000);
});

t.test('an excerpt has the changes with a few lines around them', async (t) => {
  const before = Array.from({ length: 20 }, (_, index) => `${index}`).join('\n');
  const shown = excerptOf(lineDiff(before, before.replace('\n10\n', '\nten\n')), 1);
  t.same(
    shown.map((line) => line && `${line.kind} ${line.text}`),
    [undefined, 'same 9', 'removed 10', 'added ten', 'same 11', undefined],
  );
});
