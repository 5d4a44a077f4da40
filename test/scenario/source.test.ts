import t from 'tap';
import { readSource, toRange } from '../../src/scenario/source.ts';

function listLines(text: string): string[] {
  return readSource(text).lines.map((line) => line.text);
}

function formatPosition(text: string, offset: number): string {
  const { line, column } = toRange(readSource(text), offset, offset).start;
  return `${line}:${column}`;
}

t.test('LF and CR LF end lines, a CR alone does not', async (t) => {
  t.same(listLines('a\nb\r\n\r\nc\rd'), ['a', 'b', '', 'c\rd']);
  t.same(listLines(''), ['']);
  t.same(listLines('a\n'), ['a', '']);
});

t.test('positions count lines and columns from 1, in UTF-16 units', async (t) => {
  t.equal(formatPosition('ab\ncd', 0), '1:1');
  t.equal(formatPosition('ab\ncd', 2), '1:3');
  t.equal(formatPosition('ab\ncd', 3), '2:1');
  t.equal(formatPosition('ab\r\ncd', 4), '2:1');
  t.equal(formatPosition('😀x', 2), '1:3');
  t.equal(formatPosition('ab', 2), '1:3');
  t.equal(formatPosition('', 0), '1:1');
});

t.test('a byte order mark takes no column', async (t) => {
  t.same(listLines('\uFEFFab'), ['ab']);
  t.equal(formatPosition('\uFEFFab\ncd', 1), '1:1');
  t.equal(formatPosition('\uFEFFab\ncd', 0), '1:1');
  t.equal(formatPosition('\uFEFFab\ncd', 4), '2:1');
});

t.test('the offsets of a line select its text', async (t) => {
  const source = readSource('\uFEFFone\r\ntwo\n\nfour');
  for (const { start, end, text } of source.lines) t.equal(source.text.slice(start, end), text);
});
