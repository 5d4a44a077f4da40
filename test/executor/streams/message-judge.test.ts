/** The check of `until` is judged after each message at the cost of that message; the values that it reads are counted. */
import t from 'tap';
import type { Json, JsonObject } from '../../../src/check/json/json.ts';
import { getCheckKind } from '../../../src/check/kinds.ts';
import { MessageJudge } from '../../../src/executor/streams/message-judge.ts';
import { holds, parseValid } from '../../check/check-fixtures.ts';

const count = 400;

function createJudge(text: string): MessageJudge {
  const check = parseValid(text);
  const start = { offset: 0, line: 1, column: 1 };
  const entry = { check, definition: getCheckKind(check), text, range: { start, end: start } };
  return new MessageJudge(entry, {}, () => 0);
}

/** Messages whose member `state` counts how often it is read. */
function createMessages(last: string) {
  const reads = { count: 0 };
  const create = (state: string): JsonObject => {
    const message = {};
    const get = (): string => {
      reads.count += 1;
      return state;
    };
    Object.defineProperty(message, 'state', { enumerable: true, get });
    return message;
  };
  const messages = Array.from({ length: count }, (_, index) => create(index === count - 1 ? last : 'open'));
  return { messages, reads };
}

/** The number of messages with which the check holds; undefined where it does not. */
function judgeAll(judge: MessageJudge, messages: readonly Json[], size = 0): number | 'exhausted' | undefined {
  for (let length = 1; length <= messages.length; length += 1) {
    const result = judge.judge(messages.slice(0, length), size);
    if (result !== false) return result === true ? length : result;
  }
  return undefined;
}

t.test('some, or one element: each message is read once, not all of them again', async (t) => {
  for (const [text, held] of [
    ['body some state equals paid', count],
    [`body has [${count - 1}].state equals paid`, count],
    ['body has [3].state equals paid', undefined],
    ['body has state equals paid', undefined],
  ] as const) {
    const { messages, reads } = createMessages('paid');
    t.equal(judgeAll(createJudge(text), messages), held, text);
    t.ok(reads.count <= 2 * count, `${text}: ${reads.count} reads`);
  }
});

t.test('what holds is the same as for the whole list', async (t) => {
  for (const [text, held] of [
    ['body length >= 3', 3],
    ['body has [1]', 2],
    ['body has 1.state equals open', 2],
    ['body some 1.state equals open', undefined],
    ['body some [1].state equals open', undefined],
    ['body every state equals open', 1],
    ['body count(state) = 5', 5],
    ['body text containing paid', count],
  ] as const) {
    const { messages } = createMessages('paid');
    const judge = createJudge(text);
    const expected = messages.findIndex((_, index) => holds(text, messages.slice(0, index + 1)));
    t.equal(judgeAll(judge, messages), expected === -1 ? undefined : expected + 1, text);
    t.equal(expected === -1 ? undefined : expected + 1, held, text);
  }
});

t.test('a check that reads the whole list is judged within a limit', async (t) => {
  const { messages } = createMessages('paid');
  const tenMiB = 10 * 1024 * 1024;
  t.equal(judgeAll(createJudge('body every state equals paid'), messages, tenMiB), undefined);
  t.equal(judgeAll(createJudge('body every state equals paid'), [...messages, ...messages], tenMiB), 'exhausted');
  t.equal(judgeAll(createJudge('body some state equals late'), [...messages, ...messages], tenMiB), undefined);
});
