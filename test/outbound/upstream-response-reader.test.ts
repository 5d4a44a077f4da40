/**
 * Responses as text, as streams, and broken off by either side.
 * Own process: the flags of V8 are looked at.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cachedDataVersionTag } from 'node:v8';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { createGuardedFetch, type GuardedFetch } from '../../src/outbound/guarded-fetch.ts';
import { eventually } from '../eventually.ts';

/** It is computed from the flags of V8. */
const initialTag = cachedDataVersionTag();

type Serve = (response: ServerResponse) => unknown;

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
});

t.test('large JSON is returned in bytes where that is wanted, and everything else as text', async (t) => {
  const text = JSON.stringify('ab'.repeat(1000));
  const serve = (status: number, type: string): Serve => {
    return (response) => response.writeHead(status, { 'Content-Type': type }).end(text);
  };
  for (const [status, type, bytesFrom, isBytes] of [
    [200, 'application/json', 2002, true],
    [200, 'application/json; charset=utf-8', 2, true],
    [200, 'application/json', 2003, false],
    [200, 'application/json', undefined, false],
    [500, 'application/json', 2, false],
    [200, 'text/plain', 2, false],
  ] as const) {
    const { request, url } = await openReader(t, serve(status, type));
    const { body } = await request(url, {}, { bytesFrom });
    t.equal(body instanceof Uint8Array, isBytes, `${status} ${type} ${bytesFrom}`);
    t.equal(body instanceof Uint8Array ? Buffer.from(body).toString() : body, text);
  }
});

t.test('JSON with a byte order mark is returned as text without it', async (t) => {
  const { request, url } = await openReader(t, (response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('\ufeff"a"'),
  );
  t.equal((await request(url, {}, { bytesFrom: 1 })).body, '"a"');
});

t.test('JSON that is not ASCII is returned as text', async (t) => {
  const bytes = Buffer.from('"\u00e9"', 'latin1');
  const { request, url } = await openReader(t, (response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(bytes),
  );
  t.equal((await request(url, {}, { bytesFrom: 1 })).body, '"\ufffd"');
});

t.test('an abort between two pieces is reported', async (t) => {
  const controller = new AbortController();
  // More than one piece, and no end.
  const { request, url } = await openReader(
    t,
    (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write('x'.repeat(2_000_000), () => controller.abort(new Error('enough')));
    },
    10_000_000,
  );
  await t.rejects(request(url, { signal: controller.signal }), { message: 'enough' });
});

t.test('a missing body differs from an empty text', async (t) => {
  const none = await openReader(t, (response) => response.writeHead(204).end());
  t.equal((await none.request(none.url)).body, null);
  t.equal((await none.fetch(none.url)).status, 204);
  const empty = await openReader(t, (response) => response.writeHead(202).end());
  t.equal((await empty.request(empty.url)).body, '');
  t.equal(await (await empty.fetch(empty.url)).text(), '');
});

t.test('a stream that is read slowly arrives complete and in order', async (t) => {
  const lines = Array.from({ length: 3000 }, (_, index) => `id: ${index}\ndata: ${'x'.repeat(100)}\n\n`);
  const { request, url } = await openReader(t, (response) => {
    events(response);
    for (const line of lines) response.write(line);
    response.end();
  });
  const { body } = await request(url);
  if (!(body instanceof ReadableStream)) return t.fail('no stream');
  const pieces: Uint8Array[] = [];
  for await (const piece of body) {
    pieces.push(piece);
    await sleep(1);
  }
  t.equal(Buffer.concat(pieces).toString(), lines.join(''));
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
  const { body } = await request(url);
  if (!(body instanceof ReadableStream)) return t.fail('no stream');
  for await (const _ of body) break;
  await closed.promise;
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
  const { body } = await stream.request(stream.url);
  await t.rejects(readText(body));
  const consumer = createConsumer();
  t.match(await stream.request(stream.url, {}, { createConsumer: () => consumer }), { status: 200, body: null });
  t.match(await consumer.ended, { code: 'UND_ERR_SOCKET' });
  t.equal(consumer.text(), 'data: 1\n\n');
});

/** Collects an event stream; needs no more once it has `lastText`. */
function createConsumer(lastText?: string) {
  const ended = Promise.withResolvers<unknown>();
  let text = '';
  return {
    ended: ended.promise,
    text: () => text,
    onBytes(bytes: Uint8Array): boolean {
      text += Buffer.from(bytes).toString();
      return lastText === undefined || !text.includes(lastText);
    },
    onEnd: (problem: unknown) => ended.resolve(problem),
  };
}

/** Is full after its first bytes; has enough when it goes on. */
function createPausingConsumer(lastText: string) {
  const inner = createConsumer(lastText);
  let onReady = (): void => {};
  let isFull = false;
  return {
    onEnd: inner.onEnd,
    onBytes(bytes: Uint8Array): boolean {
      const needsMore = inner.onBytes(bytes);
      isFull = bytes.length > 0;
      return isFull || needsMore;
    },
    get isFull(): boolean {
      return isFull;
    },
    onceReady(listener: () => void): void {
      onReady = listener;
    },
    goOn: () => onReady(),
  };
}

t.test('a consumer gets an event stream, and an error response is read as ever', async (t) => {
  let status = 200;
  const { request, url } = await openReader(t, (response) => {
    response.writeHead(status, { 'Content-Type': 'text/event-stream' });
    response.write('data: 1\n\n');
    setImmediate(() => response.end('data: 2\n\n'));
  });
  const consumer = createConsumer();
  await request(url, {}, { createConsumer: () => consumer });
  t.equal(await consumer.ended, undefined);
  t.equal(consumer.text(), 'data: 1\n\ndata: 2\n\n');
  status = 400;
  const other = createConsumer();
  const response = await request(url, {}, { createConsumer: () => other });
  t.equal(await readText(response.body), consumer.text());
  t.equal(other.text(), '', 'an error has no consumer');
});

t.test('a connection is used again when the stream ends after its consumer had enough', async (t) => {
  const sockets: unknown[] = [];
  let finish = (): void => {};
  const { request, url } = await openReader(t, (response) => {
    sockets.push(response.socket);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: last\n\n');
    finish = () => response.end(': the end\n\n');
  });
  const call = async (): Promise<boolean> => {
    const consumer = createConsumer('last');
    await request(url, {}, { createConsumer: () => consumer });
    await eventually(() => consumer.text().includes('last'));
    finish();
    return sockets.length > new Set(sockets).size;
  };
  t.ok(await eventually(call, { description: 'a socket serves a second call' }));
});

t.test('a connection is used again when its consumer had enough of a stream that it had paused', async (t) => {
  const sockets: (Socket | null)[] = [];
  let finish = (): void => {};
  const { request, url } = await openReader(t, (response) => {
    sockets.push(response.socket);
    if (sockets.length > 1) return response.end('{}');
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: last\n\n');
    finish = () => response.write(': more\n\n', () => response.end(': the end\n\n'));
  });
  const consumer = createPausingConsumer('last');
  await request(url, {}, { createConsumer: () => consumer });
  await eventually(() => consumer.isFull);
  finish();
  consumer.goOn();
  const [first] = sockets;
  const isOver = async (): Promise<boolean> => {
    await request(url);
    return first?.destroyed === true || sockets.at(-1) === first;
  };
  await eventually(isOver);
  t.equal(sockets.at(-1), first);
});

t.test('a stream whose consumer pauses at any time arrives complete and in order', async (t) => {
  let answer: Serve = events;
  const { request, url } = await openReader(t, (response) => answer(response), 3_000_000);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 12 }),
      async (pieces) => {
        const texts = pieces.map(([power], index) => `data: ${index} ${'x'.repeat(10 ** power)}\n\n`);
        answer = async (response) => {
          events(response);
          for (const [index, [, , isLate]] of pieces.entries()) {
            if (isLate) await new Promise(setImmediate);
            response.write(texts[index]);
          }
          response.end();
        };
        const received: string[] = [];
        let isFull = false;
        const ended = Promise.withResolvers<unknown>();
        const ready: (() => void)[] = [];
        let count = 0;
        await request(
          url,
          {},
          {
            createConsumer: () => ({
              onBytes(bytes) {
                received.push(Buffer.from(bytes).toString());
                if (bytes.length > 0 && pieces[count++ % pieces.length]?.[1]) {
                  isFull = true;
                  setImmediate(() => {
                    isFull = false;
                    for (const listener of ready.splice(0)) listener();
                  });
                }
                return true;
              },
              get isFull() {
                return isFull;
              },
              onceReady: (listener) => void ready.push(listener),
              onEnd: ended.resolve,
            }),
          },
        );
        t.equal(await ended.promise, undefined);
        return received.join('') === texts.join('');
      },
    ),
    { numRuns: 60 },
  );
});

