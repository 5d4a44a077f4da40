/**
 * A client of the driver that sends the statements of one turn as one message of the extended protocol, with one `Sync` at its end.
 * The driver alone sends a `Sync` behind each statement, and asks each time for the names of its columns: the server then answers
 * each in a packet of its own, which wakes this process up. Here the columns are asked for once, when a statement is prepared.
 *
 * The server skips what stands behind a statement that failed, up to the `Sync`: it is rejected with the same error.
 */
import type { Client, ClientConfig, Connection, Query } from 'pg';
import {
  type Description,
  type PreparedStatement,
  type PreparedStatements,
  StatementBatch,
  type StatementResult,
} from './statement-batch.ts';

export type PipelinedClient = Client & {
  /** Sends a statement together with the others of this turn. What `query` sends later comes behind it. */
  execute(statement: PreparedStatement): Promise<StatementResult>;
  /** What is sent from now on has a message of its own: no error of what came before reaches it. */
  separate(): void;
};

/** The driver's connection: its own types do not say that it can be closed. */
type Streamed = { readonly stream: Connection['stream'] };

type DriverClasses = { readonly Client: typeof Client; readonly Query: typeof Query };

/** A batch as a query of the driver, which refuses objects of other classes where statements are pipelined. */
function createBatchQueryClass(DriverQuery: typeof Query) {
  return class BatchQuery extends DriverQuery {
    readonly #batch: StatementBatch;
    readonly #onFailedEnd: (query: BatchQuery) => void;
    /** Set by the driver, which ends its time limit with it. */
    callback: ((error?: unknown) => void) | undefined;

    /** `onFailedEnd`: the end of a transaction failed or was skipped. */
    constructor(batch: StatementBatch, onFailedEnd: (query: BatchQuery) => void) {
      super('');
      this.#batch = batch;
      this.#onFailedEnd = onFailedEnd;
    }

    override submit = (connection: Connection): void => this.#batch.send(connection);

    handleRowDescription(description: Description): void {
      this.#batch.describe(description);
    }

    handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
      this.#batch.addRow(fields);
    }

    handleCommandComplete({ text }: { readonly text: string }): void {
      this.#batch.complete(text);
    }

    handleError(error: unknown): void {
      if (this.#batch.isEndPending) this.#onFailedEnd(this);
      this.#batch.fail(error);
      this.callback?.(error);
    }

    handleReadyForQuery(): void {
      if (!this.#batch.isComplete) this.handleError(new Error('a statement has no answer'));
      else this.callback?.();
    }
  };
}

/** The class of such clients. The driver's classes are parameters, because it is loaded when a database is opened first. */
export function createPipelinedClientClass({ Client: DriverClient, Query: DriverQuery }: DriverClasses) {
  const BatchQuery = createBatchQueryClass(DriverQuery);
  return class extends DriverClient implements PipelinedClient {
    readonly #prepared: PreparedStatements;
    readonly #send: (...args: readonly unknown[]) => unknown;
    /** What was sent last. */
    #newest: unknown;
    #open: StatementBatch | undefined;

    constructor(config: ClientConfig) {
      super(config);
      const sendToDriver = this.query.bind(this) as (...args: readonly unknown[]) => unknown;
      this.#send = (...args) => {
        this.#newest = args[0];
        return sendToDriver(...args);
      };
      this.#prepared = {
        preparations: new Map(),
        toFields: ({ fields }) =>
          fields.map(({ name, dataTypeID }) => ({ name, parse: this.getTypeParser(dataTypeID, 'text') })),
      };
      const sendBehind = (...args: readonly unknown[]): unknown => {
        this.separate();
        return this.#send(...args);
      };
      this.query = sendBehind as Client['query'];
    }

    execute(statement: PreparedStatement): Promise<StatementResult> {
      if (!this.#open) {
        this.#open = new StatementBatch(this.#prepared);
        setImmediate(() => this.separate());
      }
      return this.#open.add(statement);
    }

    separate(): void {
      const batch = this.#open;
      this.#open = undefined;
      if (batch) this.#send(new BatchQuery(batch, this.#undoTransaction));
    }

    readonly #undoTransaction = (failed: unknown): void => {
      if (this.#newest === failed) (this.#send('ROLLBACK') as Promise<unknown>).catch(() => undefined);
      else (this as unknown as { connection: Streamed }).connection.stream.destroy();
    };
  };
}
