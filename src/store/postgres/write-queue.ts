/**
 * Writes of one store on PostgreSQL. Operations that arrive while others are being committed share the next transaction;
 * transactions come one after another, in this process by the queue and among processes by the store's advisory lock. An
 * operation that fails after it has written is taken out, and the others are run again without it: no savepoints are needed.
 * Reads of the first operation are sent right behind the statement that begins the transaction; numbers and changes wait for
 * its answer.
 *
 * Serial writes need no SERIALIZABLE: each transaction sees all commits before it (READ COMMITTED takes a snapshot for each
 * statement, and the lock is held from the first statement to the commit), so the order of the commits is a serial order.
 */
import type { ClientBase, QueryResult } from 'pg';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { Sql } from '../sql.ts';
import { beginWriteText } from './begin.ts';
import type { CommitNumbers } from './commit-numbers.ts';
import { commit, findCommitOutcome, type UncertainTransaction } from './commit-outcome.ts';
import type { PostgresConnection } from './connect.ts';
import { isConnectionLoss, isRetryable, isUsableAfter, toStoreError } from './errors.ts';
import { runOperation, type Statement } from './operation.ts';
import { sendStatement } from './session.ts';
import type { StoreAccess } from './store-access.ts';

type Pending = { run(sql: Sql): unknown; resolve(value: unknown): void; reject(error: unknown): void };
type Outcome = { readonly value: unknown } | { readonly error: unknown };

export type WriteQueueOptions = StoreAccess & {
  readonly numbers: CommitNumbers;
  /** Called with the number of each commit. */
  readonly onCommitted: (commitNumber: number) => void;
};

/** More operations wait for the next transaction. */
const maxPerTransaction = 64;
/** How long a write tries again while PostgreSQL starts again or is replaced by its standby. */
const maxRetryMs = 8_000;
const retryDelayMs = 100;

const writing = /^\s*(?:insert|update|delete|with\b[\s\S]*\b(?:insert|update|delete)\b)/i;

/** Thrown to run the others of a group again without `culprit`. */
class Evicted extends Error {
  readonly culprit: Pending;
  override readonly cause: unknown;

  constructor(culprit: Pending, cause: unknown) {
    super('an operation failed after it had written');
    this.culprit = culprit;
    this.cause = cause;
  }
}

