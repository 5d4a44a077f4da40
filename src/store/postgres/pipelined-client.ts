/**
 * A client of the driver that sends the statements of one turn as one message of the extended protocol, with one `Sync` at its end.
 * The driver alone sends a `Sync` behind each statement, and asks each time for the names of its columns: the server then answers
 * each in a packet of its own, which wakes this process up. Here the columns are asked for once, when a statement is prepared.
 *
 * The server skips what stands behind a statement that failed, up to the `Sync`: it is rejected with the same error.
 */
import type { Client, ClientConfig, Connection, Query } from 'pg';
import { MessageWriter, type StatementValue } from './message-writer.ts';

/** Without a name, a statement is not kept prepared. On one connection, a name always stands for the same text. */
export type PreparedStatement = {
  readonly name: string | undefined;
  readonly text: string;
  readonly values: readonly StatementValue[];
  /**
   * It ends the transaction. When it fails or is skipped, the transaction is rolled back before anything else is sent; where something
   * was sent already, the connection is ended: that would be part of the transaction, or be rolled back itself.
   */
  readonly isEnd?: boolean;
};

/** `command`: such as INSERT, or ROLLBACK for a COMMIT of a transaction in which a statement failed. */
export type StatementResult = {
  readonly rows: Record<string, unknown>[];
  readonly rowCount: number;
  readonly command: string;
};

export type PipelinedClient = Client & {
  /** Sends a statement together with the others of this turn. What `query` sends later comes behind it. */
  execute(statement: PreparedStatement): Promise<StatementResult>;
  /** What is sent from now on has a message of its own: no error of what came before reaches it. */
  separate(): void;
};

type Field = { readonly name: string; readonly parse: (text: string) => unknown };

/** What the server knows of a statement. */
type Preparation = {
  /** Undefined until the server has described them. */
  fields: readonly Field[] | undefined;
  /** The batch that prepares it, until that has its result. */
  batch: object | undefined;
  /** An error came instead of the first result: the server may have it or not. */
  isUnclear: boolean;
};

type Entry = {
  readonly statement: PreparedStatement;
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: unknown) => void;
  readonly rows: Record<string, unknown>[];
  preparation: Preparation;
  isPreparing: boolean;
};

type Description = { readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[] };

/** The driver's connection: its own types do not say that it can be closed. */
type Streamed = { readonly stream: Connection['stream'] };

/** Of a client: what its server knows, by the name of a statement; what follows a batch whose end was skipped. */
type BatchOptions = {
  readonly preparations: Map<string, Preparation>;
  readonly toFields: (description: Description) => Field[];
  readonly onFailedEnd: (batch: object) => void;
};

type DriverClasses = { readonly Client: typeof Client; readonly Query: typeof Query };

/** Messages are written in one turn: one writer is enough for all connections. */
const writer = new MessageWriter();

const createPreparation = (): Preparation => ({ fields: undefined, batch: undefined, isUnclear: false });

