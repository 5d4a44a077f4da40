/**
 * Runs an operation of the store on a database that answers later.
 *
 * An operation is a synchronous function that must be able to run again from its start: on PostgreSQL any transaction can be
 * refused and repeated. That is used here: at a statement without an answer the pass ends, and once the answer has arrived
 * the operation runs again, with all earlier answers at hand. So the same operations run on SQLite in one turn and on
 * PostgreSQL, and none can wait for anything but its own statements. A pass costs microseconds, a round trip a hundred times
 * as much. Statements whose result nobody reads (`execute`) do not end a pass.
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

/** For functions that an operation calls and that cannot answer yet: the operation runs again once `done` has settled. */
export function waitInOperation(done: Promise<unknown>): never {
  return endPass ? endPass(done) : impure('waited outside of a pass');
}

/** Ends a pass. Never leaves this file. */
const unanswered = Symbol('a statement without an answer');

/** An operation beyond this would take seconds: it must be split, or its statements combined. */
const maxPasses = 2_000;

function impure(detail: string): never {
  throw vpError('INTERNAL', {}, { detail: `an operation of the store ${detail}` });
}

/**
 * Resolves or rejects with what the operation returns or throws. Rejects with INTERNAL when the operation does not repeat
 * itself (it reads a variable that has changed) or swallows the end of a pass.
 */
export async function runOperation<T>(operation: (sql: Sql) => T, send: SendStatement): Promise<T> {
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
    const answer = (kind: StatementKind, text: string, values: readonly SqlValue[]): unknown => {
      if (waitsFor) impure('went on after a statement without an answer');
      const entry = sent[position] ?? sendNext({ kind, text, values });
      position += 1;
      const { statement } = entry;
      if (statement.text !== text || statement.kind !== kind || !areEqual(statement.values, values))
        impure(`does not repeat itself: ${text}`);
      if (entry.answer && 'error' in entry.answer) throw entry.answer.error;
      if (kind === 'execute') return undefined;
      if (entry.answer) return entry.answer.value;
      return end(entry.done);
    };
    const end = (done: Promise<unknown>): never => {
      waitsFor = done;
      throw unanswered;
    };
    const outer = endPass;
    endPass = end;
    try {
      const value = recording.during(() => operation(createSql(answer)));
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
      await settle(sent);
      return result.value;
    }
  }
  return impure(`has more than ${maxPasses} statements`);
}

/** Runs an operation that needs no statement; undefined when it asks for one, and nothing has happened then. */
export function runWithoutStatements<T>(operation: (sql: Sql) => T): { readonly value: T } | undefined {
  try {
    return {
      value: operation(
        createSql(() => {
          throw unanswered;
        }),
      ),
    };
  } catch (thrown) {
    if (thrown === unanswered) return undefined;
    throw thrown;
  }
}

/** Statements that nobody waited for. */
async function settle(sent: readonly Sent[]): Promise<void> {
  for (const entry of sent) {
    if (!entry.answer) await entry.done;
    if (entry.answer && 'error' in entry.answer) throw entry.answer.error;
  }
}

function createSql(answer: (kind: StatementKind, text: string, values: readonly SqlValue[]) => unknown): Sql {
  return {
    dialect: 'postgres',
    get: (text, ...values) => answer('get', text, values),
    all: (text, ...values) => answer('all', text, values) as unknown[],
    run: (text, ...values) => answer('run', text, values) as number,
    insert: (text, ...values) => answer('insert', text, values) as number,
    execute: (text, ...values) => void answer('execute', text, values),
  };
}
