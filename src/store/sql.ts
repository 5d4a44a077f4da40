/** A value bound to a `?` of a statement. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/**
 * The statements of one transaction. Each text is compiled once, so texts must be constants or come from a small set. Rows are
 * unknown until a schema has checked them (row-reader.ts). Only store/ writes SQL; other rooms pass this on to its functions.
 */
export type Sql = {
  /** The first row; undefined when there is none. */
  get(text: string, ...values: readonly SqlValue[]): unknown;
  all(text: string, ...values: readonly SqlValue[]): unknown[];
  /** Changes rows; returns how many. */
  run(text: string, ...values: readonly SqlValue[]): number;
  /** Inserts one row into a table with an integer primary key; returns that key. */
  insert(text: string, ...values: readonly SqlValue[]): number;
};
