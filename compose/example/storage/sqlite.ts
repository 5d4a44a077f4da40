import { DatabaseSync } from 'node:sqlite';
import { type Database, DatabaseUnavailable, plainRow, type Session } from './database.ts';

/** How long a statement waits for another process's lock, in milliseconds; it blocks this one meanwhile. */
const lockWaitMs = 250;

// SQLITE_ERROR, CONSTRAINT, MISMATCH, MISUSE, RANGE: our mistake, not the database's state.
const ownMistakes = new Set([1, 19, 20, 21, 25]);

function isOwnMistake(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  return 'errcode' in error && typeof error.errcode === 'number' && ownMistakes.has(error.errcode & 0xff);
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isOwnMistake(error)) throw error;
    throw new DatabaseUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function sessionOn(connection: DatabaseSync): Session {
  return {
    async query(sql, values = []) {
      const numbered = sql.replaceAll(/\$(\d+)/g, '?$1');
      return attempt(() => connection.prepare(numbered).all(...values)).map(plainRow);
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

/** Opens (and makes) the SQLite file, or a database in memory for `:memory:`. Throws DatabaseUnavailable. */
export function openSqlite(file: string): Database {
  const connection = attempt(() => new DatabaseSync(file, { timeout: lockWaitMs }));
  const session = sessionOn(connection);
  let last: Promise<unknown> = Promise.resolve();
  // One connection: what is not part of a transaction must wait until it has ended.
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    kind: 'sqlite',
    query: (sql, values) => inTurn(() => session.query(sql, values)),
    transaction: (work) => inTurn(() => inTransaction(session, work)),
    close: () => inTurn(async () => connection.close()),
  };
}
