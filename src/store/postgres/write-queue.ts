/**
 * Writes of one store on PostgreSQL. Operations that arrive while others are being committed share the next transaction;
 * transactions come one after another, in this process by the queue and among processes by the store's advisory lock. An
 * operation that fails after it has written is taken out, and the others are run again without it: no savepoints are needed.
 * Reads of the first operation are sent right behind the statement that begins the transaction; numbers and changes wait for
 * its answer. The commit is sent right behind the last changes: when one of them fails, PostgreSQL makes it a rollback and says
 * so, and the operation whose statement was the first to fail is the one that is taken out. A transaction that wrote nothing
 * is acknowledged before its end, while it still has the lock: what it read is true at that moment. What `writeAndRead` reads follows the commit.
 *
 * Serial writes need no SERIALIZABLE: each transaction sees all commits before it (READ COMMITTED takes a snapshot for each
 * statement, and the lock is held from the first statement to the commit), so the order of the commits is a serial order.
 */
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { Sql } from '../sql.ts';
import type { CommitNumbers } from './commit-numbers.ts';
import { commit, findCommitOutcome, type UncertainTransaction } from './commit-outcome.ts';
import { Evicted, isConnectionLoss, isRetryable, isUsableAfter, toStoreError } from './errors.ts';
import { isWriting, runUnsettled, type SendStatement } from './operation.ts';
import type { AnsweredWrite, EndedWrite, PendingWrite, WriteOutcome, WrittenGroup } from './pending-operation.ts';
import { sendReading, settleOperations } from './pending-operation.ts';
import { readLocked } from './read.ts';
import { enterStore, type StoreSession, sendStatement } from './session.ts';
import { createStatementOrder, type StatementOrder } from './statement-order.ts';
import type { StoreAccess } from './store-access.ts';
import { beginWrite, endUnawaited, saveRunTime } from './transaction.ts';

export type WriteQueueOptions = StoreAccess & {
  readonly numbers: CommitNumbers;
  /** Called with the number of a transaction when it has the lock, and with none when it has ended. */
  readonly onOpen: (commitNumber: number | undefined) => void;
  /** Called with the number of each commit, if it took one, and whether it changed something. */
  readonly onCommitted: (commitNumber: number | undefined, hasWritten: boolean) => void;
};

/** More operations wait for the next transaction. */
const maxPerTransaction = 64;
/**
 * How long a write tries again while PostgreSQL starts again or is replaced by its standby. It is tried twice at least: PostgreSQL
 * ends the transaction of a process that stands still, and that attempt alone may have taken longer. Behind connections
 * that were cut in silence, an attempt ends with the time limit of its statements, and a write fails after two.
 */
const maxRetryMs = 8_000;
const retryDelayMs = 100;

