/** A value bound to a `?` of a statement. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/**
 * The statements of one transaction. Each text is compiled once, so texts must be constants or come from a small set. Rows are
 * unknown until a schema has checked them (row-reader.ts). Only store/ writes SQL; other rooms pass this on to its functions.
 *
 * An operation `(sql) => T` may run several times, each time from its start: it reads no clock and no random numbers, and
 * changes nothing outside itself that a second time would change again.
 */
export type Sql = {
  /** For the few operations whose statements differ; words that differ are translated (postgres/translate.ts). */
  readonly dialect: 'sqlite' | 'postgres';
  /** The first row; undefined when there is none. */
  get(text: string, ...values: readonly SqlValue[]): unknown;
  all(text: string, ...values: readonly SqlValue[]): unknown[];
  /** Changes rows; returns how many. */
  run(text: string, ...values: readonly SqlValue[]): number;
  /** Inserts one row into a table with the integer primary key `id`; returns that key. */
  insert(text: string, ...values: readonly SqlValue[]): number;
  /** Changes rows when it does not matter how many: on PostgreSQL nothing waits for it. */
  execute(text: string, ...values: readonly SqlValue[]): void;
  /**
   * Says that the operation will call `read`: on PostgreSQL its first statement is sent now, so that several reads share a
   * round trip. The call then gets that answer, unless the operation has written something in between. SQLite ignores it.
   */
  ahead(read: (sql: Sql) => unknown): void;
};
