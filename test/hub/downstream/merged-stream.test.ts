/** The response to a batch. */
import t from 'tap';
import { mergeResponses } from '../../../src/hub/downstream/merged-stream.ts';
import { parseEvents } from '../../../src/streams/event-reader.ts';

const streamHeaders = { 'Content-Type': 'text/event-stream' };

t.test('messages are sent as they come, and the stream ends with the last response', async (t) => {
  const late = Promise.withResolvers<Response>();
  const events = new Response('data: "progress"\n\ndata: "two"\n\n', { headers: streamHeaders });
  const merged = mergeResponses([late.promise, Promise.resolve(events)]);
  t.equal(merged.headers.get('content-type'), 'text/event-stream');
  const reader = merged.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  let text = new TextDecoder().decode(value);
  late.resolve(Response.json('one'));
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
    text += new TextDecoder().decode(next.value);
  t.same(
    parseEvents(text).map(({ data }) => JSON.parse(data)),
    ['progress', 'two', 'one'],
  );
});

t.test('a failed response does not keep the others back', async (t) => {
  const merged = mergeResponses([Promise.reject(new Error('gone')), Promise.resolve(Response.json(1))]);
  t.match(await merged.text(), /data: 1/);
});

t.test('a client that leaves ends the responses', async (t) => {
  const cancelled = Promise.withResolvers<void>();
  const open = new Response(new ReadableStream({ cancel: () => cancelled.resolve() }), { headers: streamHeaders });
  const merged = mergeResponses([Promise.resolve(open)]);
  await new Promise((resolve) => setImmediate(resolve));
  await merged.body?.cancel();
  await t.resolves(cancelled.promise);
});
