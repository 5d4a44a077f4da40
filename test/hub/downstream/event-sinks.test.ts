/** Streams that are written to a response of node:http: to clients that read, leave and do not read. */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { ListenerStream } from '../../../src/hub/downstream/listener-stream.ts';
import { eventually } from '../../eventually.ts';

type OpenExchange = { readonly outgoing: ServerResponse; readonly response: Promise<IncomingMessage> };

/** A request that waits for its response. */
async function openExchange(t: Test): Promise<OpenExchange> {
  const server = createServer();
  t.teardown(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = Object(server.address());
  const requested = once(server, 'request');
  const client = get({ host: '127.0.0.1', port, agent: false });
  t.teardown(() => client.destroy());
  const response = once(client, 'response').then(([incoming]) => incoming);
  response.catch(() => {});
  const [, outgoing] = await requested;
  return { outgoing, response };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  return text;
}

t.test('events of before and after the connection arrive in order, under the headers of a stream', async (t) => {
  const { outgoing, response } = await openExchange(t);
  let closed = 0;
  const stream = new ListenerStream(() => (closed += 1), { 'Mcp-Session-Id': 's' });
  stream.prime('1.1');
  stream.send('{"first":1}', '1.2');
  t.ok(stream.unreadBytes > 0);
  stream.writeTo(outgoing);
  stream.sendHeartbeat();
  const incoming = await response;
  t.match(incoming.headers, { 'content-type': 'text/event-stream', 'mcp-session-id': 's' });
  stream.send('{"second":2}');
  stream.close();
  stream.send('{"late":3}');
  t.equal(
    await readText(incoming),
    'id: 1.1\ndata: \n\nid: 1.2\nevent: message\ndata: {"first":1}\n\n: heartbeat\n\nevent: message\ndata: {"second":2}\n\n',
  );
  t.equal(closed, 1);
});

t.test('a stream that was complete before its connection is written and ended', async (t) => {
  const { outgoing, response } = await openExchange(t);
  const stream = new ListenerStream(() => {});
  stream.send('{}');
  stream.close();
  stream.writeTo(outgoing);
  t.equal(await readText(await response), 'event: message\ndata: {}\n\n');
});

t.test('a client that leaves is noticed once, and later events are dropped', async (t) => {
  const { outgoing, response } = await openExchange(t);
  let closed = 0;
  const stream = new ListenerStream(() => (closed += 1));
  stream.send('{}');
  stream.writeTo(outgoing);
  (await response).destroy();
  t.ok(await eventually(() => closed === 1));
  t.ok(stream.isClosed);
  stream.send('{}');
  stream.close();
  const late = new ListenerStream(() => (closed += 1));
  late.send('{}');
  late.writeTo(outgoing);
  t.ok(late.isClosed, 'its connection had ended');
  t.equal(closed, 2);
});

t.test('a client that does not read is disconnected beyond the limit', async (t) => {
  const { outgoing, response } = await openExchange(t);
  const stream = new ListenerStream(() => {});
  stream.writeTo(outgoing);
  stream.send('{}');
  const incoming = await response;
  incoming.pause();
  const large = 'x'.repeat(1_000_000);
  for (let count = 0; count < 64 && !stream.isClosed; count += 1) {
    stream.send(large);
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.ok(stream.isClosed);
  t.ok(stream.unreadBytes < 16_000_000, 'what was not read is bounded');
  await t.rejects(readText(incoming), { code: 'ECONNRESET' });
});

t.test(
  'events of a call that come together are one chunk; a question, the end and a long wait send them',
  async (t) => {
    const { outgoing, response } = await openExchange(t);
    const stream = new ListenerStream(() => {}, {}, { maxDelayMs: 60_000 });
    stream.writeTo(outgoing);
    stream.send('{"progress":1}');
    stream.send('{"question":2}');
    stream.flush();
    const incoming = await response;
    const chunks: string[] = [];
    incoming.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
    t.ok(await eventually(() => chunks.length > 0));
    t.same(chunks, ['event: message\ndata: {"progress":1}\n\nevent: message\ndata: {"question":2}\n\n']);
    stream.send('{"progress":3}');
    stream.send('{"result":4}');
    stream.close();
    await once(incoming, 'end');
    t.same(chunks.slice(1), ['event: message\ndata: {"progress":3}\n\nevent: message\ndata: {"result":4}\n\n']);
    const slow = await openExchange(t);
    const slowStream = new ListenerStream(() => {}, {}, { maxDelayMs: 2 });
    slowStream.writeTo(slow.outgoing);
    slowStream.send('{"progress":1}');
    const [chunk] = await once((await slow.response).setEncoding('utf8'), 'data');
    t.match(chunk, '"progress":1', 'nothing followed');
    slowStream.send('{"progress":2}');
    slowStream.close();
  },
);

t.test('a stream without events sends its head at once, also where events wait for others', async (t) => {
  const { outgoing, response } = await openExchange(t);
  const stream = new ListenerStream(() => {}, {}, { maxDelayMs: 60_000 });
  stream.writeTo(outgoing);
  t.equal((await response).statusCode, 200);
  stream.close();
});

t.test('a stream that ends before anything of it was sent is a body of known length', async (t) => {
  const { outgoing, response } = await openExchange(t);
  const stream = new ListenerStream(() => {}, {}, { maxDelayMs: 60_000 });
  stream.send('{"progress":"é"}');
  stream.writeTo(outgoing, ['X-Request-Id', 'r']);
  t.ok(stream.unreadBytes > 0, 'what waits is not read');
  stream.send('{"result":"€"}');
  stream.close();
  const incoming = await response;
  const { headers } = incoming;
  const text = await readText(incoming);
  t.equal(text, 'event: message\ndata: {"progress":"é"}\n\nevent: message\ndata: {"result":"€"}\n\n');
  t.equal(headers['content-length'], String(Buffer.byteLength(text)));
  t.equal(headers['transfer-encoding'], undefined);
  t.equal(headers['x-request-id'], 'r');
});

t.test('no more waits for other events than fits into a packet or two', async (t) => {
  const { outgoing, response } = await openExchange(t);
  const stream = new ListenerStream(() => {}, {}, { maxDelayMs: 60_000 });
  stream.writeTo(outgoing);
  const incoming = (await response).setEncoding('utf8');
  let text = '';
  incoming.on('data', (chunk: string) => {
    text += chunk;
  });
  for (let count = 0; count < 20; count += 1) stream.send(`"${'x'.repeat(1000)}"`);
  t.ok(await eventually(() => text.length > 16_000), 'many small ones');
  stream.send('"small"');
  stream.send(`"${'y'.repeat(20_000)}"`);
  t.ok(await eventually(() => text.includes('y"')), 'a large one, after those before it');
  t.match(text, /"small"\n\nevent: message\ndata: "yy/);
  stream.close();
  await once(incoming, 'end');
});
