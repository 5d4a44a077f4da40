import fc from 'fast-check';
import t from 'tap';
import { measureWidth } from '../../../src/report/text/text-width.ts';
import { wrapText } from '../../../src/report/text/wrap-text.ts';

t.test('a text is wrapped at spaces and indented', async (t) => {
  t.equal(wrapText('one two three', 80, 2), 'one two three');
  t.equal(wrapText('one two three', 9, 2), 'one two\n  three');
  t.equal(wrapText('one two three', 15, 2), 'one two three');
  t.equal(wrapText('one two three', 14, 2), 'one two\n  three');
  t.equal(wrapText('one two three', 15, 2, 6), 'one two\n  three');
  t.equal(wrapText('one two three', Number.POSITIVE_INFINITY, 4), 'one two three');
  t.equal(wrapText('', 5, 4), '');
});

t.test('a word that is longer than a line is not broken', async (t) => {
  const address = `http://app:3100/${'x'.repeat(100)}`;
  t.equal(wrapText(`see ${address} now`, 20, 4), `see\n    ${address}\n    now`);
  t.equal(wrapText(address, 20, 4), address);
});

t.test('wide characters take up two columns', async (t) => {
  t.equal(wrapText('名前 名前 名前', 10, 0), '名前 名前\n名前');
});

t.test('nothing is lost, and a line is too wide only when it is one word', async () => {
  const wordLists = fc.array(fc.stringMatching(/^[a-z名]{1,12}$/), { minLength: 1 });
  fc.assert(
    fc.property(wordLists, fc.integer({ min: 5, max: 60 }), fc.integer({ min: 0, max: 4 }), (list, columns, indent) => {
      const text = list.join(' ');
      const lines = wrapText(text, columns, indent)
        .split('\n')
        .map((line) => line.trim());
      const fits = lines.every((line) => indent + measureWidth(line) <= columns || !line.includes(' '));
      return fits && lines.join(' ') === text;
    }),
  );
});
