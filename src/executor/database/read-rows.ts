import type { QueryResult } from 'pg';
import type { Json } from '../../check/observed.ts';
import type { Connection } from './connection.ts';
import { valueTypes } from './values.ts';

/** Rows of a query; `more` says that there are others. */
export type ReadRows = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Json[])[];
  readonly more: boolean;
};

/**
 * Runs one statement in the extended protocol, where the server refuses a second one, and reads at most `maxRows` through
 * a portal: the server stops there. Parameters go as text. Rejects with what pg or the server says.
 */
export async function readRows(
  { client }: Connection,
  sql: string,
  values: readonly (string | null)[],
  maxRows: number,
): Promise<ReadRows> {
  const { default: Cursor } = await import('pg-cursor');
  const cursor = client.query(new Cursor<Json[]>(sql, [...values], { rowMode: 'array', types: valueTypes }));
  const [read, result] = await new Promise<[Json[][], QueryResult]>((resolve, reject) => {
    cursor.read(maxRows + 1, (error, rows, whole) => (error ? reject(error) : resolve([rows, whole])));
  });
  if (read.length > maxRows) await cursor.close();
  return {
    columns: result.fields.map(({ name }) => name),
    rows: read.slice(0, maxRows),
    more: read.length > maxRows,
  };
}
