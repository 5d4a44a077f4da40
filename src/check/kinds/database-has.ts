import { findSuggestion } from '../../errors/suggestion.ts';
import type { CheckKind, CheckOutcome } from '../check-kind.ts';
import { type DatabaseHasCheck, findRows, parseDatabaseForm, type QueryRows } from '../forms/database-form.ts';
import { parseHasForm } from '../forms/has-form.ts';
import { describeTest, parseValueTest, passesTest, type ValueTest } from '../forms/value-test.ts';
import { abbreviate, formatValue } from '../json/describe-value.ts';
import type { Json } from '../json/json.ts';
import type { Observation } from '../observation.ts';
import { createRowsSubject } from '../subjects/rows-subject.ts';

/** A word, or a name in quotation marks where it contains spaces or signs. */
const columnPattern = /"(?:[^"]|"")+"|[^\s<>=!~"]*/y;

/** Null passes no test. */
function columnPasses(test: ValueTest, value: Json, observation: Observation): boolean {
  return value !== null && passesTest(test, value, observation);
}

/** The index of the column, or why there is none. */
function findColumn({ columns }: QueryRows, name: string): number | string {
  const index = columns.indexOf(name);
  if (index !== -1 && columns.lastIndexOf(name) !== index) {
    return `several columns are named \`${name}\`: give each a name with AS`;
  }
  if (index !== -1) return index;
  if (columns.length === 0) return `no column \`${name}\`: the query gives none`;
  const suggestion = findSuggestion(name, columns);
  const hint = suggestion === undefined ? `there are: ${abbreviate(columns.join(', '))}` : `there is \`${suggestion}\``;
  return `no column \`${name}\`; ${hint}`;
}

function judgeRows(
  check: DatabaseHasCheck,
  rows: QueryRows,
  columnIndex: number,
  observation: Observation,
): CheckOutcome {
  const { test, expected } = check;
  const values = rows.rows.map((row) => row[columnIndex] ?? null);
  const failingIndex = values.findIndex((value) => !columnPasses(test, value, observation));
  if (failingIndex !== -1) {
    const position =
      values.length === 1 ? '' : ` in row ${failingIndex + 1} of ${rows.rowCount}${rows.more ? ' and more' : ''}`;
    return {
      passed: false,
      expected,
      actual: `${formatValue(values[failingIndex] ?? null, observation.conceal)}${position}`,
    };
  }
  if (rows.more || values.length < rows.rowCount) {
    const actual = `so in the first ${values.length} rows; the others were not read: let the query pick fewer`;
    return { passed: false, expected, actual };
  }
  const first = formatValue(values[0] ?? null, observation.conceal);
  return { passed: true, expected, actual: values.length === 1 ? first : `${first} and ${values.length - 1} more` };
}

/** `db [<query>] has <column> [<test>]`. */
export const databaseHasKind: CheckKind<DatabaseHasCheck> = {
  kind: 'database_has',
  form: 'db [<query>] has <column> [<test>]',
  meaning:
    'there is at least one row, and in every row the column is not null and passes the test; without a test, that it is not null',
  example: 'db has status equals draft',
  looksAt: 'database',
  counted: false,
  parse(text, report) {
    const databaseForm = parseDatabaseForm(text);
    if (databaseForm?.word !== 'has') return undefined;
    const form = parseHasForm(text, databaseForm.operandStart, columnPattern);
    const { text: columnText, start, end } = form.field;
    const test = parseValueTest(form, text.slice(0, end), report);
    if (test === undefined) return undefined;
    const name = columnText.startsWith('"') ? columnText.slice(1, -1).replaceAll('""', '"') : columnText;
    if (name === '') {
      const values = { problem: 'a name is missing', cure: 'name a column of the query, such as `db has status`' };
      report('SCENARIO_FIELD_INVALID', start, Math.max(end, start + 1), values);
    }
    if (name === '' || test === 'refused') return 'refused';
    const expected = `in every row \`${name}\`${describeTest(test) || ' not null'}`;
    return { kind: 'database_has', query: databaseForm.query, column: name, test, expected };
  },
  judge(check, observation) {
    const rows = findRows(check, observation);
    if ('passed' in rows) return rows;
    const columnIndex = findColumn(rows, check.column);
    if (typeof columnIndex === 'string') return { passed: false, expected: check.expected, actual: columnIndex };
    if (rows.rowCount === 0) return { passed: false, expected: check.expected, actual: 'no row' };
    return judgeRows(check, rows, columnIndex, observation);
  },
  getQuery: ({ query }) => query,
  withQuery: (check, query) => ({ ...check, query }),
  getSubject: ({ query, column }, observation) => createRowsSubject(observation, query, column),
  isPresenceCheck: ({ test }) => test.kind === 'exists',
};
