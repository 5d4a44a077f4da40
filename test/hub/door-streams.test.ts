/** Streams that last only while their reader would be let in. */
import t from 'tap';
import { isListening, lookAgainMs, whileWelcome } from '../../src/hub/door-streams.ts';
import { fakeClock } from '../environment/fake-clock.ts';

const headers = { 'content-type': 'text/event-stream' };

function open(isWelcome: () => Promise<boolean>) {
  const clock = fakeClock();
  const source = { cancelled: false, send: (_text: string): void => undefined };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      source.send = (text) => controller.enqueue(Buffer.from(text));
    },
    cancel() {
      source.cancelled = true;
    },
  });
  const response = whileWelcome(new Response(body, { headers, status: 200 }), isWelcome, clock);
  const reader = response.body?.getReader();
  const read = async () => {
    const { done, value } = (await reader?.read()) ?? { done: true };
    return done ? 'over' : Buffer.from(value ?? []).toString();
  };
  return { clock, source, reader, read };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

t.test('it goes on while the reader would be let in, and ends soon after', async (t) => {
  let welcome = true;
  const { clock, source, read } = open(async () => welcome);
  source.send('one');
  t.equal(await read(), 'one');
  clock.advance(lookAgainMs);
  await settled();
  source.send('two');
  t.equal(await read(), 'two');
  welcome = false;
  const next = read();
  clock.advance(lookAgainMs - 1);
  await settled();
  t.notOk(source.cancelled);
  clock.advance(1);
  t.equal(await next, 'over');
  t.ok(source.cancelled);
});

t.test('it ends where that cannot be told', async (t) => {
  const { clock, read } = open(() => Promise.reject(new Error('closed')));
  const next = read();
  clock.advance(lookAgainMs);
  t.equal(await next, 'over');
});

t.test('whoever leaves is not looked at again', async (t) => {
  let looks = 0;
  const { clock, source, reader } = open(async () => {
    looks += 1;
    return true;
  });
  await reader?.cancel();
  t.ok(source.cancelled);
  clock.advance(lookAgainMs * 3);
  await settled();
  t.equal(looks, 0);
});

t.test('answers to calls are left as they are', async (t) => {
  const json = Response.json({});
  t.equal(
    whileWelcome(json, async () => false, fakeClock()),
    json,
  );
  t.ok(isListening(new Request('http://x/'), undefined));
  const post = new Request('http://x/', { method: 'POST' });
  t.ok(isListening(post, { method: 'subscriptions/listen' }));
  t.notOk(isListening(post, { method: 'tools/call' }));
});
