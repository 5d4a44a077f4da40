/** The schema of a row is the only list of its columns: statements that name every column take them from it. */
import type { Static, TObject } from '@sinclair/typebox';
import { vpError } from '../errors/vp-error.ts';
import type { Sql, SqlValue } from './sql.ts';

/** `id, name`: the columns of `schema` in its order. */
export function formatColumns(schema: TObject): string {
  return Object.keys(schema.properties).join(', ');
}

/** Inserts rows of `schema` with all their columns; throws INTERNAL for a row without one of them. */
export function createRowInserter<S extends TObject>(
  table: string,
  schema: S,
): (sql: Sql, row: Static<S> & Readonly<Record<string, SqlValue>>) => void {
  const names = Object.keys(schema.properties);
  const text = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  return (sql, row) => {
    const values = names.map((name) => {
      const value = row[name];
      if (value === undefined) throw vpError('INTERNAL', {}, { detail: `a row of ${table} has no ${name}` });
      return value;
    });
    sql.execute(text, ...values);
  };
}
