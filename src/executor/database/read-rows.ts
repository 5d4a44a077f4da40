import type { QueryResult } from 'pg';
import type { Json } from '../../check/json/json.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { valueTypes } from './parse-value.ts';

/** Rows of a query; `more` is true when there are further rows. */
export type DatabaseRows = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Json[])[];
  readonly more: boolean;
};

/**
 * Runs one statement in the extended protocol, where the server refuses a second one, and reads at most `maxRows`
 * through a portal, where the server stops. Parameters are sent as text. Rejects with the error of pg or the server.
 */
export async function readRows(
  { client }: DatabaseConnection,
  sql: string,
  values: readonly (string | null)[],
  maxRows: number,
): Promise<DatabaseRows> {
  const { default: Cursor } = await import('pg-cursor');
  const cursor = client.query(new Cursor<Json[]>(sql, [...values], { rowMode: 'array', types: valueTypes }));
  const [rows, result] = await new Promise<[Json[][], QueryResult]>((resolve, reject) => {
    cursor.read(maxRows + 1, (error, fetchedRows, queryResult) =>
      error ? reject(error) : resolve([fetchedRows, queryResult]),
    );
  });
  if (rows.length > maxRows) await cursor.close();
  return {
    columns: result.fields.map(({ name }) => name),
    rows: rows.slice(0, maxRows),
    more: rows.length > maxRows,
  };
}
