/** What is retained of responses for clients that come back is bounded in number, size and time. */
import t from 'tap';
import { StreamReply, toWebResponse } from '../../../src/hub/downstream/mcp-http.ts';
import type { ResponseStream } from '../../../src/hub/downstream/response-stream.ts';
import { SessionStreams, StreamRetention } from '../../../src/hub/downstream/session-streams.ts';
import { CallExchange } from '../../../src/hub/gateway/call-exchange.ts';

const session = { id: 's', revision: '2025-11-25' };

function createStreams() {
  let nowMs = 0;
  const retention = new StreamRetention({ monotonicMs: () => nowMs });
  const streams = new SessionStreams(session, retention);
  return {
    retention,
    streams,
    open: (): ResponseStream => streams.open(() => {}),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

t.test('of many notifications the latest are retained, and the response', async (t) => {
  const { streams, open } = createStreams();
  const stream = open();
  stream.disconnect();
  for (let count = 1; count <= 150; count += 1) stream.send(`{"progress":${count}}`);
  stream.complete('{"result":"x"}');
  const text = (await streams.resume('1.1')?.stream.response.text()) ?? '';
  t.notMatch(text, '"progress":50}');
  t.match(text, '"progress":51}');
  t.match(text, 'id: 1.152\nevent: message\ndata: {"result":"x"}');
});

t.test('a large response is retained only for a client that has lost its connection', async (t) => {
  const { streams, open } = createStreams();
  const response = JSON.stringify({ result: 'x'.repeat(300_000) });
  open().complete(response);
  t.notMatch(await streams.resume('1.1')?.stream.response.text(), '"result"', 'it was written to its connection');
  const lost = open();
  lost.disconnect();
  lost.complete(response);
  t.match(await streams.resume('2.1')?.stream.response.text(), '"result"');
});

t.test('a session retains 32 complete responses', async (t) => {
  const { streams, open } = createStreams();
  for (let count = 1; count <= 33; count += 1) open().complete('{}');
  t.equal(streams.resume('1.1'), undefined);
  t.ok(streams.resume('2.1'));
});

t.test('all sessions together retain 32 Mi characters', async (t) => {
  const { streams, open, retention } = createStreams();
  const other = new SessionStreams(session, retention);
  const lost = open();
  lost.disconnect();
  lost.complete('x'.repeat(10_000_000));
  for (let count = 0; count < 3; count += 1) {
    const stream = other.open(() => {});
    stream.disconnect();
    stream.complete('y'.repeat(10_000_000));
  }
  t.equal(streams.resume('1.1'), undefined, 'the oldest made room');
  t.ok(other.resume('1.1'));
});

t.test('after five minutes a response is dropped, and one in flight is not', async (t) => {
  const { streams, open, retention, pass } = createStreams();
  open().complete('{}');
  open();
  pass(5 * 60_000);
  retention.dropOutdated();
  t.equal(streams.resume('1.1'), undefined);
  t.ok(streams.resume('2.1'));
});

t.test('a call without a response gets a stream in time, so that it can be resumed', async (t) => {
  const { streams } = createStreams();
  const exchange = new CallExchange(7, { streams, onBroken: () => {} });
  exchange.keepAlive();
  const response = await exchange.response;
  t.ok(response instanceof StreamReply);
  exchange.end('{"id":7}');
  t.equal(
    await toWebResponse(response).text(),
    'id: 1.1\ndata: \n\n: heartbeat\n\nid: 1.2\nevent: message\ndata: {"id":7}\n\n',
  );
  const withoutSession = new CallExchange(8);
  withoutSession.keepAlive();
  withoutSession.end('{"id":8}');
  t.match(await withoutSession.response, { json: '{"id":8}' });
});
