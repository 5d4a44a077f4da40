/** What was seen beside the answer, for terminals: the run's lines in the log, and what the queries gave. */
import { shortened } from './excerpt.ts';
import type { Paint } from './paint.ts';
import { printableLine } from './printable.ts';
import type { Report, ReportLog, ReportQuery } from './report.ts';
import { wrapped } from './wrapped.ts';

const shownLines = 8;
const shownRows = 5;
const lineLength = 400;
const valueLength = 60;

/** `3 lines, 1 error, 2 saga events`. */
export function logCounts({ line_count, error_count, saga_event_count }: ReportLog): string {
  const counts = [
    line_count === 1 ? '1 line' : `${line_count} lines`,
    ...(error_count === 0 ? [] : [error_count === 1 ? '1 error' : `${error_count} errors`]),
    ...(saga_event_count === 0 ? [] : [saga_event_count === 1 ? '1 saga event' : `${saga_event_count} saga events`]),
  ];
  return counts.join(', ');
}

/** `2 rows`, `more than 1000 rows`. */
export function rowCount({ row_count, truncated, rows }: ReportQuery): string {
  const more = truncated && rows.length === row_count ? 'more than ' : '';
  return `${more}${row_count} ${row_count === 1 ? 'row' : 'rows'}`;
}

/** Lines of a report; none where nobody looked. */
export function evidenceLines({ log, queries }: Report, paint: Paint): string[] {
  return [...(log ? logLines(log, paint) : []), ...queries.flatMap((query) => queryLines(query, paint))];
}

/** Lines that are errors come first: of many only a few are shown. */
function logLines(log: ReportLog, paint: Paint): string[] {
  if (log.problem !== null) return unavailable('log       ', log.problem, log.cure, paint);
  const ordered = [...log.lines.filter(({ error }) => error), ...log.lines.filter(({ error }) => !error)];
  const told = ordered.slice(0, shownLines).map(({ text, error }) => {
    const line = printableLine(shortened(text, lineLength));
    return `            ${error ? paint.failed(line) : line}`;
  });
  const rest = log.line_count - told.length;
  return [`  log       ${logCounts(log)}`, ...told, ...(rest > 0 ? [`            … ${rest} more`] : [])];
}

function queryLines(query: ReportQuery, paint: Paint): string[] {
  const head = `query     ${query.name}, line ${query.line}: `;
  if (query.problem !== null) return unavailable(head, query.problem, query.cure, paint);
  const cells = [query.columns, ...query.rows.slice(0, shownRows)].map((row) => row.map(cellText));
  const widths = query.columns.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const told = cells.map((row, index) => {
    const line = row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
    return `            ${index === 0 ? paint.faint(line) : line}`;
  });
  const rest = query.row_count - Math.min(query.rows.length, shownRows);
  const more = rest > 0 ? [`            … ${rest} more`] : [];
  return [`  ${printableLine(head)}${rowCount(query)}`, ...(query.rows.length > 0 ? told : []), ...more];
}

function cellText(value: string | null): string {
  return value === null ? 'null' : printableLine(shortened(value, valueLength));
}

function unavailable(head: string, problem: string, cure: string | null, paint: Paint): string[] {
  const text = wrapped(printableLine(problem), paint.proseWidth, 12);
  const next = cure === null ? [] : [`            ${wrapped(printableLine(cure), paint.proseWidth, 12)}`];
  return [`  ${printableLine(head)}${text}`, ...next];
}
