import fc from 'fast-check';
import t from 'tap';
import { createEventStreamParser } from '../../../src/client/transport/event-stream-parser.ts';
import { formatJsonEvent, heartbeatComment } from '../../../src/streams/event-stream.ts';

t.test('events are parsed as the server writes them', async (t) => {
  const parse = createEventStreamParser();
  const text = `retry: 2000\n${formatJsonEvent({ id: 1 })}${formatJsonEvent({ id: 2, type: 'run', data: { a: 'x\ny' } })}${heartbeatComment}`;
  t.same(parse(text), [
    { id: '1', data: undefined },
    { id: '2', data: '{"a":"x\\ny"}' },
    { id: undefined, data: undefined },
  ]);
});

t.test('several data lines are one text, and a space after the colon is not part of it', async (t) => {
  t.same(createEventStreamParser()('data:a\ndata:  b\ndata\nid:7\n\n'), [{ id: '7', data: 'a\n b\n' }]);
});

t.test('other line endings are parsed too', async (t) => {
  t.same(createEventStreamParser()('id: 1\r\ndata: a\r\n\r\nid: 2\r\ndata: b\r\n\r\n'), [
    { id: '1', data: 'a' },
    { id: '2', data: 'b' },
  ]);
});

t.test('a stream is parsed in any chunks', async (t) => {
  const events = fc.array(fc.record({ id: fc.nat(), data: fc.jsonValue() }), { maxLength: 5 });
  const property = fc.property(events, fc.array(fc.integer({ min: 1, max: 9 })), (list, sizes) => {
    const text = list.map(({ id, data }) => formatJsonEvent({ id, data })).join('');
    const parse = createEventStreamParser();
    const blocks = [];
    for (let start = 0, round = 0; start < text.length; round += 1) {
      const size = sizes[round % sizes.length] ?? 3;
      blocks.push(...parse(text.slice(start, start + size)));
      start += size;
    }
    t.strictSame(
      blocks,
      list.map(({ id, data }) => ({ id: String(id), data: JSON.stringify(data) })),
    );
  });
  fc.assert(property, { numRuns: 50 });
});
