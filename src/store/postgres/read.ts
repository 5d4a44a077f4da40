/**
 * Reads of one moment, with as few messages as their statements allow. A single statement is one by itself and needs no transaction,
 * which would triple what is sent. Where all statements are announced, they and the transaction travel together. Which of the
 * two an operation needs is known only at its end: it begins with the least, and runs again with the next more when that is not
 * enough. Operations with the same first statement begin with that from then on.
 */

import type { Sql } from '../sql.ts';
import type { BackupStoreName } from '../store-files.ts';
import type { PostgresConnection } from './connect.ts';
import { isUsableAfter } from './errors.ts';
import { runOperation, type Statement } from './operation.ts';
import { enterStore, sendStatement } from './session.ts';
import type { StoreAccess } from './store-access.ts';
import { beginRead, sendCommit } from './transaction.ts';

/** `together`: all statements of the operation's first pass, in one transaction that ends behind them. */
type Extent = 'single' | 'together' | 'open';
const nextExtent = { single: 'together', together: 'open' } as const;

/** By the first statement of operations that need more than a single one. Texts are few. */
const extents = new Map<string, Extent>();

const reading = /^\s*(?:select|with)\b(?![\s\S]*\b(?:insert|update|delete)\b)/i;

export async function readOnce<T>({ pool, store }: StoreAccess, operation: (sql: Sql) => T): Promise<T> {
  return await pool.withRead(async (connection) => {
    for (;;) {
      const read = await readWithin(connection, store, operation);
      if (read) return read.value;
    }
  }, isUsableAfter);
}

/** A pooler would give the settings of a session to other clients, so that each read needs a transaction. */
function chooseExtent({ server }: PostgresConnection, { text }: Statement): Extent {
  if (server.isPooled) return 'open';
  return extents.get(text) ?? (reading.test(text) ? 'single' : 'open');
}

/** Undefined when the operation needs more than was known of its first statement; now that is known. */
async function readWithin<T>(
  connection: PostgresConnection,
  store: BackupStoreName,
  operation: (sql: Sql) => T,
): Promise<{ readonly value: T } | undefined> {
  let first: Statement | undefined;
  const state: { extent: Extent; isEnded: boolean; isEnough: boolean } = {
    ...{ extent: 'open', isEnded: false, isEnough: true },
  };
  const begin = (statement: Statement): void => {
    first = statement;
    state.extent = chooseExtent(connection, statement);
    enterStore(connection, store);
    if (state.extent !== 'single') beginRead(connection, store).catch(() => undefined);
  };
  let unanswered = 0;
  let ended: Promise<unknown> | undefined;
  const end = (): void => {
    if (first && state.extent !== 'single') ended ??= sendCommit(connection).catch(() => undefined);
    state.isEnded = true;
  };
  const send = async (statement: Statement): Promise<unknown> => {
    if (!first) begin(statement);
    else if (state.extent === 'single' || state.isEnded) state.isEnough = false;
    if (!state.isEnough) throw new Error('the operation needs more statements than were expected');
    unanswered += 1;
    const answer = await sendStatement(connection, store, statement);
    unanswered -= 1;
    return answer;
  };
  const result = runOperation(operation, send);
  // The first pass has been made.
  if (state.extent === 'together') end();
  try {
    const value = await result;
    if (state.isEnough) return { value };
  } catch (error) {
    if (state.isEnough) throw error;
  } finally {
    end();
    // Its end is skipped where one of these fails, and the rollback in its place must come before the connection's next use.
    if (unanswered > 0) await ended;
  }
  if (first && state.extent !== 'open') extents.set(first.text, nextExtent[state.extent]);
  return undefined;
}
