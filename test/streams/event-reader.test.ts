import fc from 'fast-check';
import t from 'tap';
import { createByteEventReader, parseEvents, readEvents } from '../../src/streams/event-reader.ts';
import { formatEvent, formatJsonEvent } from '../../src/streams/event-stream.ts';

async function* toChunks(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let start = 0, round = 0; start < bytes.length; round += 1) {
    const size = sizes[round % sizes.length] ?? 1;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

t.test('events are read in any chunks, with every line ending', async (t) => {
  const property = fc.asyncProperty(
    fc.array(fc.jsonValue(), { maxLength: 5 }),
    fc.array(fc.integer({ min: 1, max: 9 })),
    fc.constantFrom('\n', '\r\n'),
    async (values, sizes, lineEnd) => {
      const text = values.map((data) => formatJsonEvent({ type: 'run', data })).join(': comment\n');
      const events = [];
      for await (const event of readEvents(toChunks(Buffer.from(text.replaceAll('\n', lineEnd)), sizes)))
        events.push(event);
      t.strictSame(
        events.map(({ event, data }) => [event, data]),
        values.map((value) => ['run', JSON.stringify(value)]),
      );
    },
  );
  await fc.assert(property, { numRuns: 50 });
});

t.test('leaving the loop cancels the body', async (t) => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(Buffer.from('data: a\n\n')),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const { data } of readEvents(body)) {
    t.equal(data, 'a');
    break;
  }
  t.ok(isCancelled);
});

t.test('a body that is absent has no events', async (t) => {
  for await (const event of readEvents(null)) t.fail(String(event.data));
});

t.test('the last event of a text needs no empty line', async (t) => {
  t.same(
    parseEvents('data: a\n\nid: 7\ndata:b\ndata: c').map(({ id, data }) => [id, data]),
    [
      [undefined, 'a'],
      ['7', 'b\nc'],
    ],
  );
  t.same(parseEvents(': comment\n\n'), []);
  t.match(parseEvents(formatEvent({ type: 'message', data: '{}' })), [{ event: 'message', data: '{}' }]);
});

t.test('a carriage return ends a line, also at the end of a chunk', async (t) => {
  const events = [];
  async function* chunks() {
    for (const text of ['data: a\r', '\n\r', '', '\ndata: b\r\r', 'data: c\n\n']) yield Buffer.from(text);
  }
  for await (const { data } of readEvents(chunks())) events.push(data);
  t.same(events, ['a', 'b', 'c']);
});

t.test('a stream of lines with unknown fields is refused', async (t) => {
  t.same(
    parseEvents(`${'x\n'.repeat(1000)}data: a`).map(({ data }) => data),
    ['a'],
  );
  t.throws(() => parseEvents(`${'x\n'.repeat(1001)}data: a`), /Unknown field/);
});

t.test('a line or an event of any size is refused, and many events are not', async (t) => {
  const feed = createByteEventReader(() => {});
  const mebibyte = Buffer.alloc(1_048_576, 'data: a');
  t.throws(() => {
    for (let turn = 0; turn <= 32; turn += 1) feed(mebibyte);
  }, /a line is longer than/);
  const line = Buffer.concat([mebibyte, Buffer.from('\n')]);
  const feedLines = createByteEventReader(() => {});
  t.throws(() => {
    for (let turn = 0; turn <= 32; turn += 1) feedLines(line);
  }, /exceeded max buffer size/);
  const shortLines = Buffer.from('data:\n'.repeat(10_000));
  const feedShortLines = createByteEventReader(() => {});
  t.throws(() => {
    for (let turn = 0; turn <= 10; turn += 1) feedShortLines(shortLines);
  }, /more than 100000 lines of data/);
  let events = 0;
  const feedEvents = createByteEventReader(() => {
    events += 1;
  });
  for (let turn = 0; turn <= 10; turn += 1) feedEvents(Buffer.from('data: a\n\n'.repeat(10_000)));
  t.equal(events, 110_000);
});

t.test('a character may be in two chunks, and a byte order mark only at the start', async (t) => {
  const events: string[] = [];
  const feed = createByteEventReader(({ data }) => events.push(data));
  const bytes = Buffer.from('\uFEFFdata: é€\uFEFF😀\n\n');
  for (const byte of bytes) feed(Buffer.of(byte));
  t.same(events, ['é€\uFEFF😀']);
});
