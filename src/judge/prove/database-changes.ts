/** Checks of the database, with other rows than those that were read. */
import { looksAt } from '../../check/kinds.ts';
import type { Json, Observed, ObservedDatabase, ObservedQuery } from '../../check/observed.ts';
import type { JudgedCheck } from '../verdict.ts';
import { asPresence, type Change, type Group } from './change.ts';
import { seenAs } from './seen.ts';
import { otherValues } from './value-changes.ts';

type Rows = Extract<ObservedQuery, { kind: 'rows' }>;
type Named = { readonly index: number; readonly query: string; readonly column: string | undefined };

/** For each query a group of the checks that count its rows, and one for each column that is named. */
export function databaseGroups(checks: readonly JudgedCheck[], observed: Observed): readonly Group[] {
  const { database } = observed;
  if (!database) return [];
  const all = checks.flatMap((entry, index) => named(entry, index, database) ?? []);
  return [...database].flatMap(([query, rows]) => {
    return rows.kind === 'rows'
      ? queryGroups(
          query,
          rows,
          all.filter((one) => one.query === query),
          observed,
        )
      : [];
  });
}

/** What a check names; a check of the only query need not name it. */
function named({ check }: JudgedCheck, index: number, database: ObservedDatabase): Named | undefined {
  if (looksAt(check) !== 'database') return undefined;
  const query = 'query' in check && typeof check.query === 'string' ? check.query : [...database.keys()][0];
  const column = 'column' in check && typeof check.column === 'string' ? check.column : undefined;
  return query === undefined ? undefined : { index, query, column };
}

function queryGroups(query: string, rows: Rows, all: readonly Named[], observed: Observed): Group[] {
  const columns = new Set(all.map(({ column }) => column));
  return [...columns].map((column) => {
    const owners = all.filter((one) => one.column === column).map(({ index }) => index);
    const others = all.flatMap(({ index }) => (owners.includes(index) ? [] : [{ index, size: 0 }]));
    const counts = rowChanges(query, rows);
    const changes =
      column === undefined ? counts : [...columnChanges(query, rows, column, observed), ...counts.map(asPresence)];
    return { owners, changes, others };
  });
}

function rowChanges(query: string, rows: Rows): Change[] {
  const { columns, rows: all, rowCount } = rows;
  const more = all.at(-1) ?? columns.map(() => null);
  const changes = [
    rowsChange(`query \`${query}\` gives one row more`, query, rows, { rows: [...all, more], rowCount: rowCount + 1 }),
  ];
  if (rowCount > 0) changes.push(rowsChange(`query \`${query}\` gives no row`, query, rows, { rows: [], rowCount: 0 }));
  if (rowCount > 1) {
    const fewer = { rows: all.slice(0, -1), rowCount: rowCount - 1 };
    changes.push(rowsChange(`query \`${query}\` gives one row less`, query, rows, fewer));
  }
  return changes;
}

/** The column in the first row, which every check of a column looks at. */
function columnChanges(query: string, rows: Rows, column: string, observed: Observed): Change[] {
  const at = rows.columns.indexOf(column);
  const [first, ...others] = rows.rows;
  const value = first?.[at];
  if (!first || value === undefined) return [];
  const put = (next: Json): Partial<Rows> => ({ rows: [first.with(at, next), ...others] });
  const gone = { columns: rows.columns.map((name) => (name === column ? '' : name)) };
  return [
    rowsChange(`column \`${column}\` is gone`, query, rows, gone, 'presence'),
    ...otherValues(seenAs(value, observed)).map(({ words, make }) => {
      const isNull = make() === null; // To checks of a column as good as nothing.
      return rowsChange(
        `column \`${column}\` ${words}`,
        query,
        rows,
        () => put(make()),
        isNull ? 'presence' : 'content',
      );
    }),
  ];
}

function rowsChange(
  words: string,
  query: string,
  rows: Rows,
  changed: Partial<Rows> | (() => Partial<Rows>),
  touches: Change['touches'] = 'content',
): Change {
  const apply: Change['apply'] = (observed) => {
    const parts = typeof changed === 'function' ? changed() : changed;
    return { ...observed, database: new Map(observed.database).set(query, { ...rows, ...parts }) };
  };
  return { words, touches, cost: 10 * rows.rows.length + 100, size: 10 * rows.rows.length, apply };
}
