/** Messages as a body: all of their values, the size of their text, and its beginning. */
import t from 'tap';
import { MessageList } from '../../../src/executor/streams/message-list.ts';

t.test('the text of a short list is complete', async (t) => {
  const list = new MessageList();
  t.equal(list.beginning.toString(), '[]');
  t.equal(list.sizeBytes, 2);
  list.add({ data: 'ä' }, ['{"data":', '"ä"', '}']);
  list.add(2, ['2']);
  t.equal(list.beginning.toString(), '[{"data":"ä"},2]');
  t.equal(list.sizeBytes, Buffer.byteLength('[{"data":"ä"},2]'));
  t.same(list.values, [{ data: 'ä' }, 2]);
});

t.test('of a long list only the beginning is stored, and the size is that of all of it', async (t) => {
  const list = new MessageList();
  const text = JSON.stringify('é'.repeat(400_000));
  for (let turn = 0; turn < 10; turn += 1) list.add(turn, [text]);
  t.equal(list.sizeBytes, 10 * Buffer.byteLength(text) + 11);
  t.equal(list.beginning.length, 1024 * 1024);
  t.ok(list.beginning.toString().startsWith(`[${text},"é`));
  t.equal(list.values.length, 10);
});
