/** What no check of the database and the log looks at, with checks that would. */
import { described } from '../../check/bounded.ts';
import type { Json, Observed, ObservedQuery } from '../../check/observed.ts';
import type { JudgedCheck } from '../verdict.ts';
import type { UncheckedPart } from './proof.ts';
import { seenAs } from './seen.ts';
import { anyText, shapeOf } from './shape.ts';
import { partOf } from './suggest.ts';
import { uncheckedLog } from './unchecked-log.ts';

type Rows = Extract<ObservedQuery, { kind: 'rows' }>;

/** A query that has no name of its own is called so. */
const unnamed = 'query';

/** Row counts and columns of the queries, then what {@link uncheckedLog} finds. */
export function uncheckedEvidence(checks: readonly JudgedCheck[], observed: Observed): readonly UncheckedPart[] {
  const queries = [...(observed.database ?? [])].flatMap(([name, rows]) =>
    rows.kind === 'rows' ? queryParts(name, rows, checks, observed) : [],
  );
  return [...queries, ...uncheckedLog(checks, observed)];
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
