/** Responses as text, as streams, and broken off by either side. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { createGuardedFetch, type GuardedFetch } from '../../src/outbound/guarded-fetch.ts';

type Serve = (response: ServerResponse) => void;

/** A test server and a function that calls it. */
async function openReader(
  t: Pick<Test, 'teardown'>,
  serve: Serve,
  answerLimitBytes = 100_000,
): Promise<GuardedFetch & { readonly url: string }> {
  const server = createServer((request, response) => {
    request.resume();
    serve(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const outward = createGuardedFetch({ allowPrivate: true, extraRoots: [], variables: {}, answerLimitBytes });
  t.teardown(async () => {
    await outward.close();
    server.close();
    server.closeAllConnections();
  });
  return { ...outward, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const events: Serve = (response) => response.writeHead(200, { 'Content-Type': 'text/event-stream' });

async function readText(body: unknown): Promise<string> {
  if (!(body instanceof ReadableStream)) throw new TypeError('no stream');
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

t.test('a text is returned complete, without its byte order mark', async (t) => {
  const { request, url } = await openReader(t, (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Set-Cookie': 'a=b', 'Mcp-Session-Id': 's' });
    response.write('\uFEFF{"a":');
    setImmediate(() => response.end('"ä€"}'));
  });
  const response = await request(url);
  t.same(response, {
    status: 200,
    headers: { 'content-type': 'application/json', 'mcp-session-id': 's' },
    body: '{"a":"ä€"}',
  });
});

t.test('a large text is read in pieces and returned complete', async (t) => {
  const text = JSON.stringify(Array.from({ length: 400_000 }, (_, index) => index));
  const serve: Serve = (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
  const { request, url } = await openReader(t, serve, 10_000_000);
  const [first, second] = await Promise.all([request(url), request(url)]);
  t.ok(text.length > 2_000_000);
  t.equal(first.body, text);
  t.equal(second.body, text);
  const controller = new AbortController();
  const pendingText = request(url, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 10);
  await t.rejects(pendingText, { message: 'enough' }, 'an abort between two pieces is reported');
});

t.test('a missing body differs from an empty text', async (t) => {
  const none = await openReader(t, (response) => response.writeHead(204).end());
  t.equal((await none.request(none.url)).body, null);
  t.equal((await none.fetch(none.url)).status, 204);
  const empty = await openReader(t, (response) => response.writeHead(202).end());
  t.equal((await empty.request(empty.url)).body, '');
  t.equal(await (await empty.fetch(empty.url)).text(), '');
});

t.test('a stream that is read slowly arrives complete and in order, and its end is reported', async (t) => {
  const lines = Array.from({ length: 3000 }, (_, index) => `id: ${index}\ndata: ${'x'.repeat(100)}\n\n`);
  const { request, url } = await openReader(t, (response) => {
    events(response);
    for (const line of lines) response.write(line);
    response.end();
  });
  const ended: unknown[] = [];
  const { body } = await request(url, {}, { onStreamEnd: (...problem) => ended.push(problem) });
  if (!(body instanceof ReadableStream)) return t.fail('no stream');
  const pieces: Uint8Array[] = [];
  for await (const piece of body) {
    pieces.push(piece);
    await sleep(1);
  }
  t.equal(Buffer.concat(pieces).toString(), lines.join(''));
  t.same(ended, [[undefined, true]]);
});

t.test('a stream may be longer than the limit of one event', async (t) => {
  const event = `data: ${'x'.repeat(60_000)}\n\n`;
  const { request, url } = await openReader(t, (response) => {
    events(response);
    response.end(event.repeat(5));
  });
  t.equal((await readText((await request(url)).body)).length, 5 * event.length);
  const large = await openReader(t, (response) => {
    events(response);
    response.end(`data: ${'x'.repeat(200_000)}\n\n`);
  });
  await t.rejects(readText((await large.request(large.url)).body), { code: 'UPSTREAM_ANSWER_TOO_LARGE' });
});

t.test('cancelling a stream closes it at the server', async (t) => {
  const closed = Promise.withResolvers<void>();
  const { request, url } = await openReader(t, (response) => {
    events(response);
    response.write('data: 1\n\n');
    response.on('close', () => closed.resolve());
  });
  const ended: unknown[] = [];
  const { body } = await request(url, {}, { onStreamEnd: (...problem) => ended.push(problem) });
  if (!(body instanceof ReadableStream)) return t.fail('no stream');
  for await (const _ of body) break;
  await closed.promise;
  t.same(ended, [], 'the stream did not end by itself');
});

t.test('an abort is reported with its reason, before the response and within a stream', async (t) => {
  const reason = new Error('enough');
  const silent = await openReader(t, () => {});
  const controller = new AbortController();
  const waiting = silent.request(silent.url, { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 20);
  await t.rejects(waiting, reason);
  await t.rejects(silent.request(silent.url, { signal: AbortSignal.abort(reason) }), reason);
  const pending = await openReader(t, (response) => {
    events(response);
    response.write('data: 1\n\n');
  });
  const later = new AbortController();
  const { body } = await pending.request(pending.url, { signal: later.signal });
  const reading = readText(body);
  later.abort(reason);
  await t.rejects(reading, reason);
});

t.test('a broken connection is an error of the response or of its stream, read or not', async (t) => {
  const brokenServer = await openReader(t, (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
    response.write('{"a":');
    setTimeout(() => response.destroy(), 20);
  });
  await t.rejects(brokenServer.request(brokenServer.url), { code: 'UND_ERR_SOCKET' });
  const stream = await openReader(t, (response) => {
    events(response);
    response.write('data: 1\n\n');
    setTimeout(() => response.destroy(), 20);
  });
  const ended = Promise.withResolvers<boolean>();
  const { body } = await stream.request(
    stream.url,
    {},
    { onStreamEnd: (problem) => ended.resolve(problem !== undefined) },
  );
  t.equal(await ended.promise, true, 'also when the stream is not read');
  await t.rejects(readText(body));
});

t.test('invalid headers and URLs are rejected', async (t) => {
  const { request, url } = await openReader(t, (response) => response.end());
  await t.rejects(request(url, { headers: { 'bad header': 'x' } }));
  await t.rejects(request(url, { headers: { a: 'line\nbreak' } }));
});

t.test('a smaller limit bounds successful responses and leaves error responses readable', async (t) => {
  let status = 200;
  const { request, url } = await openReader(t, (response) => response.writeHead(status).end('x'.repeat(50_000)));
  const options = { maxBytes: 10_000 };
  await t.rejects(request(url, {}, options), { code: 'UPSTREAM_ANSWER_TOO_LARGE', message: /larger than 0.01 MB/ });
  for (status of [400, 401, 404, 500]) t.match(await request(url, {}, options), { status, body: /^x{50000}$/ });
});

t.test('chunks of one byte reach the consumer together, and the limit counts each event anew', async (t) => {
  const text = 'data: {"a":1}\r\n\r\n'.repeat(5000);
  const { request, url } = await openReader(
    t,
    (response) => {
      events(response);
      response.flushHeaders();
      response.socket?.write(`${text.replaceAll(/[\s\S]/g, '1\r\n$&\r\n')}0\r\n\r\n`);
    },
    20_000,
  );
  const { body } = await request(url);
  if (!(body instanceof ReadableStream)) throw new TypeError('no stream');
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  t.equal(Buffer.concat(pieces).toString('utf8'), text);
  t.ok(pieces.length < 1000, `${pieces.length} pieces for ${text.length} chunks`);
});
