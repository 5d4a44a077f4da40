/** Tables that fit the width of a terminal. Control characters in cells are escaped. */
import type { TextSink } from '../environment/environment.ts';
import { escapeUnsafeLine } from '../report/escape-unsafe.ts';
import { fitToColumns, measureWidth } from '../report/text/text-width.ts';
import type { TerminalPaint } from './paint.ts';

/** If the width is too small, optional columns are omitted, and those with `minWidth` are shortened down to it. */
export type TableColumn<T> = {
  readonly title: string;
  readonly text: (row: T) => string;
  readonly style?: (row: T) => (text: string) => string;
  readonly alignRight?: boolean;
  readonly minWidth?: number;
  /** Omitted if there is not enough room; the last optional column first. */
  readonly optional?: boolean;
};

type ColumnLayout<T> = { readonly column: TableColumn<T>; readonly cells: readonly string[]; width: number };

const gap = '  ';

function layOutColumn<T>(column: TableColumn<T>, rows: readonly T[]): ColumnLayout<T> {
  const cells = rows.map((row) => escapeUnsafeLine(column.text(row)));
  return { column, cells, width: Math.max(measureWidth(column.title), ...cells.map(measureWidth)) };
}

function minimumWidth<T>({ column, width }: ColumnLayout<T>): number {
  return column.minWidth === undefined ? width : Math.min(width, Math.max(column.minWidth, 1));
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0) + gap.length * Math.max(0, widths.length - 1);
}

/** Omits optional columns, then narrows the widest columns that can be shortened. */
function fitColumns<T>(layouts: ColumnLayout<T>[], limit: number): ColumnLayout<T>[] {
  let visible = layouts;
  while (totalWidth(visible.map((layout) => minimumWidth(layout))) > limit) {
    const droppable = visible.findLast(({ column }) => column.optional === true);
    if (!droppable) break;
    visible = visible.filter((layout) => layout !== droppable);
  }
  for (let over = totalWidth(visible.map(({ width }) => width)) - limit; over > 0; over -= 1) {
    const shrinkable = visible.filter((layout) => layout.width > minimumWidth(layout));
    const widest = shrinkable.reduce<ColumnLayout<T> | undefined>(
      (best, layout) => (best && best.width >= layout.width ? best : layout),
      undefined,
    );
    if (!widest) break;
    widest.width -= 1;
  }
  return visible;
}

function padCell(text: string, width: number, alignRight: boolean | undefined): string {
  const space = ' '.repeat(Math.max(0, width - measureWidth(text)));
  return alignRight ? space + text : text + space;
}

/** With a header line; empty without rows. Only a terminal limits the width. */
export function formatTable<T>(
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  sink: TextSink,
  paint: TerminalPaint,
): string {
  if (rows.length === 0) return '';
  const layouts = columns.map((column) => layOutColumn(column, rows));
  const visible = fitColumns(layouts, sink.isTTY ? paint.width : Number.POSITIVE_INFINITY);
  const last = visible.at(-1);
  const formatCell = (layout: ColumnLayout<T>, text: string): string => {
    const short = fitToColumns(text, layout.width);
    return layout === last && !layout.column.alignRight
      ? short
      : padCell(short, layout.width, layout.column.alignRight);
  };
  const head = visible.map((layout) => paint.faint(formatCell(layout, layout.column.title))).join(gap);
  const lines = rows.map((row, index) =>
    visible
      .map((layout) => {
        const text = formatCell(layout, layout.cells[index] ?? '');
        return layout.column.style ? layout.column.style(row)(text) : text;
      })
      .join(gap),
  );
  return [head, ...lines].map((line) => `${line.trimEnd()}\n`).join('');
}
