/** The database interface, which `sqlite.ts` and `postgres.ts` implement. */

/** A value of a column or a parameter. Times are ISO 8601 in UTC. */
export type Value = string | number | null;
/** Values by column name of the select list. */
export type Row = Readonly<Record<string, Value>>;

/** Parameters are `$1`, `$2` … for both databases. */
export type Session = { query(sql: string, values?: readonly Value[]): Promise<readonly Row[]> };

/** An open database. `transaction` commits when `work` resolves and rolls back when it rejects. */
export type Database = Session & {
  readonly kind: 'postgres' | 'sqlite';
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** The database is unreachable, busy or broken. Errors in the application's SQL are other errors. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

function toValue(value: unknown): Value {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (value instanceof Date) return value.toISOString();
  throw new TypeError(`a column holds a ${typeof value}, which no table of this application has`);
}

export function toRow(row: Readonly<Record<string, unknown>>): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toValue(value)]));
}
