import t from 'tap';
import { paintFor } from '../../src/terminal/paint.ts';
import { type Column, table } from '../../src/terminal/table.ts';

type Row = { readonly id: string; readonly title: string; readonly count: number };
const rows: Row[] = [
  { id: 'RT-GET-document', title: 'GET document', count: 5 },
  { id: 'RT-1', title: 'a title that is rather long for a table', count: 12 },
];
const columns: Column<Row>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'TITLE', of: ({ title }) => title, least: 8 },
  { title: 'COUNT', of: ({ count }) => String(count), alignRight: true, spare: true },
];

function laid(width: number | undefined, given: readonly Row[] = rows): string[] {
  const sink = { write: () => {}, isTTY: width !== undefined, columns: width };
  return table(given, columns, sink, paintFor(sink, { NO_COLOR: '1' })).split('\n');
}

t.test('columns are aligned under their titles', async (t) => {
  t.same(laid(100), [
    'ID               TITLE                                    COUNT',
    'RT-GET-document  GET document                                 5',
    'RT-1             a title that is rather long for a table     12',
    '',
  ]);
});

t.test('the width of a terminal shortens what may be short, then leaves out what is spare', async (t) => {
  t.same(laid(40), [
    'ID               TITLE             COUNT',
    'RT-GET-document  GET document          5',
    'RT-1             a title that is…     12',
    '',
  ]);
  t.same(laid(30), ['ID               TITLE', 'RT-GET-document  GET document', 'RT-1             a title that…', '']);
  for (const width of [26, 30, 45, 60])
    t.ok(
      laid(width).every((line) => line.length <= width),
      `${width} columns`,
    );
});

t.test('without a terminal nothing is cut', async (t) => {
  t.same(laid(undefined), laid(1000));
});

t.test('no rows are no table, and a cell stays one harmless line', async (t) => {
  t.same(laid(80, []), ['']);
  const [, line = ''] = laid(80, [{ id: 'a\nb', title: '\u001b[31mred', count: 0 }]);
  t.match(line, 'a\\nb');
  t.notMatch(line, '\u001b');
});
