/** A client of a session that listens again gets what it has missed, and one that does not read is disconnected. */
import t, { type Test } from 'tap';
import { SessionEvents } from '../../../src/hub/downstream/session-events.ts';
import { parseEvents } from '../../../src/streams/event-reader.ts';

type ReceivedEvent = { readonly id: string | undefined; readonly data: string };

function createListener(events: SessionEvents, revision = '2025-06-18') {
  const listen = (lastEventId: string | null = null) => {
    const createRefresh = () => ['refresh'];
    const response = events.listen({ sessionId: 's', revision, lastEventId, createRefresh }).stream.response;
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let text = '';
    /** Reads until there are `count` events; fewer if the stream ends. */
    const read = async (count: number): Promise<ReceivedEvent[]> => {
      for (;;) {
        const received = parseAll(text);
        if (received.length >= count) return received;
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) return received;
        text += decoder.decode(value, { stream: true });
      }
    };
    return { response, reader, read };
  };
  return listen;
}

/** Events without data too, which readers of streams skip. */
function parseAll(text: string): ReceivedEvent[] {
  return parseEvents(text.replaceAll('data: \n', 'data: (priming)\n')).map(({ id, data }) => ({ id, data }));
}

function lastIdOf(received: readonly ReceivedEvent[]): string {
  return received.at(-1)?.id ?? '';
}

t.test('events have ids, and a stream continues after the last one received', async (t) => {
  const events = new SessionEvents();
  const listen = createListener(events);
  const first = listen();
  events.send('one');
  events.send('two');
  const received = await first.read(2);
  t.match(received, [{ data: 'one' }, { data: 'two' }]);
  t.not(received[0]?.id, received[1]?.id);
  await first.reader?.cancel();
  events.send('three');
  events.send('four');
  const second = listen(lastIdOf(received));
  t.match(await second.read(2), [{ data: 'three' }, { data: 'four' }]);
  const again = listen(received[0]?.id);
  t.match(await again.read(3), [{ data: 'two' }, { data: 'three' }, { data: 'four' }], 'the client decides from where');
  t.match(await second.read(3), [{ data: 'three' }, { data: 'four' }], 'the stream before has ended');
});

t.test('a client that sends no id gets what was sent while it did not listen', async (t) => {
  const events = new SessionEvents();
  const listen = createListener(events);
  events.send('before anybody listened');
  const first = listen();
  events.send('one');
  await first.read(1);
  await first.reader?.cancel();
  events.send('two');
  t.match(await listen().read(1), [{ data: 'two' }]);
});

t.test('a client that opens its stream a moment after the start of its session misses nothing', async (t) => {
  let isOpening = true;
  const events = new SessionEvents(() => isOpening);
  events.send('before the stream was open');
  t.match(await createListener(events)().read(1), [{ data: 'before the stream was open' }]);

  const silent = new SessionEvents(() => isOpening);
  for (let message = 0; message < 200; message += 1) silent.send(`${message} `.padEnd(100, 'x'));
  const bounded = createListener(silent)();
  silent.send('the last one');
  const received = await bounded.read(82);
  t.equal(received.length, 82, 'of many, the latest 8 KB and what follows');

  const late = new SessionEvents(() => isOpening);
  late.send('long ago');
  isOpening = false;
  late.send('to nobody');
  const listener = createListener(late)();
  late.send('now');
  t.match(await listener.read(1), [{ data: 'now' }], 'nothing is retained for a client that does not listen');
});

t.test('a stream of a newer revision starts with an id', async (t) => {
  const events = new SessionEvents();
  const listen = createListener(events, '2025-11-25');
  const priming = await listen().read(1);
  t.match(priming, [{ data: '(priming)', id: /^\d+$/ }]);
  events.send('lost with the connection');
  t.match(await listen(lastIdOf(priming)).read(1), [{ data: 'lost with the connection' }]);
});

t.test('where events are not retained any more, the client is told that everything changed', async (t) => {
  const events = new SessionEvents();
  const listen = createListener(events);
  const first = listen();
  events.send('one');
  const received = await first.read(1);
  await first.reader?.cancel();
  for (let count = 0; count < 200; count += 1) events.send(`event ${count}`);
  t.match(await listen(lastIdOf(received)).read(1), [{ data: 'refresh' }]);
  for (const unknownId of ['none', '-1', '99999']) t.match(await listen(unknownId).read(1), [{ data: 'refresh' }]);
});

async function fillUnread(t: Test, events: SessionEvents): Promise<number> {
  const message = JSON.stringify({ text: 'x'.repeat(10_000) });
  let sent = 0;
  while (events.isListening && sent < 1000) {
    events.send(message);
    sent += 1;
  }
  t.notOk(events.isListening, 'the listener was disconnected');
  return sent;
}

t.test('a listener that does not read is disconnected, and can listen again', async (t) => {
  const events = new SessionEvents();
  const listen = createListener(events);
  const slow = listen();
  const sent = await fillUnread(t, events);
  t.ok(sent < 60, `after ${sent} messages of 10 KB`);
  await t.rejects(async () => slow.read(1000), { message: 'the client does not read' });
  events.send('after');
  t.match((await listen().read(1)).at(-1), { data: 'after' });
});

t.test('the end of the session ends the stream', async (t) => {
  const events = new SessionEvents();
  const listener = createListener(events)();
  events.close();
  t.same(await listener.read(1), []);
  t.notOk(events.isListening);
});
