/** The forms `db [<query>] rows …` and `db [<query>] has …`, and the rows they look at. */
import type { Observed, ObservedQuery } from './observed.ts';
import type { Outcome } from './outcome.ts';

/** What such a check holds: the query's name, undefined for the only one, and the words for `Outcome.expected`. */
export type DatabaseCheck = { readonly query: string | undefined; readonly expected: string };

/** The words up to `rows` or `has`; `rest` is the offset of what follows. */
export type DatabaseForm = { readonly query: string | undefined; readonly word: 'rows' | 'has'; readonly rest: number };

const form = /^db\s+(?:(?!(?:rows|has)\b)([a-z][a-z0-9_]*)\s+)?(rows|has)(?=$|[\s<>=!])\s*/;

/** Splits a check; undefined when it does not begin so. */
export function readDatabaseForm(text: string): DatabaseForm | undefined {
  const found = text.startsWith('db') ? form.exec(text) : null;
  if (found === null) return undefined;
  return { query: found[1], word: found[2] === 'rows' ? 'rows' : 'has', rest: found[0].length };
}

/** The answer of a query. */
export type Rows = Extract<ObservedQuery, { kind: 'rows' }>;

/** What the check's query gave, or the failing outcome that says why there is nothing. */
export function rowsOf({ query, expected }: DatabaseCheck, { database }: Observed): Rows | Outcome {
  const name = query ?? (database?.size === 1 ? [...database.keys()][0] : undefined);
  const observed = name === undefined ? undefined : database?.get(name);
  if (observed?.kind === 'rows') return observed;
  return { passed: false, expected, actual: observed?.problem ?? 'nobody asked the database' };
}
