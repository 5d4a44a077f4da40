import { type CountTest, countHolds, countWords, openCountHolds, readCount } from './count-form.ts';
import { type DatabaseCheck, readDatabaseForm, rowsOf } from './database-form.ts';
import type { CheckKind } from './kind.ts';

/** The query gives so many rows. */
export type DatabaseRowsCheck = DatabaseCheck & CountTest & { readonly kind: 'database_rows' };

/** `db [<query>] rows=<n>`. */
export const databaseRows: CheckKind<DatabaseRowsCheck> = {
  kind: 'database_rows',
  form: 'db [<query>] rows=<n>',
  meaning:
    'the query gives so many rows; also `!=`, `>`, `>=`, `<`, `<=`; the query is named where there are several. What a ' +
    'bound on rows leaves open does not hold: count in the query then',
  example: 'db rows>=1',
  looksAt: 'database',
  counted: false,
  parse(text) {
    const form = readDatabaseForm(text);
    const count = form?.word === 'rows' ? readCount(text.slice(form.rest)) : undefined;
    if (form === undefined || count === undefined) return undefined;
    return { kind: 'database_rows', query: form.query, ...count, expected: countWords(count, 'row', 'rows') };
  },
  judge(check, observed) {
    const { expected } = check;
    const rows = rowsOf(check, observed);
    if ('passed' in rows) return rows;
    if (!rows.more) return { passed: countHolds(rows.rowCount, check), expected, actual: rowWords(rows.rowCount) };
    const holds = openCountHolds(rows.rowCount + 1, check);
    const open = holds === undefined ? '; how many is not known: let the query count them, `SELECT count(*)`' : '';
    return { passed: holds === true, expected, actual: `more than ${rowWords(rows.rowCount)}${open}` };
  },
};

function rowWords(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}
