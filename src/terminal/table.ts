/** Rows in columns that fit the width of a terminal; everything shown is made harmless first. */
import type { TextSink } from '../environment/environment.ts';
import { printableLine } from '../report/printable.ts';
import { fitted, widthOf } from '../report/width.ts';
import type { Paint } from './paint.ts';

/** A column. Where the width is short, spare ones are left out, and those with `least` are shortened down to that. */
export type Column<T> = {
  readonly title: string;
  readonly of: (row: T) => string;
  /** How the cell of a row is coloured. */
  readonly style?: (row: T) => (text: string) => string;
  readonly alignRight?: boolean;
  /** Columns it needs to say anything. */
  readonly least?: number;
  /** Left out before others when there is no room; the last one first. */
  readonly spare?: boolean;
};

type Laid<T> = { readonly column: Column<T>; readonly cells: readonly string[]; width: number };

const gap = '  ';

function lay<T>(column: Column<T>, rows: readonly T[]): Laid<T> {
  const cells = rows.map((row) => printableLine(column.of(row)));
  return { column, cells, width: Math.max(widthOf(column.title), ...cells.map(widthOf)) };
}

function leastOf<T>({ column, width }: Laid<T>): number {
  return column.least === undefined ? width : Math.min(width, Math.max(column.least, 1));
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0) + gap.length * Math.max(0, widths.length - 1);
}

/** Leaves out spare columns, then takes columns from the widest that may give some. */
function fit<T>(laid: Laid<T>[], limit: number): Laid<T>[] {
  let kept = laid;
  while (sum(kept.map((one) => leastOf(one))) > limit) {
    const spare = kept.findLast(({ column }) => column.spare === true);
    if (!spare) break;
    kept = kept.filter((one) => one !== spare);
  }
  for (let over = sum(kept.map(({ width }) => width)) - limit; over > 0; over -= 1) {
    const giving = kept.filter((one) => one.width > leastOf(one));
    const widest = giving.reduce<Laid<T> | undefined>(
      (best, one) => (best && best.width >= one.width ? best : one),
      undefined,
    );
    if (!widest) break;
    widest.width -= 1;
  }
  return kept;
}

function padded(text: string, width: number, alignRight: boolean | undefined): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return alignRight ? space + text : text + space;
}

/** The table with its head, each line ended by a line break; empty for no rows. Only a terminal limits the width. */
export function table<T>(rows: readonly T[], columns: readonly Column<T>[], sink: TextSink, paint: Paint): string {
  if (rows.length === 0) return '';
  const laid = columns.map((column) => lay(column, rows));
  const kept = fit(laid, sink.isTTY ? paint.width : Number.POSITIVE_INFINITY);
  const last = kept.at(-1);
  const cell = (one: Laid<T>, text: string): string => {
    const short = fitted(text, one.width);
    return one === last && !one.column.alignRight ? short : padded(short, one.width, one.column.alignRight);
  };
  const head = kept.map((one) => paint.faint(cell(one, one.column.title))).join(gap);
  const lines = rows.map((row, index) =>
    kept
      .map((one) => {
        const text = cell(one, one.cells[index] ?? '');
        return one.column.style ? one.column.style(row)(text) : text;
      })
      .join(gap),
  );
  return [head, ...lines].map((line) => `${line.trimEnd()}\n`).join('');
}
