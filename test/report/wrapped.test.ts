import fc from 'fast-check';
import t from 'tap';
import { widthOf } from '../../src/report/width.ts';
import { wrapped } from '../../src/report/wrapped.ts';

t.test('a text is broken at spaces where it would be wider, and goes on indented', async (t) => {
  t.equal(wrapped('one two three', 80, 2), 'one two three');
  t.equal(wrapped('one two three', 9, 2), 'one two\n  three');
  t.equal(wrapped('one two three', 15, 2), 'one two three');
  t.equal(wrapped('one two three', 14, 2), 'one two\n  three');
  t.equal(wrapped('one two three', 15, 2, 6), 'one two\n  three');
  t.equal(wrapped('one two three', Number.POSITIVE_INFINITY, 4), 'one two three');
  t.equal(wrapped('', 5, 4), '');
});

t.test('what is longer than a line stays whole, to be copied', async (t) => {
  const address = `http://app:3100/${'x'.repeat(100)}`;
  t.equal(wrapped(`see ${address} now`, 20, 4), `see\n    ${address}\n    now`);
  t.equal(wrapped(address, 20, 4), address);
});

t.test('wide characters take up two columns', async (t) => {
  t.equal(wrapped('名前 名前 名前', 10, 0), '名前 名前\n名前');
});

t.test('nothing is lost, and a line is too wide only when it is one word', async () => {
  const words = fc.array(fc.stringMatching(/^[a-z名]{1,12}$/), { minLength: 1 });
  fc.assert(
    fc.property(words, fc.integer({ min: 5, max: 60 }), fc.integer({ min: 0, max: 4 }), (list, columns, indent) => {
      const text = list.join(' ');
      const lines = wrapped(text, columns, indent)
        .split('\n')
        .map((line) => line.trim());
      const fits = lines.every((line) => indent + widthOf(line) <= columns || !line.includes(' '));
      return fits && lines.join(' ') === text;
    }),
  );
});
