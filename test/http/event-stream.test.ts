import t from 'tap';
import { eventStream, eventText, heartbeatText } from '../../src/http/event-stream.ts';

t.test('an event is lines that end with an empty one', async (t) => {
  t.equal(eventText({ id: 7, type: 'run', data: { text: 'a\nb' } }), 'id: 7\nevent: run\ndata: {"text":"a\\nb"}\n\n');
  t.equal(eventText({ id: 7 }), 'id: 7\n\n');
  t.match(heartbeatText, /^:.*\n\n$/);
});

t.test('the response streams what is yielded, and ends with it', async (t) => {
  async function* texts(): AsyncGenerator<string> {
    yield 'a';
    yield 'ä';
  }
  const response = eventStream(texts, new AbortController().signal, undefined);
  t.equal(response.headers.get('content-type'), 'text/event-stream');
  t.equal(response.headers.get('cache-control'), 'no-store');
  t.equal(await response.text(), 'aä');
});

t.test('nothing is asked for before the reader has taken what there is', async (t) => {
  let asked = 0;
  async function* texts(): AsyncGenerator<string> {
    for (;;) {
      asked += 1;
      yield 'x';
    }
  }
  const response = eventStream(texts, new AbortController().signal, undefined);
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.equal(asked, 1);
  await response.body?.cancel();
});

t.test('the signal is aborted when the reader leaves, the listener closes or the body is cancelled', async (t) => {
  const ways: ((reader: AbortController, closing: AbortController, response: Response) => unknown)[] = [
    (reader) => reader.abort(),
    (_reader, closing) => closing.abort(),
    (_reader, _closing, response) => response.body?.cancel(),
  ];
  for (const end of ways) {
    const [reader, closing] = [new AbortController(), new AbortController()];
    let ended = false;
    async function* texts(signal: AbortSignal): AsyncGenerator<string> {
      try {
        yield 'first';
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      } finally {
        ended = true;
      }
    }
    const response = eventStream(texts, reader.signal, closing.signal);
    const read = response.body?.getReader();
    await read?.read();
    read?.releaseLock();
    await new Promise((resolve) => setImmediate(resolve));
    await end(reader, closing, response);
    await new Promise((resolve) => setImmediate(resolve));
    t.ok(ended);
  }
});

t.test('a reader who has left already gets nothing', async (t) => {
  const seen: boolean[] = [];
  async function* texts(signal: AbortSignal): AsyncGenerator<string> {
    seen.push(signal.aborted);
    if (!signal.aborted) yield 'too late';
  }
  t.equal(await eventStream(texts, AbortSignal.abort(), undefined).text(), '');
  t.same(seen, [true]);
});
