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
  const sent: Sent[] = [];
  const recording: Recording = createRecording();

  function sendNext(statement: Statement): Sent {
    const entry: Sent = {
      statement,
      answer: undefined,
      done: send(statement).then(
        (value) => {
          entry.answer = { value };
        },
        (error: unknown) => {
          entry.answer = { error };
        },
      ),
    };
    sent.push(entry);
    return entry;
  }

  function pass(): { readonly value: T } | { readonly waitsFor: Promise<unknown> } {
    let position = 0;
    let waitsFor: Promise<unknown> | undefined;
    let ahead: Sent[] = [];
    const next = (statement: Statement): Sent => {
      if (waitsFor) impure('went on after a statement without an answer');
      const entry = sent[position] ?? sendNext(statement);
      position += 1;
      if (!isSame(entry.statement, statement) || entry.statement.kind !== statement.kind)
        impure(`does not repeat itself: ${statement.text}`);
      return entry;
    };
    const answer: AnswerStatement = (kind, text, values) => {
      const statement = { kind, text, values };
      if (isWriting(statement)) ahead = [];
      const early = ahead.find((entry) => isSame(entry.statement, statement));
      const entry = early ?? next(statement);
      if (entry.answer && 'error' in entry.answer) throw entry.answer.error;
      if (kind === 'execute') return undefined;
      if (!entry.answer) return end(entry.done);
      const { value } = entry.answer;
      return early && kind === 'get' && Array.isArray(value) ? value[0] : value;
    };
    const announce: AnswerStatement = (_kind, text, values) => {
      if (isWriting({ kind: 'all', text })) impure(`announces what is no read: ${text}`);
      ahead.push(next({ kind: 'all', text, values }));
      throw announced;
    };
    const end = (done: Promise<unknown>): never => {
      waitsFor = done;
      throw unanswered;
    };
    const outer = endPass;
    endPass = end;
    try {
      const value = recording.during(() => operation(createSql(answer, announce)));
      if (waitsFor) impure('swallowed the end of a pass');
      if (position < sent.length) impure('ended before it had repeated all of its statements');
      return { value };
    } catch (thrown) {
      if (thrown === unanswered && waitsFor) return { waitsFor };
      throw thrown;
    } finally {
      endPass = outer;
    }
  }

  for (let passes = 0; passes < maxPasses; passes += 1) {
    const result = pass();
    if ('waitsFor' in result) await result.waitsFor;
    else {
      const settled = settle(sent);
      settled.catch(() => undefined);
      return { value: result.value, settled };
    }
  }
  throw vpError('STORE_OPERATION_TOO_LARGE', { max: maxPasses });
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

/** Statements that nobody waited for. An error of one has undone the transaction, also when it was a read that nobody needed. */
async function settle(sent: readonly Sent[]): Promise<void> {
  for (const entry of sent) {
    if (!entry.answer) await entry.done;
    if (entry.answer && 'error' in entry.answer) throw entry.answer.error;
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
