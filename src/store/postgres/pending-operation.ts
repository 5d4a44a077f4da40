/** An operation that waits for the next transaction (write-queue.ts), and what becomes of it. */
import type { Sql } from '../sql.ts';
import type { BackupStoreName } from '../store-files.ts';
import { runOperation } from './operation.ts';
import { type StoreSession, sendStatement } from './session.ts';

type Operation = (sql: Sql) => unknown;

/** `answer` is that of the reading; undefined when it was not sent. */
export type AnsweredWrite<T = unknown, R = unknown> = { readonly value: T; readonly answer: Promise<R> | undefined };

export type PendingWrite = {
  readonly isRead: boolean;
  run(sql: Sql): unknown;
  /** Reads what is committed, behind the commit. */
  readonly reading: Operation | undefined;
  resolve(value: AnsweredWrite): void;
  reject(error: unknown): void;
};

export type WriteOutcome = { readonly value: unknown } | { readonly error: unknown };

/** `settled` rejects when a statement failed that the operation did not wait for. */
export type EndedWrite = {
  readonly pending: PendingWrite;
  readonly outcome: WriteOutcome;
  readonly settled: Promise<void>;
};
export type WrittenGroup = {
  readonly outcomes: readonly WriteOutcome[];
  /** Of the readings. */
  readonly answers?: readonly (Promise<unknown> | undefined)[];
  readonly commitNumber: number | undefined;
  readonly hasWritten: boolean;
};

export function settleOperations(group: readonly PendingWrite[], { outcomes, answers }: WrittenGroup): void {
  for (const [index, pending] of group.entries()) {
    const outcome = outcomes[index];
    if (outcome && 'value' in outcome) pending.resolve({ value: outcome.value, answer: answers?.[index] });
    else pending.reject(outcome?.error);
  }
}

/**
 * Call in the turn in which the commit is sent: the answer comes with that of the commit. Sends a single statement, because the connection is
 * given away then; a reading of more is rejected. Undefined where a pooler forgets the settings of the store with the transaction.
 */
export function sendReading(
  session: StoreSession,
  store: BackupStoreName,
  reading: Operation,
): Promise<unknown> | undefined {
  if (session.server.isPooled) return undefined;
  let isSent = false;
  const answer = runOperation(reading, (statement) => {
    if (isSent) return Promise.reject(new Error('a reading behind a commit has a single statement'));
    isSent = true;
    return sendStatement(session, store, statement);
  });
  // Nobody may look at it.
  answer.catch(() => undefined);
  return answer;
}
