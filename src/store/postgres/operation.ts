/**
 * Runs an operation of the store on a database that answers later.
 *
 * An operation is a synchronous function that must be able to run again from its start: on PostgreSQL any transaction can be
 * refused and repeated. That is used here: at a statement without an answer the pass ends, and once the answer has arrived
 * the operation runs again, with all earlier answers at hand. So the same operations run on SQLite in one turn and on
 * PostgreSQL, and none can wait for anything but its own statements. A pass costs microseconds, a round trip a hundred times
 * as much. Statements whose result nobody reads (`execute`) do not end a pass, and neither do reads that are announced
 * (`ahead`): their answers are used in place of the same reads later in the operation, until it writes.
 *
 * Rejected: generator operations (every function of the store and its callers become generators, and impure ones would fail
 * only when a transaction is repeated, one in thousands, instead of in every test), async operations (could wait for
 * anything while a transaction is open), two sets of operations.
 */
import { vpError } from '../../errors/vp-error.ts';
import type { Sql, SqlValue } from '../sql.ts';
import { createRecording, type Recording } from './recording.ts';

export type StatementKind = 'get' | 'all' | 'run' | 'insert' | 'execute';

export type Statement = { readonly kind: StatementKind; readonly text: string; readonly values: readonly SqlValue[] };

/** Sends a statement at once, without waiting for those before it; resolves with what the method of its kind returns. */
export type SendStatement = (statement: Statement) => Promise<unknown>;

type Answer = { readonly value: unknown } | { readonly error: unknown };

/** A statement that changes rows, whatever method sends it. */
export function isWriting({ kind, text }: Pick<Statement, 'kind' | 'text'>): boolean {
  return (kind !== 'all' && kind !== 'get') || writing.test(text);
}

const writing = /^\s*(?:insert|update|delete|with\b[\s\S]*\b(?:insert|update|delete)\b)/i;

type Sent = { readonly statement: Statement; readonly done: Promise<void>; answer: Answer | undefined };

/** Equal as parameters of a statement. Cheaper than `isDeepStrictEqual`: it runs for each statement of each pass. */
function areEqual(values: readonly SqlValue[], others: readonly SqlValue[]): boolean {
  if (values.length !== others.length) return false;
  return values.every((value, index) => {
    const other = others[index];
    if (Object.is(value, other)) return true;
    return value instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(value, other) === 0;
  });
}

/** Ends the pass that is running until what it names is done. */
let endPass: ((done: Promise<unknown>) => never) | undefined;

function isSame(statement: Statement, other: Statement): boolean {
  return statement.text === other.text && areEqual(statement.values, other.values);
}

/** For functions that an operation calls and that cannot answer yet: the operation runs again once `done` has settled. */
export function waitInOperation(done: Promise<unknown>): never {
  return endPass ? endPass(done) : impure('waited outside of a pass');
}

/** Ends a pass. Never leaves this file. */
const unanswered = Symbol('a statement without an answer');

/** Ends a read that was only announced. Never leaves this file. */
const announced = Symbol('a read that is announced');

/** An operation beyond this would take seconds: it must be split, or its statements combined. */
const maxPasses = 2_000;

function impure(detail: string): never {
  throw vpError('INTERNAL', {}, { detail: `an operation of the store ${detail}` });
}

/** `settled` rejects with the error of a statement that the operation did not wait for. */
export type Unsettled<T> = { readonly value: T; readonly settled: Promise<void> };

/**
 * Resolves or rejects with what the operation returns or throws. Rejects with INTERNAL when the operation does not repeat
 * itself (it reads a variable that has changed) or swallows the end of a pass.
 */
export async function runOperation<T>(operation: (sql: Sql) => T, send: SendStatement): Promise<T> {
  const { value, settled } = await runUnsettled(operation, send);
  await settled;
  return value;
}

/** The same, but does not wait for the statements that the operation did not wait for. */
export async function runUnsettled<T>(operation: (sql: Sql) => T, send: SendStatement): Promise<Unsettled<T>> {
  const statements = new SentStatements(send);
  const recording = createRecording();
  for (let passes = 0; passes < maxPasses; passes += 1) {
    const result = runPass(operation, statements, recording);
    if ('waitsFor' in result) await result.waitsFor;
    else {
      const settled = statements.settle();
      settled.catch(() => undefined);
      return { value: result.value, settled };
    }
  }
  throw vpError('STORE_OPERATION_TOO_LARGE', { max: maxPasses });
}

type PassResult<T> = { readonly value: T } | { readonly waitsFor: Promise<unknown> };

