/** Our own queries of the database's catalogue; their rows are unknown until a schema has looked at them. */
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { vpError } from '../../errors/vp-error.ts';

/** Runs one of our queries in the current transaction. */
export type CatalogueReader = (sql: string, values: readonly string[]) => Promise<readonly (readonly unknown[])[]>;

/** The rows, each of the shape `schema`. Rejects with INTERNAL where one is of another: our SQL and schema disagree. */
export async function catalogueRows<S extends TSchema>(
  read: CatalogueReader,
  schema: S,
  sql: string,
  values: readonly string[] = [],
): Promise<Static<S>[]> {
  const rows = await read(sql, values);
  return rows.map((row): Static<S> => {
    if (Value.Check(schema, row)) return row;
    const problem = Value.Errors(schema, row).First();
    throw vpError('INTERNAL', {}, { detail: `a catalogue row does not fit: ${problem?.path} ${problem?.message}` });
  });
}

/** An array of texts as PostgreSQL reads it. */
export function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
