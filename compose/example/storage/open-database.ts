import type { Database } from './database.ts';

/** A PostgreSQL URL, else a SQLite file, else memory. */
export type DatabaseLocation = { readonly databaseUrl?: string | undefined; readonly sqliteFile?: string | undefined };

/** Loads only the driver that it needs. */
export async function openDatabase(
  location: DatabaseLocation,
  onIdleError: (message: string) => void,
): Promise<Database> {
  if (location.databaseUrl !== undefined) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(location.databaseUrl, onIdleError);
  }
  const { openSqlite } = await import('./sqlite.ts');
  return openSqlite(location.sqliteFile ?? ':memory:');
}
