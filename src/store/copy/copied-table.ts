/** Tables as a copy between engines sees them: rows of plain values, in the order of the table's columns. */
import type { Sql } from '../sql.ts';

export type CopiedValue = string | number | Uint8Array | null;
export type CopiedRow = readonly CopiedValue[];

/** `key` is empty in a table without a primary key. */
export type CopiedTable = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
};

/** One store of an engine, at one moment. */
export type TableReader = {
  countRows(table: CopiedTable): Promise<number>;
  /** All rows, in batches of bounded size. */
  readRows(table: CopiedTable): AsyncIterable<readonly CopiedRow[]>;
};

export type TableWriter = {
  /** Removes rows that a new store has from its beginning. */
  clear(table: CopiedTable): Promise<void>;
  writeRows(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>;
};

/** The tables of one store in a file of its own. */
export type StoreTables = TableReader & {
  readonly file: string;
  /** A table comes after those that it refers to. */
  readonly tables: readonly CopiedTable[];
  close(): void;
};

export type NewStoreTables = StoreTables &
  TableWriter & {
    /** For what is not copied row by row, before it is finished. */
    readonly sql: Sql;
    /** Completes the file, checks it and writes it to the disk. Returns its size in bytes. Throws STORE_DAMAGED. */
    finish(): number;
    /** Closes it and removes the file. */
    discard(): void;
  };

/** Tables of a new store that have a row from their beginning; what they count is copied. */
export const seededTables: readonly string[] = ['stored_bytes', 'stored_byte_steps'];

/** A batch is at most this many rows, and not much more than these bytes. */
export const maxBatchRows = 4_000;
export const maxBatchBytes = 4_194_304;

/** About the memory that a row takes. */
export function estimateBytes(row: CopiedRow): number {
  let bytes = 0;
  for (const value of row) bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
  return bytes;
}
