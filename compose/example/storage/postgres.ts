import pg from 'pg';
import { type Database, DatabaseUnavailable, type Session, toRow, type Value } from './database.ts';

const connectTimeoutMs = 2000;
const queryTimeoutMs = 2000;

// SQLSTATE classes: connection exception, insufficient resources, operator intervention (shutdown, cancel).
const unavailableClasses = new Set(['08', '53', '57']);

function formatError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A name with several addresses fails with an AggregateError, whose message is empty.
  const first = error instanceof AggregateError ? error.errors[0] : undefined;
  return error.message || (first instanceof Error ? first.message : error.name);
}

function toUnavailableError(error: unknown): unknown {
  const fromServer = error instanceof pg.DatabaseError;
  if (fromServer && !unavailableClasses.has((error.code ?? '').slice(0, 2))) return error;
  return new DatabaseUnavailable(formatError(error), { cause: error });
}

async function run(client: pg.PoolClient, sql: string, values: readonly Value[] = []) {
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
    return rows.map(toRow);
  } catch (error) {
    throw toUnavailableError(error);
  }
}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw new DatabaseUnavailable(formatError(error), { cause: error });
  });
  let broken = false;
  try {
    return await work(client);
  } catch (error) {
    broken = error instanceof DatabaseUnavailable;
    throw error;
  } finally {
    client.release(broken);
  }
}

async function inTransaction<T>(client: pg.PoolClient, work: (session: Session) => Promise<T>): Promise<T> {
  await run(client, 'BEGIN');
  try {
    const result = await work({ query: (sql, values) => run(client, sql, values) });
    await run(client, 'COMMIT');
    return result;
  } catch (error) {
    await run(client, 'ROLLBACK');
    throw error;
  }
}

/**
 * A pool on `databaseUrl` (`postgres://user:password@host:port/name`). Nothing is connected yet. `onIdleError` is called for
 * idle connections that break; the pool replaces them by itself.
 */
export function openPostgres(databaseUrl: string, onIdleError: (message: string) => void): Database {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 10,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    application_name: 'document-signing',
  });
  pool.on('error', (error) => onIdleError(formatError(error)));
  // Between two statements of a transaction a lost connection is an event; the next statement reports it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    kind: 'postgres',
    query: (sql, values) => withClient(pool, (client) => run(client, sql, values)),
    transaction: (work) => withClient(pool, (client) => inTransaction(client, work)),
    close: () => pool.end(),
  };
}
