import type { CheckKind } from '../check-kind.ts';
import { describeCount, isCountSatisfied, isOpenCountSatisfied, parseCount } from '../forms/count-form.ts';
import { type DatabaseRowsCheck, findRows, parseDatabaseForm } from '../forms/database-form.ts';
import { createRowsSubject } from '../subjects/rows-subject.ts';
import { findUncheckedRows } from '../subjects/unchecked-rows.ts';

/** `db [<query>] rows=<n>`. */
export const databaseRowsKind: CheckKind<DatabaseRowsCheck> = {
  kind: 'database_rows',
  form: 'db [<query>] rows=<n>',
  meaning:
    'the query gives so many rows; also `!=`, `>`, `>=`, `<`, `<=`; the query is named where there are several. What a ' +
    'bound on rows leaves open does not hold: count in the query then',
  example: 'db rows>=1',
  looksAt: 'database',
  counted: false,
  parse(text) {
    const form = parseDatabaseForm(text);
    const count = form?.word === 'rows' ? parseCount(text.slice(form.operandStart)) : undefined;
    if (form === undefined || count === undefined) return undefined;
    return { kind: 'database_rows', query: form.query, ...count, expected: describeCount(count, 'row', 'rows') };
  },
  judge(check, observation) {
    const { expected } = check;
    const rows = findRows(check, observation);
    if ('passed' in rows) return rows;
    if (!rows.more)
      return { passed: isCountSatisfied(rows.rowCount, check), expected, actual: formatRowCount(rows.rowCount) };
    const holds = isOpenCountSatisfied(rows.rowCount + 1, check);
    const hint = holds === undefined ? '; how many is not known: let the query count them, `SELECT count(*)`' : '';
    return { passed: holds === true, expected, actual: `more than ${formatRowCount(rows.rowCount)}${hint}` };
  },
  getQuery: ({ query }) => query,
  withQuery: (check, query) => ({ ...check, query }),
  getSubject: ({ query }, observation) => createRowsSubject(observation, query),
  /** Includes the columns, so that all unchecked parts of a query are listed together. */
  findUnchecked: findUncheckedRows,
};

function formatRowCount(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}
