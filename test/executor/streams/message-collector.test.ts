/** The memory that the values of all messages together may take. */
import t from 'tap';
import { estimateParsedBytes } from '../../../src/check/json/json-size.ts';
import { MessageCollector } from '../../../src/executor/streams/message-collector.ts';
import type { MessageJudge } from '../../../src/executor/streams/message-judge.ts';

const judge = { judge: () => false } as unknown as MessageJudge;
const mebibyte = 1_048_576;

/** A list of empty objects whose values take `bytes`. */
function createText(bytes: number): string {
  const empty = '{},';
  return `[${empty.repeat(Math.floor(bytes / estimateParsedBytes(empty)) - 2)}{}]`;
}

t.test('messages are collected up to 12 MiB of values, in one message or in many', async (t) => {
  for (const parts of [1, 4]) {
    const collector = new MessageCollector({ stream: 'events', stop: 'end' }, judge);
    for (let part = 0; part < parts; part += 1) collector.add({ text: createText((12 * mebibyte) / parts) });
    t.equal(collector.isDone, false, `${parts} messages`);
    collector.add({ text: createText(1000) });
    t.equal(collector.isDone, true);
    collector.end('end');
    t.match(collector.toObservedStream(), {
      isMet: false,
      ending: /is too large: its values would take more than 12 MiB of memory$/,
    });
  }
});
