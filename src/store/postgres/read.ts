/**
 * Reads of one moment, with as few messages as their statements allow. A single statement is one by itself and needs no transaction,
 * which would triple what is sent. Where all statements are announced, they and the transaction travel together. Which of the
 * two an operation needs is known only at its end: it begins with the least, and runs again with the next more when that is not
 * enough. Operations with the same first statement begin with that from then on.
 */

import type { Sql } from '../sql.ts';
import type { BackupStoreName } from '../store-files.ts';
import { isUsableAfter } from './errors.ts';
import { runOperation, type Statement } from './operation.ts';
import { enterStore, type StoreSession, sendStatement } from './session.ts';
import type { StoreAccess } from './store-access.ts';
import { beginLockedRead, beginRead, sendCommit } from './transaction.ts';

/** `together`: all statements of the operation's first pass, in one transaction that ends behind them. */
type Extent = 'single' | 'together' | 'open';
const nextExtent = { single: 'together', together: 'open' } as const;

/** By the first statement of operations that need more than the least. Texts are few. */
type Extents = Map<string, Extent>;

/**
 * How a read begins. `least` is the extent with which it is tried first; `begin` sends what begins a transaction. `isImplicit`: one that
 * travels together begins and ends with its message.
 */
type ReadStart = {
  readonly extents: Extents;
  readonly least: (first: Statement) => Extent;
  readonly begin: (isImplicit: boolean) => Promise<unknown>;
  readonly isImplicit: boolean;
};

const extents: Extents = new Map();
const lockedExtents: Extents = new Map();

const reading = /^\s*(?:select|with)\b(?![\s\S]*\b(?:insert|update|delete)\b)/i;

export async function readOnce<T>({ pool, store }: StoreAccess, operation: (sql: Sql) => T): Promise<T> {
  return await pool.withRead((connection) => {
    const { server } = connection;
    return readAsLongAsNeeded(connection, store, operation, {
      // A pooler would give the settings of a session to other clients, so that each read needs a transaction.
      ...{ extents: server.isPooled ? new Map() : extents },
      least: ({ text }) => (!server.isPooled && reading.test(text) ? 'single' : 'open'),
      begin: () => beginRead(connection, store),
      // Its statements would not be of one moment.
      isImplicit: false,
    });
  }, isUsableAfter);
}

/**
 * A read at a moment when no other process writes; that this process does not is up to the caller. Mostly one message: the lock is
 * released before the answer arrives. Not for connections that a pooler shares.
 */
export function readLocked<T>(
  connection: StoreSession,
  store: BackupStoreName,
  epoch: number | null,
  operation: (sql: Sql) => T,
): Promise<T> {
  const begin = (isImplicit: boolean) => beginLockedRead(connection, store, epoch, isImplicit);
  const start: ReadStart = { extents: lockedExtents, least: () => 'together', begin, isImplicit: true };
  return readAsLongAsNeeded(connection, store, operation, start);
}

async function readAsLongAsNeeded<T>(
  connection: StoreSession,
  store: BackupStoreName,
  operation: (sql: Sql) => T,
  start: ReadStart,
): Promise<T> {
  for (;;) {
    const read = await readWithin(connection, store, operation, start);
    if (read) return read.value;
  }
}

/** Undefined when the operation needs more than was known of its first statement; now that is known. */
async function readWithin<T>(
  connection: StoreSession,
  store: BackupStoreName,
  operation: (sql: Sql) => T,
  { extents, least, begin: beginTransaction, isImplicit }: ReadStart,
): Promise<{ readonly value: T } | undefined> {
  let first: Statement | undefined;
  const state: { extent: Extent; isEnded: boolean; isEnough: boolean } = {
    ...{ extent: 'open', isEnded: false, isEnough: true },
  };
  const endsWithMessage = (): boolean => isImplicit && state.extent === 'together';
  const begin = (statement: Statement): void => {
    first = statement;
    state.extent = extents.get(statement.text) ?? least(statement);
    enterStore(connection, store);
    if (state.extent !== 'single') beginTransaction(endsWithMessage()).catch(() => undefined);
  };
  let unanswered = 0;
  let ended: Promise<unknown> | undefined;
  const end = (): void => {
    if (first && endsWithMessage()) connection.client.separate();
    else if (first && state.extent !== 'single') ended ??= sendCommit(connection).catch(() => undefined);
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
