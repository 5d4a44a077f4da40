import t from 'tap';
import { createEventStreamResponse, formatJsonEvent, heartbeatComment } from '../../src/streams/event-stream.ts';

t.test('an event is formatted as lines and an empty line', async (t) => {
  t.equal(
    formatJsonEvent({ id: 7, type: 'run', data: { text: 'a\nb' } }),
    'id: 7\nevent: run\ndata: {"text":"a\\nb"}\n\n',
  );
  t.equal(formatJsonEvent({ id: 7 }), 'id: 7\n\n');
  t.match(heartbeatComment, /^:.*\n\n$/);
});

t.test('the response streams what is yielded, and ends with it', async (t) => {
  async function* texts(): AsyncGenerator<string> {
    yield 'a';
    yield 'ä';
  }
  const response = createEventStreamResponse(texts, new AbortController().signal, undefined);
  t.equal(response.headers.get('content-type'), 'text/event-stream');
  t.equal(response.headers.get('cache-control'), 'no-store');
  t.equal(await response.text(), 'aä');
});

t.test('the next text is pulled only after the reader has taken the last one', async (t) => {
  let pulls = 0;
  async function* texts(): AsyncGenerator<string> {
    for (;;) {
      pulls += 1;
      yield 'x';
    }
  }
  const response = createEventStreamResponse(texts, new AbortController().signal, undefined);
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.equal(pulls, 1);
  await response.body?.cancel();
});

t.test('the signal is aborted when the reader disconnects, the listener closes or the body is cancelled', async (t) => {
  const endings: ((reader: AbortController, closing: AbortController, response: Response) => unknown)[] = [
    (reader) => reader.abort(),
    (_reader, closing) => closing.abort(),
    (_reader, _closing, response) => response.body?.cancel(),
  ];
  for (const end of endings) {
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
    const response = createEventStreamResponse(texts, reader.signal, closing.signal);
    const read = response.body?.getReader();
    await read?.read();
    read?.releaseLock();
    await new Promise((resolve) => setImmediate(resolve));
    await end(reader, closing, response);
    await new Promise((resolve) => setImmediate(resolve));
    t.ok(ended);
  }
});

t.test('a disconnected reader gets nothing', async (t) => {
  const abortedStates: boolean[] = [];
  async function* texts(signal: AbortSignal): AsyncGenerator<string> {
    abortedStates.push(signal.aborted);
    if (!signal.aborted) yield 'too late';
  }
  t.equal(await createEventStreamResponse(texts, AbortSignal.abort(), undefined).text(), '');
  t.same(abortedStates, [true]);
});
