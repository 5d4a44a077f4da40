/** Long-lived streams end when their reader is no longer authorized. */
import t from 'tap';
import { endWhenRevoked, isStreamRequest, recheckIntervalMs } from '../../../src/hub/access/stream-revalidation.ts';
import { fakeClock } from '../../environment/fake-clock.ts';

const headers = { 'content-type': 'text/event-stream' };

function openStream(isAuthorized: () => Promise<boolean>) {
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
  const response = endWhenRevoked(new Response(body, { headers, status: 200 }), isAuthorized, clock);
  const reader = response.body?.getReader();
  const read = async () => {
    const { done, value } = (await reader?.read()) ?? { done: true };
    return done ? 'over' : Buffer.from(value ?? []).toString();
  };
  return { clock, source, reader, read };
}

const waitATurn = () => new Promise((resolve) => setImmediate(resolve));

t.test('a stream continues while its reader is authorized, and ends soon after', async (t) => {
  let authorized = true;
  const { clock, source, read } = openStream(async () => authorized);
  source.send('one');
  t.equal(await read(), 'one');
  clock.advance(recheckIntervalMs);
  await waitATurn();
  source.send('two');
  t.equal(await read(), 'two');
  authorized = false;
  const pendingRead = read();
  clock.advance(recheckIntervalMs - 1);
  await waitATurn();
  t.notOk(source.cancelled);
  clock.advance(1);
  t.equal(await pendingRead, 'over');
  t.ok(source.cancelled);
});

t.test('a stream ends if the check fails', async (t) => {
  const { clock, read } = openStream(() => Promise.reject(new Error('closed')));
  const pendingRead = read();
  clock.advance(recheckIntervalMs);
  t.equal(await pendingRead, 'over');
});

t.test('a reader that left is not checked again', async (t) => {
  let rechecks = 0;
  const { clock, source, reader } = openStream(async () => {
    rechecks += 1;
    return true;
  });
  await reader?.cancel();
  t.ok(source.cancelled);
  clock.advance(recheckIntervalMs * 3);
  await waitATurn();
  t.equal(rechecks, 0);
});

t.test('responses to calls are unchanged', async (t) => {
  const json = Response.json({});
  t.equal(
    endWhenRevoked(json, async () => false, fakeClock()),
    json,
  );
  t.ok(isStreamRequest(new Request('http://x/'), undefined));
  const post = new Request('http://x/', { method: 'POST' });
  t.ok(isStreamRequest(post, { method: 'subscriptions/listen' }));
  t.notOk(isStreamRequest(post, { method: 'tools/call' }));
});