export class WriteQueue {
  readonly #options: WriteQueueOptions;
  #pending: Pending[] = [];
  #draining: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
  }

  /** See `Database.write`. */
  write<T>(operation: (sql: Sql) => T): Promise<T> {
    if (this.#isClosed) return Promise.reject(vpError('STORE_CLOSED', {}));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.push({ run: operation, resolve, reject });
    this.#draining ??= this.#drain();
    return promise as Promise<T>;
  }

  /** Commits what is pending; later writes are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    // Operations of the same tick share a transaction.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#pending.length > 0) await this.#commitGroup(this.#pending.splice(0, maxPerTransaction));
    this.#draining = undefined;
  }

  /** Settles every operation of `group`. Never rejects. */
  async #commitGroup(group: readonly Pending[]): Promise<void> {
    const startMs = performance.now();
    let rest = group;
    while (rest.length > 0) {
      const committed = await this.#attempt(rest).catch((error: unknown) => ({ error }));
      if (!('error' in committed)) {
        for (const [index, pending] of rest.entries()) settle(pending, committed.outcomes[index]);
        this.#options.onCommitted(committed.commitNumber);
        return;
      }
      const { error } = committed;
      if (error instanceof Evicted) {
        error.culprit.reject(error.cause);
        rest = rest.filter((pending) => pending !== error.culprit);
      } else if (isRetryable(error) && performance.now() - startMs < maxRetryMs) {
        await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
      } else {
        const storeError = toStoreError(error, this.#options.describe);
        if (storeError instanceof VpError && storeError.code === 'STORE_NOT_ACTIVE') this.#options.onReplaced();
        for (const pending of rest) pending.reject(storeError);
        return;
      }
    }
  }

  /** One transaction. Throws `Evicted`, or an error of PostgreSQL when nothing was committed. */
  #attempt(
    group: readonly Pending[],
  ): Promise<{ readonly outcomes: readonly Outcome[]; readonly commitNumber: number }> {
    const { pool, store, epoch, numbers } = this.#options;
    return pool.with(async (connection) => {
      const { client, server } = connection;
      const began = client.query(beginWriteText(store, epoch() ?? null)).then((results: unknown) => {
        const start = readStart(results);
        numbers.begin(start.commitNumber, start.lastRunMs);
        return start;
      });
      numbers.expect(began);
      try {
        if (server.isPooled) await began;
        const outcomes: Outcome[] = [];
        for (const pending of group) outcomes.push(await this.#runOne(connection, pending, began));
        const { commitNumber, transactionId } = await began;
        await this.#commit(client, { id: transactionId, incarnation: server.incarnation });
        return { outcomes, commitNumber };
      } catch (thrown) {
        // Statements behind one that did not begin the transaction only say that they are not carried out.
        const error = await began.then(
          () => thrown,
          (beginError: unknown) => beginError,
        );
        if (isUsableAfter(error)) await client.query('ROLLBACK');
        throw error;
      }
    }, isUsableAfter);
  }

  /** Nothing is written before `began`, for a write outside of the transaction would be committed by itself. */
  async #runOne(connection: PostgresConnection, pending: Pending, began: Promise<unknown>): Promise<Outcome> {
    let hasWritten = false;
    let hasBegun = false;
    began.then(
      () => {
        hasBegun = true;
      },
      () => undefined,
    );
    const { numbers, store } = this.#options;
    const send = (statement: Statement): Promise<unknown> => {
      hasWritten ||= statement.kind !== 'all' && (statement.kind !== 'get' || writing.test(statement.text));
      const sendNow = (): Promise<unknown> => sendStatement(connection, store, statement);
      return hasWritten && !hasBegun ? began.then(sendNow) : sendNow();
    };
    const operation = numbers.repeatable((sql) => pending.run(sql));
    try {
      return { value: await runOperation(operation, send) };
    } catch (error) {
      if (!(error instanceof VpError) && isRetryable(error)) throw error;
      const storeError = toStoreError(error, this.#options.describe);
      // An error of PostgreSQL has undone the whole transaction.
      if (hasWritten || storeError !== error) throw new Evicted(pending, storeError);
      return { error };
    }
  }

  /** Where the answer leaves open whether the transaction is committed, on the standby too, PostgreSQL is asked. */
  async #commit(client: ClientBase, transaction: UncertainTransaction): Promise<void> {
    const { numbers, pool, label } = this.#options;
    const lastRunMs = numbers.getTakenRunMs();
    let failure: unknown;
    if (lastRunMs !== undefined)
      client.query(`SELECT setval('vp.run_times', ${lastRunMs})`).catch((error: unknown) => {
        failure = error;
      });
    const answer = await commit(client).catch((error: unknown) => ({ error }));
    // The commit of a transaction in which a statement has failed undoes it, and succeeds.
    if ('command' in answer && answer.command !== 'COMMIT')
      throw failure ?? vpError('INTERNAL', {}, { detail: `a commit ended with ${answer.command}` });
    if ('command' in answer && answer.isReplicated) return;
    if ('error' in answer && !isConnectionLoss(answer.error)) throw answer.error;
    const outcome = await findCommitOutcome(pool, transaction, maxRetryMs);
    if (outcome === 'committed') return;
    const reason = 'a standby took over without the newest commits';
    throw 'error' in answer ? answer.error : vpError('STORE_DATABASE_LOST', { address: label, reason });
  }
}

function settle(pending: Pending, outcome: Outcome | undefined): void {
  if (outcome && 'value' in outcome) pending.resolve(outcome.value);
  else pending.reject(outcome?.error);
}

type WriteStart = { readonly commitNumber: number; readonly lastRunMs: number; readonly transactionId: string };

/** The last result of {@link beginWriteText}. */
function readStart(answer: unknown): WriteStart {
  const results = answer as readonly QueryResult<Record<string, unknown>>[];
  const row = results.at(-1)?.rows[0];
  return {
    commitNumber: Number(row?.commit_number),
    lastRunMs: Number(row?.last_run_ms),
    transactionId: String(row?.transaction_id),
  };
}
