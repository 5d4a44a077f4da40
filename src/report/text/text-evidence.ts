/** Log and database evidence for terminals: the run's lines in the log, and the rows of the queries. */
import { truncateText } from '../body-excerpt.ts';
import { escapeUnsafeLine } from '../escape-unsafe.ts';
import type { Report, ReportLog, ReportQuery } from '../report.ts';
import type { TextStyles } from './text-styles.ts';
import { wrapText } from './wrap-text.ts';

const maxLines = 8;
const maxRows = 5;
const maxLineLength = 400;
const maxValueLength = 60;

/** `3 lines, 1 error, 2 saga events`; `3 lines, errors not known`. */
export function formatLogCounts({ line_count, error_count, saga_event_count, errors_unknown }: ReportLog): string {
  const counts = [
    line_count === 1 ? '1 line' : `${line_count} lines`,
    ...(error_count === 0 ? [] : [error_count === 1 ? '1 error' : `${error_count} errors`]),
    ...(errors_unknown === undefined ? [] : [`${error_count === 0 ? '' : 'other '}errors not known`]),
    ...(saga_event_count === 0 ? [] : [saga_event_count === 1 ? '1 saga event' : `${saga_event_count} saga events`]),
  ];
  return counts.join(', ');
}

/** `2 rows`, `more than 1000 rows`. */
export function formatRowCount({ row_count, truncated, rows }: ReportQuery): string {
  const more = truncated && rows.length === row_count ? 'more than ' : '';
  return `${more}${row_count} ${row_count === 1 ? 'row' : 'rows'}`;
}

/** A fix that is `statedCure` is left out, because it is printed already. */
export function formatEvidence({ log, queries }: Report, paint: TextStyles, statedCure?: string): string[] {
  const withNewCure = <T extends { cure: string | null }>(entry: T): T =>
    entry.cure === statedCure ? { ...entry, cure: null } : entry;
  return [
    ...(log ? formatLog(withNewCure(log), paint) : []),
    ...queries.flatMap((query) => formatQuery(withNewCure(query), paint)),
  ];
}

/** Errors come first: only a few lines are displayed. */
function formatLog(log: ReportLog, paint: TextStyles): string[] {
  if (log.problem !== null) return formatUnavailable('log       ', log.problem, log.cure, paint);
  const ordered = [...log.lines.filter(({ error }) => error), ...log.lines.filter(({ error }) => !error)];
  const visible = ordered.slice(0, maxLines).map(({ text, error }) => {
    const line = escapeUnsafeLine(truncateText(text, maxLineLength));
    return `            ${error ? paint.failed(line) : line}`;
  });
  const remaining = log.line_count - visible.length;
  return [
    `  log       ${formatLogCounts(log)}`,
    ...visible,
    ...(remaining > 0 ? [`            … ${remaining} more`] : []),
  ];
}

function formatQuery(query: ReportQuery, paint: TextStyles): string[] {
  const head = `query     ${query.name}, line ${query.line}: `;
  if (query.problem !== null) return formatUnavailable(head, query.problem, query.cure, paint);
  const cells = [query.columns, ...query.rows.slice(0, maxRows)].map((row) => row.map(formatCell));
  const widths = query.columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const table = cells.map((row, index) => {
    const line = row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
    return `            ${index === 0 ? paint.faint(line) : line}`;
  });
  const remaining = query.row_count - Math.min(query.rows.length, maxRows);
  const more = remaining > 0 ? [`            … ${remaining} more`] : [];
  return [`  ${escapeUnsafeLine(head)}${formatRowCount(query)}`, ...(query.rows.length > 0 ? table : []), ...more];
}

function formatCell(value: string | null): string {
  return value === null ? 'null' : escapeUnsafeLine(truncateText(value, maxValueLength));
}

function formatUnavailable(head: string, problem: string, cure: string | null, paint: TextStyles): string[] {
  const text = wrapText(escapeUnsafeLine(problem), paint.proseWidth, 12);
  const next = cure === null ? [] : [`            ${wrapText(escapeUnsafeLine(cure), paint.proseWidth, 12)}`];
  return [`  ${escapeUnsafeLine(head)}${text}`, ...next];
}
