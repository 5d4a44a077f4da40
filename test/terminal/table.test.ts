import t from 'tap';
import { paintFor } from '../../src/terminal/paint.ts';
import { formatTable, type TableColumn } from '../../src/terminal/table.ts';

type Row = { readonly id: string; readonly title: string; readonly count: number };
const rows: Row[] = [
  { id: 'RT-GET-document', title: 'GET document', count: 5 },
  { id: 'RT-1', title: 'a title that is rather long for a table', count: 12 },
];
const columns: TableColumn<Row>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'TITLE', text: ({ title }) => title, minWidth: 8 },
  { title: 'COUNT', text: ({ count }) => String(count), alignRight: true, optional: true },
];

function formatLines(width: number | undefined, tableRows: readonly Row[] = rows): string[] {
  const sink = { write: () => {}, isTTY: width !== undefined, columns: width };
  return formatTable(tableRows, columns, sink, paintFor(sink, { NO_COLOR: '1' })).split('\n');
}

t.test('columns are aligned under their titles', async (t) => {
  t.same(formatLines(100), [
    'ID               TITLE                                    COUNT',
    'RT-GET-document  GET document                                 5',
    'RT-1             a title that is rather long for a table     12',
    '',
  ]);
});

t.test('a narrow terminal shortens columns, then omits optional ones', async (t) => {
  t.same(formatLines(40), [
    'ID               TITLE             COUNT',
    'RT-GET-document  GET document          5',
    'RT-1             a title that is…     12',
    '',
  ]);
  t.same(formatLines(30), [
    'ID               TITLE',
    'RT-GET-document  GET document',
    'RT-1             a title that…',
    '',
  ]);
  for (const width of [26, 30, 45, 60])
    t.ok(
      formatLines(width).every((line) => line.length <= width),
      `${width} columns`,
    );
});

t.test('without a terminal nothing is cut', async (t) => {
  t.same(formatLines(undefined), formatLines(1000));
});

t.test('no rows give no table, and a cell is one escaped line', async (t) => {
  t.same(formatLines(80, []), ['']);
  const [, line = ''] = formatLines(80, [{ id: 'a\nb', title: '\u001b[31mred', count: 0 }]);
  t.match(line, 'a\\nb');
  t.notMatch(line, '\u001b');
});
