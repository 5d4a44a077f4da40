/** Rows of the database are unknown until a schema has looked at them. */
import type { Static, TObject } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { vpError } from '../errors/vp-error.ts';
import type { Statement } from './sql.ts';

/** Reads rows of one shape; a row of another shape throws INTERNAL (the schema and the SQL disagree). */
export type RowReader<T> = {
  one(statement: Statement, ...values: unknown[]): T | undefined;
  all(statement: Statement, ...values: unknown[]): T[];
};

/** A reader for rows of `schema`. Its check is compiled at first use (about 0.3 ms) and costs some 50 ns a row. */
export function rowReader<S extends TObject>(schema: S): RowReader<Static<S>> {
  let compiled: ReturnType<typeof TypeCompiler.Compile<S>> | undefined;
  const checked = (row: unknown): Static<S> => {
    compiled ??= TypeCompiler.Compile(schema);
    if (compiled.Check(row)) return row;
    const problem = compiled.Errors(row).First();
    throw vpError('INTERNAL', {}, { detail: `a row does not fit: ${problem?.path} ${problem?.message}` });
  };
  return {
    one(statement, ...values) {
      const row = statement.get(...values);
      return row === undefined ? undefined : checked(row);
    },
    all: (statement, ...values) => statement.all(...values).map(checked),
  };
}
