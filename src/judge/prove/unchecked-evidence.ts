/** What no check of the database and the log looks at, with checks that would. */
import { described } from '../../check/bounded.ts';
import { looksAt } from '../../check/kinds.ts';
import type { Json, Observed, ObservedQuery } from '../../check/observed.ts';
import type { JudgedCheck } from '../verdict.ts';
import type { UncheckedPart } from './proof.ts';
import { seenAs } from './seen.ts';
import { anyText, shapeOf } from './shape.ts';
import { holds } from './suggest.ts';

type Rows = Extract<ObservedQuery, { kind: 'rows' }>;

/** A query that has no name of its own is called so. */
const unnamed = 'query';

/** Row counts and columns of the queries, then errors and saga events of a log that checks look at. */
export function uncheckedEvidence(checks: readonly JudgedCheck[], observed: Observed): readonly UncheckedPart[] {
  const queries = [...(observed.database ?? [])].flatMap(([name, rows]) =>
    rows.kind === 'rows' ? queryParts(name, rows, checks, observed) : [],
  );
  return [...queries, ...logParts(checks, observed)];
}

function queryParts(name: string, rows: Rows, checks: readonly JudgedCheck[], observed: Observed): UncheckedPart[] {
  const isOnly = observed.database?.size === 1;
  const mine = checks.flatMap(({ check }) =>
    'query' in check && (check.query === name || (check.query === undefined && isOnly)) ? [check] : [],
  );
  const start = isOnly && name === unnamed ? 'db' : `db ${name}`;
  const parts = rows.columns.flatMap((column, at) => {
    const value = rows.rows[0]?.[at];
    const isNamed = mine.some((check) => 'column' in check && check.column === column);
    return value === undefined || isNamed ? [] : columnPart(start, column, seenAs(value, observed), observed);
  });
  if (mine.some(({ kind }) => kind === 'database_rows')) return parts;
  return [...partOf(`${start} rows`, String(rows.rowCount), [`${start} rows=${rows.rowCount}`], observed), ...parts];
}

function columnPart(start: string, column: string, value: Json, observed: Observed): UncheckedPart[] {
  const written = /^[^\s<>=!~"]+$/.test(column) ? column : `"${column.replaceAll('"', '""')}"`;
  const shapes = [shapeOf(value, column), anyText].map((shape) => `${start} has ${written} ${shape}`);
  return partOf(`${start} ${column}`, described(value), shapes, observed);
}

function logParts(checks: readonly JudgedCheck[], observed: Observed): UncheckedPart[] {
  const { log } = observed;
  if (log?.kind !== 'lines' || !checks.some(({ check }) => looksAt(check) === 'log')) return [];
  const counts = new Set(checks.flatMap(({ check }) => (check.kind === 'log_count' ? [check.of] : [])));
  const { errorCount, sagaEventCount: sagas } = log;
  return [
    ...(counts.has('errors') || errorCount > 0 ? [] : partOf('log errors', '0', ['log errors=0'], observed)),
    ...(counts.has('saga_events') || sagas === 0
      ? []
      : partOf('log saga_events', String(sagas), [`log saga_events>=${sagas}`], observed)),
  ];
}

/** With the first of `suggestions` that holds now; nothing where none does. */
function partOf(pointer: string, value: string, suggestions: readonly string[], observed: Observed): UncheckedPart[] {
  const suggestion = suggestions.find((text) => holds(text, observed));
  return suggestion === undefined ? [] : [{ pointer, field: undefined, value, suggestion }];
}
