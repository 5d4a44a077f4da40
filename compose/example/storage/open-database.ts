import type { Database } from './database.ts';

/** Where the rows are: a PostgreSQL URL, else a SQLite file, else memory. */
export type Place = { readonly databaseUrl?: string | undefined; readonly sqliteFile?: string | undefined };

/** Opens the database; the driver that is not wanted is not loaded. */
export async function openDatabase(place: Place, onIdleError: (message: string) => void): Promise<Database> {
  if (place.databaseUrl !== undefined) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(place.databaseUrl, onIdleError);
  }
  const { openSqlite } = await import('./sqlite.ts');
  return openSqlite(place.sqliteFile ?? ':memory:');
}
