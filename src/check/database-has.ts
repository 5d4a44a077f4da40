import { suggestion } from '../errors/suggestion.ts';
import { readHasForm } from './body-form.ts';
import { bounded, quoted, stringForm } from './bounded.ts';
import { type DatabaseCheck, type Rows, readDatabaseForm, rowsOf } from './database-form.ts';
import type { CheckKind } from './kind.ts';
import type { Json, Observed } from './observed.ts';
import type { Outcome } from './outcome.ts';
import { passes, readValueTest, testWords, type ValueTest } from './value-test.ts';

/** There is a row, and in every row the column passes the test. */
export type DatabaseHasCheck = DatabaseCheck & {
  readonly kind: 'database_has';
  readonly column: string;
  readonly test: ValueTest;
};

/** A name in quotation marks, where it has spaces or signs, or a word. */
const column = /"(?:[^"]|"")+"|[^\s<>=!~"]*/y;

/** A column without a value passes no test: `null` is no text. */
function columnPasses(test: ValueTest, value: Json, { conceal }: Observed): boolean {
  return value !== null && passes(test, value, conceal);
}

/** Index of the column, or why there is none. */
function columnIn({ columns }: Rows, name: string): number | string {
  const at = columns.indexOf(name);
  if (at !== -1 && columns.lastIndexOf(name) !== at) {
    return `several columns are named \`${name}\`: give each a name with AS`;
  }
  if (at !== -1) return at;
  if (columns.length === 0) return `no column \`${name}\`: the query gives none`;
  const near = suggestion(name, columns);
  const hint = near === undefined ? `there are: ${bounded(columns.join(', '))}` : `there is \`${near}\``;
  return `no column \`${name}\`; ${hint}`;
}

function shown(value: Json, { conceal }: Observed): string {
  const text = stringForm(value);
  const plain = conceal?.(text) ?? text;
  return typeof value === 'string' ? quoted(plain) : bounded(plain);
}

function judgeRows(check: DatabaseHasCheck, rows: Rows, at: number, observed: Observed): Outcome {
  const { test, expected } = check;
  const values = rows.rows.map((row) => row[at] ?? null);
  const failing = values.findIndex((value) => !columnPasses(test, value, observed));
  if (failing !== -1) {
    const others =
      values.length === 1 ? '' : ` in row ${failing + 1} of ${rows.rowCount}${rows.more ? ' and more' : ''}`;
    return { passed: false, expected, actual: `${shown(values[failing] ?? null, observed)}${others}` };
  }
  if (rows.more || values.length < rows.rowCount) {
    const actual = `so in the first ${values.length} rows; the others were not read: let the query pick fewer`;
    return { passed: false, expected, actual };
  }
  const first = shown(values[0] ?? null, observed);
  return { passed: true, expected, actual: values.length === 1 ? first : `${first} and ${values.length - 1} more` };
}

/** `db [<query>] has <column> [<test>]`. */
export const databaseHas: CheckKind<DatabaseHasCheck> = {
  kind: 'database_has',
  form: 'db [<query>] has <column> [<test>]',
  meaning:
    'there is at least one row, and in every row the column is not null and passes the test; without a test, that it is not null',
  example: 'db has status equals draft',
  looksAt: 'database',
  counted: false,
  parse(text, report) {
    const found = readDatabaseForm(text);
    if (found?.word !== 'has') return undefined;
    const form = readHasForm(text, found.rest, column);
    const { text: written, start, end } = form.field;
    const test = readValueTest(form, text.slice(0, end), report);
    if (test === undefined) return undefined;
    const name = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written;
    if (name === '') {
      const values = { problem: 'a name is missing', cure: 'name a column of the query, such as `db has status`' };
      report('SCENARIO_FIELD_INVALID', start, Math.max(end, start + 1), values);
    }
    if (name === '' || test === 'refused') return 'refused';
    const expected = `in every row \`${name}\`${testWords(test) || ' not null'}`;
    return { kind: 'database_has', query: found.query, column: name, test, expected };
  },
  judge(check, observed) {
    const rows = rowsOf(check, observed);
    if ('passed' in rows) return rows;
    const at = columnIn(rows, check.column);
    if (typeof at === 'string') return { passed: false, expected: check.expected, actual: at };
    if (rows.rowCount === 0) return { passed: false, expected: check.expected, actual: 'no row' };
    return judgeRows(check, rows, at, observed);
  },
};
