/** What callers do not read is bounded for each of them and for all together. */
import { EventEmitter } from 'node:events';
import t from 'tap';
import { type Output, UnreadResponses } from '../../../src/hub/access/unread-responses.ts';

const limits = { maxPerCaller: 100, maxBeforeLoss: 200, maxTotal: 300 };

class TestOutput extends EventEmitter implements Output {
  writableLength: number;
  closed = false;

  constructor(bytes: number) {
    super();
    this.writableLength = bytes;
  }

  destroy(): void {
    this.writableLength = 0;
    this.closed = true;
    this.emit('close');
  }
}

t.test('a caller with much unread must read before it calls again', async (t) => {
  const unread = new UnreadResponses(limits);
  const output = new TestOutput(101);
  unread.track('max', output);
  t.ok(unread.isFull('max'));
  t.notOk(unread.isFull('ana'));
  output.writableLength = 100;
  t.notOk(unread.isFull('max'));
  output.destroy();
  unread.track('max', output);
  t.notOk(unread.isFull('max'));
});

t.test('of calls that were in flight together, the oldest response is lost', async (t) => {
  const unread = new UnreadResponses(limits);
  const outputs = [90, 90, 90].map((bytes) => new TestOutput(bytes));
  for (const output of outputs) unread.track('max', output);
  t.strictSame(
    outputs.map(({ closed }) => closed),
    [true, false, false],
  );
  const other = new TestOutput(150);
  unread.track('ana', other);
  t.ok(unread.isTotalFull, 'it takes more than one caller');
  t.notOk(other.closed, 'others lose nothing');
});

t.test('a response that grows beyond the limit is lost itself', async (t) => {
  const unread = new UnreadResponses(limits);
  const output = new TestOutput(50);
  unread.track('max', output);
  output.writableLength = 201;
  unread.track('max', output);
  t.ok(output.closed);
  t.notOk(unread.isFull('max'));
});
