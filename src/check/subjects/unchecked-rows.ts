/** Row counts and columns of the queries that no check names, with checks that would. */
import type { Check } from '../check-kind.ts';
import type { DatabaseHasCheck, DatabaseRowsCheck, QueryRows } from '../forms/database-form.ts';
import { describeValue } from '../json/describe-value.ts';
import type { Observation } from '../observation.ts';
import { concealScalar } from './mutate-value.ts';
import type { UncheckedCandidate } from './subject.ts';
import { anyTextTest, suggestTest } from './suggest-test.ts';

/** The name of a query that the scenario does not name. */
const unnamedQuery = 'query';

export function findUncheckedRows(checks: readonly Check[], observation: Observation): UncheckedCandidate[] {
  return [...(observation.database ?? [])].flatMap(([name, rows]) =>
    rows.kind === 'rows' ? findInQuery(name, rows, checks, observation) : [],
  );
}

function isRowsCheck(check: Check): check is DatabaseRowsCheck {
  return check.kind === 'database_rows';
}

function isColumnCheck(check: Check): check is DatabaseHasCheck {
  return check.kind === 'database_has';
}

function findInQuery(
  name: string,
  rows: QueryRows,
  checks: readonly Check[],
  observation: Observation,
): UncheckedCandidate[] {
  const isOnly = observation.database?.size === 1;
  const isOfQuery = ({ query }: { readonly query: string | undefined }): boolean =>
    query === name || (query === undefined && isOnly);
  const start = isOnly && name === unnamedQuery ? 'db' : `db ${name}`;
  const checkedColumns = new Set(
    checks
      .filter(isColumnCheck)
      .filter(isOfQuery)
      .map(({ column }) => column),
  );
  const columns = rows.columns.flatMap((column, index): UncheckedCandidate[] => {
    const value = rows.rows[0]?.[index];
    if (value === undefined || checkedColumns.has(column)) return [];
    const concealed = concealScalar(value, observation);
    const tests = [suggestTest(concealed, column), anyTextTest];
    const suggestions = tests.map((test) => `${start} has ${formatColumn(column)} ${test}`);
    return [{ pointer: `${start} ${column}`, value: describeValue(concealed), suggestions }];
  });
  if (checks.filter(isRowsCheck).some(isOfQuery)) return columns;
  const { rowCount } = rows;
  const suggestions = [`${start} rows=${rowCount}`];
  return [{ pointer: `${start} rows`, value: String(rowCount), suggestions }, ...columns];
}

function formatColumn(column: string): string {
  return /^[^\s<>=!~"]+$/.test(column) ? column : `"${column.replaceAll('"', '""')}"`;
}