export class WriteQueue {
  readonly #options: WriteQueueOptions;
  #pending: PendingWrite[] = [];
  #draining: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
  }

  /** See `Database.write`. */
  async write<T>(operation: (sql: Sql) => T): Promise<T> {
    return (await this.#add<T, undefined>(operation, false)).value;
  }

  /** See `Database.writeAndRead`. */
  writeAndRead<T, R>(operation: (sql: Sql) => T, reading: (sql: Sql) => R): Promise<AnsweredWrite<T, R>> {
    return this.#add<T, R>(operation, false, reading);
  }

  /** See `Database.readExclusively`. */
  async read<T>(operation: (sql: Sql) => T): Promise<T> {
    return (await this.#add<T, undefined>(operation, true)).value;
  }

  #add<T, R>(
    operation: (sql: Sql) => T,
    isRead: boolean,
    reading?: PendingWrite['reading'],
  ): Promise<AnsweredWrite<T, R>> {
    if (this.#isClosed) return Promise.reject(vpError('STORE_CLOSED', {}));
    const { promise, resolve, reject } = Promise.withResolvers<AnsweredWrite>();
    this.#pending.push({ isRead, run: operation, reading, resolve, reject });
    this.#draining ??= this.#drain();
    return promise as Promise<AnsweredWrite<T, R>>;
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
  async #commitGroup(group: readonly PendingWrite[]): Promise<void> {
    const startMs = performance.now();
    let failures = 0;
    let rest = group;
    while (rest.length > 0) {
      const committed = await this.#attempt(rest).catch((error: unknown) => ({ error }));
      if (!('error' in committed)) {
        settleOperations(rest, committed);
        this.#options.onCommitted(committed.commitNumber, committed.hasWritten);
        return;
      }
      const { error } = committed;
      if (error instanceof Evicted) {
        error.culprit.reject(error.cause);
        rest = rest.filter((pending) => pending !== error.culprit);
      } else if (isRetryable(error) && (failures === 0 || performance.now() - startMs < maxRetryMs)) {
        failures += 1;
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
  #attempt(group: readonly PendingWrite[]): Promise<WrittenGroup> {
    const { pool, store, epoch, numbers, onOpen } = this.#options;
    return pool.with(async (connection) => {
      const { client, server } = connection;
      const [first] = group;
      if (first?.isRead && group.length === 1 && !server.isPooled)
        return { outcomes: [await this.#readAlone(connection, first)], commitNumber: undefined, hasWritten: false };
      enterStore(connection, store);
      const start = beginWrite(connection, store, epoch() ?? null).then((start) => {
        numbers.begin(start.commitNumber, start.lastRunMs);
        onOpen(start.commitNumber);
        return start;
      });
      numbers.expect(start);
      const finished: EndedWrite[] = [];
      let isEnding = false;
      const order = createStatementOrder(start, (statement) => sendStatement(connection, store, statement));
      try {
        if (server.isPooled) await start;
        for (const pending of group) finished.push(await this.#runOne(pending, order));
        const { commitNumber, transactionId, incarnation = server.incarnation } = await start;
        isEnding = true;
        const committed = {
          outcomes: finished.map(({ outcome }) => outcome),
          commitNumber,
          hasWritten: order.hasWritten,
        };
        if (!order.hasWritten) endUnawaited(connection);
        if (!order.hasWritten) return committed;
        const committing = this.#commit(connection, { id: transactionId, incarnation });
        // In the same turn, and so in the same message.
        const answers = group.map(({ reading }) => reading && sendReading(connection, store, reading));
        await committing;
        return { ...committed, answers };
      } catch (thrown) {
        // Statements behind one that did not begin the transaction, or failed, only say that they are not carried out.
        const error = await start.then(
          () => this.#findFirstError(finished, thrown),
          (beginError: unknown) => beginError,
        );
        if (isUsableAfter(error) && !isEnding) await client.query('ROLLBACK');
        throw error;
      } finally {
        onOpen(undefined);
      }
    }, isUsableAfter);
  }

  /** Nothing else of this process is sent to the store meanwhile, and nothing is to be undone. */
  async #readAlone(connection: StoreSession, { run }: PendingWrite): Promise<WriteOutcome> {
    const { store, epoch } = this.#options;
    try {
      return { value: await readLocked(connection, store, epoch() ?? null, run) };
    } catch (error) {
      if (error instanceof VpError) return { error };
      throw error;
    }
  }

  /** `thrown`, unless an operation before it had a statement that failed and that it did not wait for. */
  async #findFirstError(finished: readonly EndedWrite[], thrown: unknown): Promise<unknown> {
    // A commit whose outcome is open stands above errors of statements that it took along.
    if (!isUsableAfter(thrown)) return thrown;
    for (const { pending, settled } of finished) {
      const error = await settled.then(
        () => undefined,
        (statementError: unknown) => ({ statementError }),
      );
      if (error) return this.#toFailure(pending, error.statementError, true);
    }
    return thrown;
  }

  /** What ends the transaction because of an error of an operation; undefined when the others can go on. */
  #toFailure(pending: PendingWrite, error: unknown, isUndone: boolean): unknown {
    if (!(error instanceof VpError) && isRetryable(error)) return error;
    const storeError = toStoreError(error, this.#options.describe);
    // An error of PostgreSQL has undone the whole transaction.
    return isUndone || storeError !== error ? new Evicted(pending, storeError) : undefined;
  }

  async #runOne(pending: PendingWrite, order: StatementOrder): Promise<EndedWrite> {
    let hasWritten = false;
    let hasFailed = false;
    let lastAnswer: Promise<unknown> | undefined;
    const send: SendStatement = (statement) => {
      hasWritten ||= isWriting(statement);
      const answer = order.send(statement);
      lastAnswer = answer.catch(() => {
        hasFailed = true;
      });
      return answer;
    };
    const operation = this.#options.numbers.repeatable((sql) => pending.run(sql));
    try {
      const { value, settled } = await runUnsettled(operation, send);
      return { pending, outcome: { value }, settled };
    } catch (error) {
      await lastAnswer;
      const failure = this.#toFailure(pending, error, hasWritten || hasFailed);
      if (failure !== undefined) throw failure;
      return { pending, outcome: { error }, settled: Promise.resolve() };
    }
  }

  /** Where the answer leaves open whether the transaction is committed, on the standby too, PostgreSQL is asked. */
  async #commit(session: StoreSession, transaction: UncertainTransaction): Promise<void> {
    const { numbers, pool, label } = this.#options;
    const lastRunMs = numbers.getTakenRunMs();
    let failure: unknown;
    if (lastRunMs !== undefined)
      saveRunTime(session, lastRunMs).catch((error: unknown) => {
        failure = error;
      });
    const answer = await commit(session).catch((error: unknown) => ({ error }));
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