function toRow(fields: readonly Field[], texts: readonly (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  let index = 0;
  for (const { name, parse } of fields) {
    const text = texts[index] ?? null;
    row[name] = text === null ? null : parse(text);
    index += 1;
  }
  return row;
}

/** `tag`: such as `INSERT 0 1`, `SELECT 3` and `COMMIT`. */
function toResult(rows: Record<string, unknown>[], tag: string): StatementResult {
  const words = tag.split(' ');
  return { rows, command: words[0] ?? '', rowCount: Number(words.at(-1)) || 0 };
}

/** Statements with one `Sync` behind them. The driver calls its methods with what the server answers, in that order. */
function createBatchClass(DriverQuery: typeof Query) {
  return class StatementBatch extends DriverQuery {
    readonly #entries: Entry[] = [];
    readonly #options: BatchOptions;
    #position = 0;
    /** Set by the driver, which ends its time limit with it. */
    callback: ((error?: unknown) => void) | undefined;

    constructor(options: BatchOptions) {
      super('');
      this.#options = options;
    }

    add(statement: PreparedStatement): Promise<StatementResult> {
      const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
      const preparation = createPreparation();
      this.#entries.push({ statement, resolve, reject, rows: [], preparation, isPreparing: false });
      return promise;
    }

    override submit = ({ stream }: Connection): void => {
      try {
        for (const entry of this.#entries) this.#write(entry);
        writer.sync();
        if (stream.writable) stream.write(writer.take());
      } catch (error) {
        // What is sent later would rely on statements that were to be prepared here.
        stream.destroy(error instanceof Error ? error : new Error(String(error)));
      } finally {
        writer.clear();
      }
    };

    #write(entry: Entry): void {
      const { text, values } = entry.statement;
      const name = this.#chooseName(entry);
      if (entry.isPreparing) {
        if (entry.preparation.isUnclear) writer.close(name);
        writer.parse(name, text);
      }
      writer.bind(name, values);
      if (entry.isPreparing) writer.describe();
      writer.execute();
    }

    /** Without a name as well while another batch prepares the statement: it may be skipped there. */
    #chooseName(entry: Entry): string {
      const { name } = entry.statement;
      const known = name === undefined ? undefined : this.#options.preparations.get(name);
      const isElsewhere = known?.batch !== undefined && known.batch !== this;
      if (known && !isElsewhere) entry.preparation = known;
      entry.isPreparing = entry.preparation.fields === undefined && entry.preparation.batch === undefined;
      if (name === undefined || isElsewhere) return '';
      if (entry.isPreparing) entry.preparation.batch = this;
      this.#options.preparations.set(name, entry.preparation);
      return name;
    }

    handleRowDescription(description: Description): void {
      const entry = this.#entries[this.#position];
      if (entry) entry.preparation.fields = this.#options.toFields(description);
    }

    handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
      const entry = this.#entries[this.#position];
      entry?.rows.push(toRow(entry.preparation.fields ?? [], fields));
    }

    handleCommandComplete({ text }: { readonly text: string }): void {
      const entry = this.#entries[this.#position];
      this.#position += 1;
      if (!entry) return;
      if (entry.isPreparing) {
        entry.preparation.fields ??= [];
        entry.preparation.batch = undefined;
        entry.preparation.isUnclear = false;
      }
      entry.resolve(toResult(entry.rows, text));
    }

    handleError(error: unknown): void {
      const rest = this.#entries.slice(this.#position);
      if (rest.some(({ statement }) => statement.isEnd)) this.#options.onFailedEnd(this);
      for (const entry of rest) {
        if (entry.isPreparing)
          Object.assign(entry.preparation, { fields: undefined, batch: undefined, isUnclear: true });
        entry.reject(error);
      }
      this.#position = this.#entries.length;
      this.callback?.(error);
    }

    handleReadyForQuery(): void {
      const isAnswered = this.#position === this.#entries.length;
      if (!isAnswered) this.handleError(new Error('a statement has no answer'));
      else this.callback?.();
    }
  };
}

/** The class of such clients. The driver's classes are parameters, because it is loaded when a database is opened first. */
export function createPipelinedClientClass({ Client: DriverClient, Query: DriverQuery }: DriverClasses) {
  const StatementBatch = createBatchClass(DriverQuery);
  return class extends DriverClient implements PipelinedClient {
    readonly #batchOptions: BatchOptions;
    readonly #submit: (batch: Query) => unknown;
    /** What was sent last. */
    #newest: unknown;
    #open: InstanceType<typeof StatementBatch> | undefined;

    constructor(config: ClientConfig) {
      super(config);
      const sendAny = this.query.bind(this) as (...args: readonly unknown[]) => unknown;
      const send = (...args: readonly unknown[]): unknown => {
        this.#newest = args[0];
        return sendAny(...args);
      };
      this.#submit = send;
      this.#batchOptions = {
        preparations: new Map(),
        toFields: ({ fields }) =>
          fields.map(({ name, dataTypeID }) => ({ name, parse: this.getTypeParser(dataTypeID, 'text') })),
        onFailedEnd: (batch) => {
          if (this.#newest === batch) (send('ROLLBACK') as Promise<unknown>).catch(() => undefined);
          else (this as unknown as { connection: Streamed }).connection.stream.destroy();
        },
      };
      const sendBehind = (...args: readonly unknown[]): unknown => {
        this.separate();
        return send(...args);
      };
      this.query = sendBehind as Client['query'];
    }

    execute(statement: PreparedStatement): Promise<StatementResult> {
      if (!this.#open) {
        this.#open = new StatementBatch(this.#batchOptions);
        setImmediate(() => this.separate());
      }
      return this.#open.add(statement);
    }

    separate(): void {
      const batch = this.#open;
      this.#open = undefined;
      if (batch) this.#submit(batch);
    }
  };
}
