import t from 'tap';
import {
  runOperation,
  type SendStatement,
  type Statement,
  waitInOperation,
} from '../../../src/store/postgres/operation.ts';
import { createRepeatableClock, createRepeatableRandom } from '../../../src/store/postgres/recording.ts';
import type { Sql } from '../../../src/store/sql.ts';

/** Answers each statement with its text, a moment later; `sent` has what arrived, in order. */
function createDatabase(answer: (statement: Statement) => unknown = ({ text }) => text) {
  const sent: Statement[] = [];
  const send: SendStatement = async (statement) => {
    sent.push(statement);
    await new Promise((resolve) => setImmediate(resolve));
    return answer(statement);
  };
  return { sent, send };
}

t.test('an operation gets the answers of its statements, and each is sent once', async (t) => {
  const { sent, send } = createDatabase();
  let passes = 0;
  const operation = (sql: Sql): unknown[] => {
    passes += 1;
    return [sql.get('one', 1), sql.get('two', 2), sql.get('three', 3)];
  };
  t.same(await runOperation(operation, send), ['one', 'two', 'three']);
  t.same(
    sent.map(({ text, values }) => [text, ...values]),
    [
      ['one', 1],
      ['two', 2],
      ['three', 3],
    ],
  );
  t.equal(passes, 4);
});

t.test('statements whose result nobody reads are sent in one pass', async (t) => {
  const { sent, send } = createDatabase();
  let passes = 0;
  await runOperation((sql) => {
    passes += 1;
    for (const text of ['a', 'b', 'c']) sql.execute(text);
  }, send);
  t.equal(passes, 1);
  t.equal(sent.length, 3);
});

t.test('the error of a statement that nobody waited for is the error of the operation', async (t) => {
  const { send } = createDatabase(() => {
    throw new Error('no such table');
  });
  await t.rejects(
    runOperation((sql) => sql.execute('a'), send),
    { message: 'no such table' },
  );
});

t.test('an operation may catch the error of a statement, and throws its own', async (t) => {
  const { send } = createDatabase(({ text }) => {
    if (text === 'bad') throw new Error('bad');
    return text;
  });
  const caught = await runOperation((sql) => {
    sql.get('good');
    return sql.get('good');
  }, send);
  t.equal(caught, 'good');
  const failing = runOperation((sql) => {
    sql.get('good');
    throw new Error('refused');
  }, send);
  await t.rejects(failing, { message: 'refused' });
});

t.test('times and random numbers of the first pass are given again', async (t) => {
  const { send } = createDatabase();
  let nowMs = 0;
  let bytes = 0;
  const clock = createRepeatableClock({ nowMs: () => ++nowMs, monotonicMs: () => ++nowMs });
  const random = createRepeatableRandom({
    bytes: () => new Uint8Array([++bytes]),
    token: () => `t${++bytes}`,
  });
  const operation = (sql: Sql): unknown[] => {
    const values = [clock.nowMs(), random.token(3)] as const;
    sql.get('one', ...values);
    const later = [clock.monotonicMs(), random.bytes(1)] as const;
    sql.get('two', ...later);
    return [...values, ...later];
  };
  t.same(await runOperation(operation, send), [1, 't1', 2, new Uint8Array([2])]);
  t.equal(clock.nowMs(), 3, 'outside of an operation time goes on');
});

t.test('an operation that does not repeat itself is refused', async (t) => {
  const { send } = createDatabase();
  let count = 0;
  const changing = runOperation((sql) => {
    count += 1;
    sql.get('one', count);
    return sql.get('two');
  }, send);
  await t.rejects(changing, { code: 'INTERNAL', detail: /does not repeat itself: one/ });
  const swallowing = runOperation((sql) => {
    try {
      return sql.get('one');
    } catch {
      return 'nothing';
    }
  }, send);
  await t.rejects(swallowing, { code: 'INTERNAL', detail: /swallowed the end of a pass/ });
  let isShort = false;
  const shortened = runOperation((sql) => {
    if (isShort) return 'short';
    isShort = true;
    return sql.get('one');
  }, send);
  await t.rejects(shortened, { code: 'INTERNAL', detail: /before it had repeated all of its statements/ });
});

t.test('an operation that waits for something else runs again when that has settled', async (t) => {
  const { sent, send } = createDatabase();
  let isDone = false;
  const done = new Promise((resolve) => setImmediate(resolve)).then(() => {
    isDone = true;
  });
  const operation = (sql: Sql): unknown => {
    const first = sql.get('one', new Uint8Array([1]));
    return isDone ? [first, sql.get('two')] : waitInOperation(done);
  };
  t.same(await runOperation(operation, send), ['one', 'two']);
  t.same(
    sent.map(({ text }) => text),
    ['one', 'two'],
  );
  t.throws(() => waitInOperation(done), { code: 'INTERNAL' });
});

t.test('announced reads are sent together, and the reads themselves get their answers', async (t) => {
  const { sent, send } = createDatabase(({ text }) => [{ text }]);
  let passes = 0;
  const readOne = (sql: Sql): unknown => sql.get('one', 1);
  const operation = (sql: Sql): unknown[] => {
    passes += 1;
    sql.ahead(readOne);
    sql.ahead((sql) => sql.all('two', 2));
    sql.ahead((sql) => sql.get('never used'));
    return [readOne(sql), sql.all('two', 2), readOne(sql)];
  };
  t.same(await runOperation(operation, send), [{ text: 'one' }, [{ text: 'two' }], { text: 'one' }]);
  t.same(
    sent.map(({ text }) => text),
    ['one', 'two', 'never used'],
  );
  t.ok(passes <= 3, 'the answers come in one round trip');
});

t.test('a write ends what was announced before it: the read is made again', async (t) => {
  let value = 1;
  const { sent, send } = createDatabase(({ kind }) => {
    if (kind === 'execute') value = 2;
    return kind === 'all' ? [value] : value;
  });
  const read = (sql: Sql): unknown => sql.get('SELECT value');
  const operation = (sql: Sql): unknown[] => {
    sql.ahead(read);
    const before = read(sql);
    sql.execute('UPDATE value');
    return [before, read(sql)];
  };
  t.same(await runOperation(operation, send), [1, 2]);
  t.equal(sent.length, 3);
});

t.test('only a read can be announced, and an announced one that fails is an error of the operation', async (t) => {
  const { send } = createDatabase();
  const writing = runOperation((sql) => sql.ahead((sql) => sql.get('UPDATE value RETURNING value')), send);
  await t.rejects(writing, { code: 'INTERNAL', detail: /announces what is no read/ });
  const { send: failing } = createDatabase(() => {
    throw new Error('no such table');
  });
  await t.rejects(
    runOperation((sql) => sql.ahead((sql) => sql.get('nowhere')), failing),
    { message: 'no such table' },
  );
});

t.test('an operation with too many statements is refused by its name', async (t) => {
  const { send } = createDatabase();
  const operation = (sql: Sql): void => {
    for (let number = 0; number < 2_001; number += 1) sql.get('one', number);
  };
  await t.rejects(runOperation(operation, send), { code: 'STORE_OPERATION_TOO_LARGE' });
});
