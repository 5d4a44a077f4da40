/** Long-lived streams end when their reader is no longer authorized. */
import t from 'tap';
import { endWhenRevoked, isStreamRequest, recheckIntervalMs } from '../../../src/hub/access/stream-revalidation.ts';
import { ListenerStream } from '../../../src/hub/downstream/listener-stream.ts';
import { StreamReply, toWebResponse } from '../../../src/hub/downstream/mcp-http.ts';
import { Listeners } from '../../../src/listeners/listeners.ts';
import { fakeClock } from '../../environment/fake-clock.ts';

function openStream(isAuthorized: () => Promise<boolean>) {
  const clock = fakeClock();
  const stream = new ListenerStream(() => {});
  const ends = new Listeners();
  const reply = endWhenRevoked(new StreamReply(stream), isAuthorized, clock, ends.add);
  const reader = toWebResponse(reply).body?.getReader();
  const read = async () => {
    const { done, value } = (await reader?.read()) ?? { done: true };
    return done ? 'over' : Buffer.from(value ?? []).toString();
  };
  return { clock, stream, ends, reader, read };
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

t.test('a stream ends at once when access has ended', async (t) => {
  let authorized = true;
  const { stream, ends, read } = openStream(async () => authorized);
  ends.notify();
  await waitATurn();
  t.notOk(stream.isClosed, 'that of somebody else');
  authorized = false;
  ends.notify();
  t.equal(await read(), 'over');
});

t.test('thousands of streams are checked with turns for others between', async (t) => {
  const ends = new Listeners();
  let [checks, turns] = [0, 0];
  const isAuthorized = async () => {
    checks += 1;
    return true;
  };
  const count = 1000;
  for (let index = 0; index < count; index += 1)
    endWhenRevoked(new StreamReply(new ListenerStream(() => {})), isAuthorized, fakeClock(), ends.add);
  t.equal(checks, count, 'at their start');
  ends.notify();
  ends.notify();
  for (; checks < 2 * count; turns += 1) await waitATurn();
  t.ok(turns >= 40, `${turns} turns`);
  await waitATurn();
  t.equal(checks, 2 * count, 'each once');
});

t.test('access that ended before the stream began, after its request was authenticated, ends it', async (t) => {
  const { read } = openStream(async () => false);
  t.equal(await read(), 'over');
});

t.test('access that ends while it is checked is checked again', async (t) => {
  const answers: ((isAuthorized: boolean) => void)[] = [];
  const { stream, ends, read } = openStream(() => new Promise((resolve) => answers.push(resolve)));
  ends.notify();
  ends.notify();
  t.equal(answers.length, 1);
  answers.shift()?.(true);
  await waitATurn();
  t.notOk(stream.isClosed);
  t.equal(answers.length, 1, 'once for all that has ended meanwhile');
  answers.shift()?.(false);
  t.equal(await read(), 'over');
});

t.test('a stream ends if the check fails', async (t) => {
  const { read } = openStream(() => Promise.reject(new Error('closed')));
  const pendingRead = read();
  t.equal(await pendingRead, 'over');
});

t.test('a reader that left is not checked again', async (t) => {
  let rechecks = 0;
  const { clock, stream, ends, reader } = openStream(async () => {
    rechecks += 1;
    return true;
  });
  await reader?.cancel();
  t.ok(stream.isClosed);
  clock.advance(recheckIntervalMs * 3);
  await waitATurn();
  ends.notify();
  await waitATurn();
  t.equal(rechecks, 1, 'only at its start');
  t.equal(ends.size, 0);
});

t.test('responses to calls are unchanged', async (t) => {
  const json = Response.json({});
  t.equal(
    endWhenRevoked(json, async () => false, fakeClock(), new Listeners().add),
    json,
  );
  t.ok(isStreamRequest(new Request('http://x/'), undefined));
  const post = new Request('http://x/', { method: 'POST' });
  t.ok(isStreamRequest(post, { method: 'subscriptions/listen' }));
  t.notOk(isStreamRequest(post, { method: 'tools/call' }));
});