function runPass<T>(operation: (sql: Sql) => T, statements: SentStatements, recording: Recording): PassResult<T> {
  const pass = new Pass(statements);
  const outer = endPass;
  endPass = pass.end;
  try {
    const value = recording.during(() => operation(createSql(pass.answer, pass.announce)));
    pass.assertComplete();
    return { value };
  } catch (thrown) {
    if (thrown === unanswered && pass.waitsFor) return { waitsFor: pass.waitsFor };
    throw thrown;
  } finally {
    endPass = outer;
  }
}

/** The statements of an operation in the order in which its first passes sent them; later passes repeat them. */
class SentStatements {
  readonly #send: SendStatement;
  readonly #sent: Sent[] = [];

  constructor(send: SendStatement) {
    this.#send = send;
  }

  get count(): number {
    return this.#sent.length;
  }

  /** The statement at this position, which is sent if no earlier pass has sent it. */
  at(position: number, statement: Statement): Sent {
    const entry = this.#sent[position] ?? this.#sendNext(statement);
    if (!isSame(entry.statement, statement) || entry.statement.kind !== statement.kind)
      impure(`does not repeat itself: ${statement.text}`);
    return entry;
  }

  /** Statements that nobody waited for. An error of one has undone the transaction, also when it was a read that nobody needed. */
  async settle(): Promise<void> {
    for (const entry of this.#sent) {
      if (!entry.answer) await entry.done;
      if (entry.answer && 'error' in entry.answer) throw entry.answer.error;
    }
  }

  #sendNext(statement: Statement): Sent {
    const entry: Sent = {
      statement,
      answer: undefined,
      done: this.#send(statement).then(
        (value) => {
          entry.answer = { value };
        },
        (error: unknown) => {
          entry.answer = { error };
        },
      ),
    };
    this.#sent.push(entry);
    return entry;
  }
}

/** One run of the operation from its start, up to a statement without an answer or to its end. */
class Pass {
  readonly #statements: SentStatements;
  #position = 0;
  /** Reads that were announced, until the operation writes. */
  #ahead: Sent[] = [];
  /** What has ended the pass. */
  waitsFor: Promise<unknown> | undefined;

  constructor(statements: SentStatements) {
    this.#statements = statements;
  }

  readonly answer: AnswerStatement = (kind, text, values) => {
    const statement = { kind, text, values };
    if (isWriting(statement)) this.#ahead = [];
    const early = this.#ahead.find((entry) => isSame(entry.statement, statement));
    const entry = early ?? this.#next(statement);
    if (entry.answer && 'error' in entry.answer) throw entry.answer.error;
    if (kind === 'execute') return undefined;
    if (!entry.answer) return this.end(entry.done);
    const { value } = entry.answer;
    return early && kind === 'get' && Array.isArray(value) ? value[0] : value;
  };

  readonly announce: AnswerStatement = (_kind, text, values) => {
    if (isWriting({ kind: 'all', text })) impure(`announces what is no read: ${text}`);
    this.#ahead.push(this.#next({ kind: 'all', text, values }));
    throw announced;
  };

  readonly end = (done: Promise<unknown>): never => {
    this.waitsFor = done;
    throw unanswered;
  };

  assertComplete(): void {
    if (this.waitsFor) impure('swallowed the end of a pass');
    if (this.#position < this.#statements.count) impure('ended before it had repeated all of its statements');
  }

  #next(statement: Statement): Sent {
    if (this.waitsFor) impure('went on after a statement without an answer');
    const entry = this.#statements.at(this.#position, statement);
    this.#position += 1;
    return entry;
  }
}

/** Runs an operation that needs no statement; undefined when it asks for one, and nothing has happened then. */
export function runWithoutStatements<T>(operation: (sql: Sql) => T): { readonly value: T } | undefined {
  const refuse = (): never => {
    throw unanswered;
  };
  try {
    return { value: operation(createSql(refuse, refuse)) };
  } catch (thrown) {
    if (thrown === unanswered) return undefined;
    throw thrown;
  }
}

type AnswerStatement = (kind: StatementKind, text: string, values: readonly SqlValue[]) => unknown;

/** `announce` gets the first statement of a read that is announced, and throws. */
function createSql(answer: AnswerStatement, announce: AnswerStatement): Sql {
  return {
    dialect: 'postgres',
    get: (text, ...values) => answer('get', text, values),
    all: (text, ...values) => answer('all', text, values) as unknown[],
    run: (text, ...values) => answer('run', text, values) as number,
    insert: (text, ...values) => answer('insert', text, values) as number,
    execute: (text, ...values) => void answer('execute', text, values),
    ahead(read) {
      try {
        read(createSql(announce, announce));
      } catch (thrown) {
        if (thrown !== announced) throw thrown;
      }
    },
  };
}