t.test('a stream that goes on after its consumer had enough is aborted', async (t) => {
  for (const text of ['', `data: ${'x'.repeat(70_000)}\n\n`]) {
    const closed = Promise.withResolvers<void>();
    const { request, url } = await openReader(t, (response) => {
      events(response);
      response.write('data: last\n\n');
      response.on('close', () => closed.resolve());
      setImmediate(() => response.write(`: more\n\n${text}`));
    });
    await request(url, {}, { createConsumer: () => createConsumer('last') });
    await closed.promise;
  }
});

t.test('invalid headers and URLs are rejected', async (t) => {
  const { request, url } = await openReader(t, (response) => response.end());
  await t.rejects(request(url, { headers: { 'bad header': 'x' } }));
  await t.rejects(request(url, { headers: { a: 'line\nbreak' } }));
});

t.test('the heap may grow while a large response is read, also one that is refused', async (t) => {
  await eventually(() => cachedDataVersionTag() === initialTag);
  const serve: Serve = (response) => response.writeHead(200, { 'Transfer-Encoding': 'chunked' }).end('x'.repeat(3e6));
  const { request, url } = await openReader(t, serve, 2_000_000);
  await t.rejects(request(url), { code: 'UPSTREAM_ANSWER_TOO_LARGE' });
  t.not(cachedDataVersionTag(), initialTag);
  await eventually(() => cachedDataVersionTag() === initialTag);
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

t.test('a large response is not read on while others are not read, and goes on afterwards', async (t) => {
  const sent = { bytes: 0 };
  const piece = Buffer.alloc(100_000, 32);
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const pour = (): void => {
      for (; sent.bytes < 12_000_000; ) {
        sent.bytes += piece.length;
        if (!response.write(piece)) return void response.once('drain', pour);
      }
      response.end('{}');
    };
    pour();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  let mustWait = true;
  let looks = 0;
  const outward = createGuardedFetch({
    ...{ allowPrivate: true, extraRoots: [], variables: {}, answerLimitBytes: 20_000_000 },
    mustWait: () => {
      looks += 1;
      return mustWait;
    },
  });
  t.teardown(async () => {
    await outward.close();
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const responding = outward.request(url);
  t.ok(await eventually(() => looks > 3));
  const atPause = sent.bytes;
  t.ok(await eventually(() => looks > 6));
  // What the connection buffers is all that can follow.
  t.ok(sent.bytes < 12_000_000, `${atPause}, then ${sent.bytes}`);
  mustWait = false;
  t.equal(String((await responding).body).length, 12_000_002);
});
