/** What the application needs of a database; `sqlite.ts` and `postgres.ts` give it. */

/** A value of a column or a parameter. Times are ISO 8601 in UTC. */
export type Value = string | number | null;
/** A row, by the names of the select list. */
export type Row = Readonly<Record<string, Value>>;

/** Runs statements; parameters are written `$1`, `$2` … in both databases. */
export type Session = { query(sql: string, values?: readonly Value[]): Promise<readonly Row[]> };

/** An open database. `transaction` commits when `work` resolves and rolls back when it rejects. */
export type Database = Session & {
  readonly kind: 'postgres' | 'sqlite';
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** The database is away, busy or broken; a mistake in our own SQL is not this. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

function plainValue(value: unknown): Value {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (value instanceof Date) return value.toISOString();
  throw new TypeError(`a column holds a ${typeof value}, which no table of this application has`);
}

/** A driver's row as a {@link Row}. */
export function plainRow(row: Readonly<Record<string, unknown>>): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(value)]));
}
