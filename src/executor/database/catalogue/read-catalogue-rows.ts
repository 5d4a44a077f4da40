/** Our own queries of the PostgreSQL catalogue; each row is validated against a schema. */
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { vpError } from '../../../errors/vp-error.ts';

/** Runs one catalogue query in the current transaction. */
export type CatalogueReader = (sql: string, values: readonly string[]) => Promise<readonly (readonly unknown[])[]>;

/** Returns the rows. Rejects with INTERNAL when a row does not match `schema`: SQL and schema then disagree. */
export async function readCatalogueRows<S extends TSchema>(
  reader: CatalogueReader,
  schema: S,
  sql: string,
  values: readonly string[] = [],
): Promise<Static<S>[]> {
  const rows = await reader(sql, values);
  return rows.map((row): Static<S> => {
    if (Value.Check(schema, row)) return row;
    const problem = Value.Errors(schema, row).First();
    throw vpError(
      'INTERNAL',
      {},
      { detail: `a catalogue row does not match its schema: ${problem?.path} ${problem?.message}` },
    );
  });
}

/** An array of texts as a PostgreSQL array literal. */
export function formatArrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
