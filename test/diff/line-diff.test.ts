import fc from 'fast-check';
import t from 'tap';
import { diffLines, findHunks, type LineChange } from '../../src/diff/line-diff.ts';

const side = (changes: readonly LineChange[], omitted: LineChange['kind']): string[] =>
  changes.filter(({ kind }) => kind !== omitted).map(({ text }) => text);

t.test('both texts can be rebuilt from the difference', async (t) => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = diffLines(before, after);
      t.same(side(changes, 'added'), before);
      t.same(side(changes, 'removed'), after);
    }),
  );
});

t.test('only what differs is reported, removed lines first', async (t) => {
  t.same(
    diffLines(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'y', 'd']).map(({ kind, text }) => `${kind} ${text}`),
    ['same a', 'removed b', 'added x', 'same c', 'added y', 'same d'],
  );
  t.same(diffLines([], ['a']), [{ kind: 'added', text: 'a' }]);
  t.same(diffLines([], []), []);
});

t.test('texts that differ in thousands of lines are a removal and an addition', async (t) => {
  const build = (word: string, count: number) => Array.from({ length: count }, (_, index) => `${word} ${index}`);
  const [before, after] = [
    ['first', ...build('a', 20_000), 'last'],
    ['first', ...build('b', 20_000), 'last'],
  ];
  const kinds = diffLines(before, after).map(({ kind }) => kind);
  t.equal(kinds.length, 40_002);
  t.same([kinds[0], kinds[1], kinds[20_001], kinds.at(-1)], ['same', 'removed', 'added', 'same']);
});

t.test('hunks have their context, and are joined where they touch', async (t) => {
  const lines = [...'..x....x..........x'].map((sign) => ({ kind: sign === 'x' ? 'added' : 'same' }) as const);
  t.same(findHunks(lines, 2), [
    [0, 10],
    [16, 19],
  ]);
});
