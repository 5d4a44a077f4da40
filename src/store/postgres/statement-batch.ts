/** The statements of one turn, and what the server answers to them. */
import type { Connection } from 'pg';
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

type Field = { readonly name: string; readonly parse: (text: string) => unknown };

/** What the server knows of a statement. */
type Preparation = {
  /** Undefined until the server has described them. */
  fields: readonly Field[] | undefined;
  /** The batch that prepares it, until that has its result. */
  batch: StatementBatch | undefined;
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

export type Description = { readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[] };

/** What the server of a client knows, by the name of a statement. */
export type PreparedStatements = {
  readonly preparations: Map<string, Preparation>;
  readonly toFields: (description: Description) => Field[];
};

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

/** Statements with one `Sync` behind them. What the server answers is passed to it in that order. */
export class StatementBatch {
  readonly #entries: Entry[] = [];
  readonly #prepared: PreparedStatements;
  #position = 0;

  constructor(prepared: PreparedStatements) {
    this.#prepared = prepared;
  }

  add(statement: PreparedStatement): Promise<StatementResult> {
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    const preparation = createPreparation();
    this.#entries.push({ statement, resolve, reject, rows: [], preparation, isPreparing: false });
    return promise;
  }

  send({ stream }: Connection): void {
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
  }

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
    const known = name === undefined ? undefined : this.#prepared.preparations.get(name);
    const isElsewhere = known?.batch !== undefined && known.batch !== this;
    if (known && !isElsewhere) entry.preparation = known;
    entry.isPreparing = entry.preparation.fields === undefined && entry.preparation.batch === undefined;
    if (name === undefined || isElsewhere) return '';
    if (entry.isPreparing) entry.preparation.batch = this;
    this.#prepared.preparations.set(name, entry.preparation);
    return name;
  }

  describe(description: Description): void {
    const entry = this.#entries[this.#position];
    if (entry) entry.preparation.fields = this.#prepared.toFields(description);
  }

  addRow(fields: readonly (string | null)[]): void {
    const entry = this.#entries[this.#position];
    entry?.rows.push(toRow(entry.preparation.fields ?? [], fields));
  }

  complete(tag: string): void {
    const entry = this.#entries[this.#position];
    this.#position += 1;
    if (!entry) return;
    if (entry.isPreparing) {
      entry.preparation.fields ??= [];
      entry.preparation.batch = undefined;
      entry.preparation.isUnclear = false;
    }
    entry.resolve(toResult(entry.rows, tag));
  }

  /** Every statement has its result. */
  get isComplete(): boolean {
    return this.#position === this.#entries.length;
  }

  /** A transaction would stay open if the statements without a result did not take effect. */
  get isEndPending(): boolean {
    return this.#entries.some(({ statement }, index) => index >= this.#position && statement.isEnd);
  }

  /** Rejects the statements that have no result yet. */
  fail(error: unknown): void {
    for (const entry of this.#entries.slice(this.#position)) {
      if (entry.isPreparing) Object.assign(entry.preparation, { fields: undefined, batch: undefined, isUnclear: true });
      entry.reject(error);
    }
    this.#position = this.#entries.length;
  }
}
