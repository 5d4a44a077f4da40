import t from 'tap';
import { rangeIn, readSource } from '../../src/scenario/source.ts';

function linesOf(text: string): string[] {
  return readSource(text).lines.map((line) => line.text);
}

function place(text: string, offset: number): string {
  const { line, column } = rangeIn(readSource(text), offset, offset).start;
  return `${line}:${column}`;
}

t.test('LF and CR LF end lines, a CR alone does not', async (t) => {
  t.same(linesOf('a\nb\r\n\r\nc\rd'), ['a', 'b', '', 'c\rd']);
  t.same(linesOf(''), ['']);
  t.same(linesOf('a\n'), ['a', '']);
});

t.test('places count lines and columns from 1, in UTF-16 units', async (t) => {
  t.equal(place('ab\ncd', 0), '1:1');
  t.equal(place('ab\ncd', 2), '1:3');
  t.equal(place('ab\ncd', 3), '2:1');
  t.equal(place('ab\r\ncd', 4), '2:1');
  t.equal(place('😀x', 2), '1:3');
  t.equal(place('ab', 2), '1:3');
  t.equal(place('', 0), '1:1');
});

t.test('a byte order mark takes no column', async (t) => {
  t.same(linesOf('\uFEFFab'), ['ab']);
  t.equal(place('\uFEFFab\ncd', 1), '1:1');
  t.equal(place('\uFEFFab\ncd', 0), '1:1');
  t.equal(place('\uFEFFab\ncd', 4), '2:1');
});

t.test('the offsets of a line lead to its text', async (t) => {
  const source = readSource('\uFEFFone\r\ntwo\n\nfour');
  for (const { start, end, text } of source.lines) t.equal(source.text.slice(start, end), text);
});
