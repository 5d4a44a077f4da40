import t from 'tap';
import { readCsvRows } from '../../src/scenario/case-files.ts';

function readCells(text: string): readonly (readonly string[])[] {
  const lines = text.split('\n').map((line, index) => ({ text: line, start: 0, end: line.length, number: index + 1 }));
  return readCsvRows({ name: 'a.csv', lines } as never).rows.map(({ cells }) => cells.map((cell) => cell.text));
}

t.test('an empty text in the only column is a row, and an empty line is none', async (t) => {
  t.same(readCells('q\n""\n\nx\n'), [['q'], [''], ['x']]);
  t.same(readCells('q,status\n,\n'), [
    ['q', 'status'],
    ['', ''],
  ]);
});
