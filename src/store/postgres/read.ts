/**
 * Reads of one moment. A single statement is one by itself and needs no transaction, which would triple what is sent. Whether an
 * operation has one statement is known only at its end: it begins without a transaction, and when it turns out to have more, it
 * runs again in one. Operations with the same first statement have one from then on.
 */

import type { Sql } from '../sql.ts';
import type { BackupStoreName } from '../store-files.ts';
import { beginReadText } from './begin.ts';
import type { PostgresConnection } from './connect.ts';
import { isUsableAfter } from './errors.ts';
import { runOperation, type Statement } from './operation.ts';
import { enterStore, sendStatement } from './session.ts';
import type { StoreAccess } from './store-access.ts';

/** First statements of operations that have more. Texts are few. */
const firstOfSeveral = new Set<string>();

const reading = /^\s*(?:select|with)\b(?![\s\S]*\b(?:insert|update|delete)\b)/i;

export async function readOnce<T>({ pool, store }: StoreAccess, operation: (sql: Sql) => T): Promise<T> {
  return await pool.withRead(async (connection) => {
    // A pooler would give these settings to other clients.
    const single = connection.server.isPooled ? undefined : await readSingle(connection, store, operation);
    return single ? single.value : await readInTransaction(connection, store, operation);
  }, isUsableAfter);
}

/** Undefined when the operation needs a transaction. */
async function readSingle<T>(
  connection: PostgresConnection,
  store: BackupStoreName,
  operation: (sql: Sql) => T,
): Promise<{ readonly value: T } | undefined> {
  let first: string | undefined;
  let isSingle = true;
  const send = async (statement: Statement): Promise<unknown> => {
    const isFirst = first === undefined;
    first ??= statement.text;
    isSingle &&= isFirst && !firstOfSeveral.has(first) && reading.test(statement.text);
    if (!isSingle) throw new Error('the operation needs a transaction');
    enterStore(connection, store);
    return await sendStatement(connection, store, statement);
  };
  try {
    const value = await runOperation(operation, send);
    if (isSingle) return { value };
  } catch (error) {
    if (isSingle) throw error;
  }
  if (first !== undefined) firstOfSeveral.add(first);
  return undefined;
}

async function readInTransaction<T>(
  connection: PostgresConnection,
  store: BackupStoreName,
  operation: (sql: Sql) => T,
): Promise<T> {
  const { client, server } = connection;
  enterStore(connection, store);
  const start = client.query(beginReadText(store, server.isPooled));
  start.catch(() => undefined);
  try {
    return await runOperation(operation, (statement) => sendStatement(connection, store, statement));
  } finally {
    // The answer is not waited for: the connection's next transaction comes behind it.
    client.query('COMMIT').catch(() => undefined);
  }
}
