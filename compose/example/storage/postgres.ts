import pg from 'pg';
import { type Database, DatabaseUnavailable, plainRow, type Session, type Value } from './database.ts';

const connectWaitMs = 2000;
const queryWaitMs = 2000;

// SQLSTATE classes: connection exception, insufficient resources, operator intervention (shutdown, cancel).
const awayClasses = new Set(['08', '53', '57']);

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A name with several addresses fails with an AggregateError, whose message is empty.
  const first = error instanceof AggregateError ? error.errors[0] : undefined;
  return error.message || (first instanceof Error ? first.message : error.name);
}

function asUnavailable(error: unknown): unknown {
  const fromServer = error instanceof pg.DatabaseError;
  if (fromServer && !awayClasses.has((error.code ?? '').slice(0, 2))) return error;
  return new DatabaseUnavailable(sentenceOf(error), { cause: error });
}

async function run(client: pg.PoolClient, sql: string, values: readonly Value[] = []) {
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
    return rows.map(plainRow);
  } catch (error) {
    throw asUnavailable(error);
  }
}

async function borrowed<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw new DatabaseUnavailable(sentenceOf(error), { cause: error });
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
 * A pool on `databaseUrl` (`postgres://user:password@host:port/name`). Nothing is connected yet. `onIdleError` hears of
 * connections that broke while nobody used them; the pool replaces them by itself.
 */
export function openPostgres(databaseUrl: string, onIdleError: (message: string) => void): Database {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 10,
    connectionTimeoutMillis: connectWaitMs,
    query_timeout: queryWaitMs,
    application_name: 'document-signing',
  });
  pool.on('error', (error) => onIdleError(sentenceOf(error)));
  // Between two statements of a transaction a lost connection is an event; the next statement reports it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    kind: 'postgres',
    query: (sql, values) => borrowed(pool, (client) => run(client, sql, values)),
    transaction: (work) => borrowed(pool, (client) => inTransaction(client, work)),
    close: () => pool.end(),
  };
}
