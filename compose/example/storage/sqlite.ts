import { DatabaseSync } from 'node:sqlite';
import { type Database, DatabaseUnavailable, type Session, toRow } from './database.ts';

/** How long a statement waits for another process's lock; it blocks this process meanwhile. */
const lockTimeoutMs = 250;

// SQLITE_ERROR, CONSTRAINT, MISMATCH, MISUSE, RANGE: errors of a statement, not of the database.
const queryErrorCodes = new Set([1, 19, 20, 21, 25]);

function isQueryError(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  return 'errcode' in error && typeof error.errcode === 'number' && queryErrorCodes.has(error.errcode & 0xff);
}

function wrapErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isQueryError(error)) throw error;
    throw new DatabaseUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function createSession(connection: DatabaseSync): Session {
  return {
    async query(sql, values = []) {
      const numbered = sql.replaceAll(/\$(\d+)/g, '?$1');
      return wrapErrors(() => connection.prepare(numbered).all(...values)).map(toRow);
    },
  };
}

async function inTransaction<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
  await session.query('BEGIN IMMEDIATE');
  try {
    const result = await work(session);
    await session.query('COMMIT');
    return result;
  } catch (error) {
    await session.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Opens or creates the SQLite file, or a database in memory for `:memory:`. Throws DatabaseUnavailable. */
export function openSqlite(file: string): Database {
  const connection = wrapErrors(() => new DatabaseSync(file, { timeout: lockTimeoutMs }));
  const session = createSession(connection);
  let last: Promise<unknown> = Promise.resolve();
  // There is one connection: other statements must wait for the end of a transaction.
  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  return {
    kind: 'sqlite',
    query: (sql, values) => enqueue(() => session.query(sql, values)),
    transaction: (work) => enqueue(() => inTransaction(session, work)),
    close: () => enqueue(async () => connection.close()),
  };
}
