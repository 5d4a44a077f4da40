/** The forms `db [<query>] rows …` and `db [<query>] has …`, and the rows that they read. */
import type { CheckOutcome } from '../check-kind.ts';
import type { Observation, ObservedQueryResult } from '../observation.ts';
import type { CountTest } from './count-form.ts';
import type { ValueTest } from './value-test.ts';

/** `query`: undefined for the only one. `expected` is the text of `CheckOutcome.expected`. */
export type DatabaseCheck = { readonly query: string | undefined; readonly expected: string };

export type DatabaseRowsCheck = DatabaseCheck & CountTest & { readonly kind: 'database_rows' };

/** There is a row, and in every row the column passes the test. */
export type DatabaseHasCheck = DatabaseCheck & {
  readonly kind: 'database_has';
  readonly column: string;
  readonly test: ValueTest;
};

/** The words up to `rows` or `has`; `operandStart` is the offset of the text after them. */
export type DatabaseForm = {
  readonly query: string | undefined;
  readonly word: 'rows' | 'has';
  readonly operandStart: number;
};

const databasePattern = /^db\s+(?:(?!(?:rows|has)\b)([a-z][a-z0-9_]*)\s+)?(rows|has)(?=$|[\s<>=!])\s*/;

export function parseDatabaseForm(text: string): DatabaseForm | undefined {
  const match = text.startsWith('db') ? databasePattern.exec(text) : null;
  if (match === null) return undefined;
  return { query: match[1], word: match[2] === 'rows' ? 'rows' : 'has', operandStart: match[0].length };
}

export type QueryRows = Extract<ObservedQueryResult, { kind: 'rows' }>;

/** The rows of the check's query, or the failing outcome that says why there are none. */
export function findRows({ query, expected }: DatabaseCheck, { database }: Observation): QueryRows | CheckOutcome {
  const name = query ?? (database?.size === 1 ? [...database.keys()][0] : undefined);
  const observed = name === undefined ? undefined : database?.get(name);
  if (observed?.kind === 'rows') return observed;
  return { passed: false, expected, actual: observed?.problem ?? 'the database was not queried' };
}
