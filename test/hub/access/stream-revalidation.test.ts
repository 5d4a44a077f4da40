/** Long-lived streams end when their reader is no longer authorized. */
import t from 'tap';
import { endWhenRevoked, isStreamRequest, recheckIntervalMs } from '../../../src/hub/access/stream-revalidation.ts';
import { ListenerStream } from '../../../src/hub/downstream/listener-stream.ts';
import { StreamReply, toWebResponse } from '../../../src/hub/downstream/mcp-http.ts';
import { fakeClock } from '../../environment/fake-clock.ts';

function openStream(isAuthorized: () => Promise<boolean>) {
  const clock = fakeClock();
  const stream = new ListenerStream(() => {});
  const reader = toWebResponse(endWhenRevoked(new StreamReply(stream), isAuthorized, clock)).body?.getReader();
  const read = async () => {
    const { done, value } = (await reader?.read()) ?? { done: true };
    return done ? 'over' : Buffer.from(value ?? []).toString();
  };
  return { clock, stream, reader, read };
}

const waitATurn = () => new Promise((resolve) => setImmediate(resolve));

t.test('a stream continues while its reader is authorized, and ends soon after', async (t) => {
  let authorized = true;
  const { clock, stream, read } = openStream(async () => authorized);
  stream.send('one');
  t.match(await read(), /data: one/);
  clock.advance(recheckIntervalMs);
  await waitATurn();
  stream.send('two');
  t.match(await read(), /data: two/);
  authorized = false;
  const pendingRead = read();
  clock.advance(recheckIntervalMs - 1);
  await waitATurn();
  t.notOk(stream.isClosed);
  clock.advance(1);
  t.equal(await pendingRead, 'over');
  t.ok(stream.isClosed);
});

t.test('a stream ends if the check fails', async (t) => {
  const { clock, read } = openStream(() => Promise.reject(new Error('closed')));
  const pendingRead = read();
  clock.advance(recheckIntervalMs);
  t.equal(await pendingRead, 'over');
});

t.test('a reader that left is not checked again', async (t) => {
  let rechecks = 0;
  const { clock, stream, reader } = openStream(async () => {
    rechecks += 1;
    return true;
  });
  await reader?.cancel();
  t.ok(stream.isClosed);
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
