/** Answers as they arrive: whole, as streams, broken off by either side. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type GuardedFetch, guardedFetch } from '../../src/outbound/guarded-fetch.ts';

type Serve = (response: ServerResponse) => void;

/** A server that answers so, and a way to ask it. */
async function asking(
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
  const outward = guardedFetch({ allowPrivate: true, extraRoots: [], variables: {}, answerLimitBytes });
  t.teardown(async () => {
    await outward.close();
    server.close();
    server.closeAllConnections();
  });
  return { ...outward, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const events: Serve = (response) => response.writeHead(200, { 'Content-Type': 'text/event-stream' });

async function textOf(body: unknown): Promise<string> {
  if (!(body instanceof ReadableStream)) throw new TypeError('no stream');
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

t.test('a text is given whole, without the mark that some begin with', async (t) => {
  const { ask, url } = await asking(t, (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Set-Cookie': 'a=b', 'Mcp-Session-Id': 's' });
    response.write('\uFEFF{"a":');
    setImmediate(() => response.end('"ä€"}'));
  });
  const answer = await ask(url);
  t.same(answer, {
    status: 200,
    headers: { 'content-type': 'application/json', 'mcp-session-id': 's' },
    body: '{"a":"ä€"}',
  });
});

t.test('a large text is read in pieces, and whole', async (t) => {
  const text = JSON.stringify(Array.from({ length: 400_000 }, (_, at) => at));
  const serve: Serve = (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
  const { ask, url } = await asking(t, serve, 10_000_000);
  const [first, second] = await Promise.all([ask(url), ask(url)]);
  t.ok(text.length > 2_000_000);
  t.equal(first.body, text);
  t.equal(second.body, text);
  const leaving = new AbortController();
  const left = ask(url, { signal: leaving.signal });
  setTimeout(() => leaving.abort(new Error('enough')), 10);
  await t.rejects(left, { message: 'enough' }, 'also between two pieces');
});

t.test('nothing is nothing, and an empty text is one', async (t) => {
  const none = await asking(t, (response) => response.writeHead(204).end());
  t.equal((await none.ask(none.url)).body, null);
  t.equal((await none.fetch(none.url)).status, 204);
  const empty = await asking(t, (response) => response.writeHead(202).end());
  t.equal((await empty.ask(empty.url)).body, '');
  t.equal(await (await empty.fetch(empty.url)).text(), '');
});

t.test('a stream that is read slowly arrives whole and in order, and its end is told', async (t) => {
  const lines = Array.from({ length: 3000 }, (_, at) => `id: ${at}\ndata: ${'x'.repeat(100)}\n\n`);
  const { ask, url } = await asking(t, (response) => {
    events(response);
    for (const line of lines) response.write(line);
    response.end();
  });
  const ended: unknown[] = [];
  const { body } = await ask(url, {}, { onStreamEnd: (...told) => ended.push(told) });
  if (!(body instanceof ReadableStream)) return t.fail('no stream');
  const pieces: Uint8Array[] = [];
  for await (const piece of body) {
    pieces.push(piece);
    await sleep(1);
  }
  t.equal(Buffer.concat(pieces).toString(), lines.join(''));
  t.same(ended, [[undefined, true]]);
});

t.test('a stream may be longer than what one event may be', async (t) => {
  const event = `data: ${'x'.repeat(60_000)}\n\n`;
  const { ask, url } = await asking(t, (response) => {
    events(response);
    response.end(event.repeat(5));
  });
  t.equal((await textOf((await ask(url)).body)).length, 5 * event.length);
  const large = await asking(t, (response) => {
    events(response);
    response.end(`data: ${'x'.repeat(200_000)}\n\n`);
  });
  await t.rejects(textOf((await large.ask(large.url)).body), { code: 'UPSTREAM_ANSWER_TOO_LARGE' });
});

t.test('whoever leaves a stream ends it at its server', async (t) => {
  const closed = Promise.withResolvers<void>();
  const { ask, url } = await asking(t, (response) => {
    events(response);
    response.write('data: 1\n\n');
    response.on('close', () => closed.resolve());
  });
  const ended: unknown[] = [];
  const { body } = await ask(url, {}, { onStreamEnd: (...told) => ended.push(told) });
  if (!(body instanceof ReadableStream)) return t.fail('no stream');
  for await (const _ of body) break;
  await closed.promise;
  t.same(ended, [], 'it did not end by itself');
});

t.test('whoever stops waiting is told why, before the answer and in the midst of a stream', async (t) => {
  const why = new Error('enough');
  const silent = await asking(t, () => {});
  const leaving = new AbortController();
  const waiting = silent.ask(silent.url, { signal: leaving.signal });
  setTimeout(() => leaving.abort(why), 20);
  await t.rejects(waiting, why);
  await t.rejects(silent.ask(silent.url, { signal: AbortSignal.abort(why) }), why);
  const going = await asking(t, (response) => {
    events(response);
    response.write('data: 1\n\n');
  });
  const later = new AbortController();
  const { body } = await going.ask(going.url, { signal: later.signal });
  const reading = textOf(body);
  later.abort(why);
  await t.rejects(reading, why);
});

t.test('a connection that breaks is an error of the answer or of its stream, read or not', async (t) => {
  const broken = await asking(t, (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
    response.write('{"a":');
    setTimeout(() => response.destroy(), 20);
  });
  await t.rejects(broken.ask(broken.url), { code: 'UND_ERR_SOCKET' });
  const stream = await asking(t, (response) => {
    events(response);
    response.write('data: 1\n\n');
    setTimeout(() => response.destroy(), 20);
  });
  const ended = Promise.withResolvers<boolean>();
  const { body } = await stream.ask(stream.url, {}, { onStreamEnd: (problem) => ended.resolve(problem !== undefined) });
  t.equal(await ended.promise, true, 'also where nobody reads');
  await t.rejects(textOf(body));
});

t.test('headers and addresses that cannot be sent are refused', async (t) => {
  const { ask, url } = await asking(t, (response) => response.end());
  await t.rejects(ask(url, { headers: { 'bad header': 'x' } }));
  await t.rejects(ask(url, { headers: { a: 'line\nbreak' } }));
});

t.test('what is wanted at most bounds answers, and leaves refusals to be understood', async (t) => {
  let status = 200;
  const { ask, url } = await asking(t, (response) => response.writeHead(status).end('x'.repeat(50_000)));
  const wishes = { mostBytes: 10_000 };
  await t.rejects(ask(url, {}, wishes), { code: 'UPSTREAM_ANSWER_TOO_LARGE', message: /larger than 0.01 MB/ });
  for (status of [400, 401, 404, 500]) t.match(await ask(url, {}, wishes), { status, body: /^x{50000}$/ });
});
