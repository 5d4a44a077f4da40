import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { type LocalRequest, requestLocal } from '../../src/outbound/local-request.ts';
import { startRawTarget } from '../targets/raw-target.ts';

async function listen(t: Pick<Test, 'teardown'>, handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const send = (url: string, options: Partial<LocalRequest> = {}) =>
  requestLocal(url, { method: 'GET', headers: {}, signal: AbortSignal.timeout(10_000), ...options }, 100_000);

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method, headers } = request;
  response.end(JSON.stringify({ method, length: headers['content-length'], body: Buffer.concat(chunks).toString() }));
}

t.test('a body has its length, whatever the method, and the connection is used again', async (t) => {
  const ports = new Set<number | undefined>();
  const url = await listen(t, (request, response) => {
    ports.add(request.socket.remotePort);
    void echo(request, response);
  });
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    const response = await send(url, { method, body: '"ä"' });
    t.same(JSON.parse(await response.text()), { method, length: '4', body: '"ä"' });
  }
  const empty = await send(url, { method: 'POST' });
  t.same(JSON.parse(await empty.text()), { method: 'POST', length: '0', body: '' });
  t.equal(ports.size, 1);
});

t.test('an encoding that nothing asked for is decoded', async (t) => {
  const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
  const url = await listen(t, ({ url: path = '' }, response) => {
    const [, encoding = ''] = path.split('/');
    const encode = encoders[encoding as keyof typeof encoders];
    response.writeHead(200, { 'Content-Encoding': encoding }).end(encode?.('text') ?? 'no gzip');
  });
  for (const encoding of Object.keys(encoders)) t.equal(await (await send(url + encoding)).text(), 'text');
  for (const encoding of ['identity', 'zstd']) t.equal(await (await send(url + encoding)).text(), 'no gzip');
  await t.rejects((await send(`${url}X-GZIP`)).text(), { message: 'terminated' });
  const empty = await listen(t, (_, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end());
  t.equal(await (await send(empty)).text(), '');
});

for (const encoding of ['identity', 'gzip'])
  t.test(`a stream (${encoding}) is read as it arrives, and cancelled while it is read`, async (t) => {
    const ended = Promise.withResolvers<void>();
    const url = await listen(t, (_, response) => {
      response.writeHead(200, { 'Content-Encoding': encoding });
      response.write(encoding === 'gzip' ? gzipSync('first') : 'first');
      response.once('close', ended.resolve);
    });
    const reader = (await send(url)).body.getReader();
    const { done, value } = await reader.read();
    t.same([done, Buffer.from(value ?? []).toString()], [false, 'first']);
    const next = reader.read();
    await reader.cancel();
    t.equal((await next).done, true);
    await ended.promise;
  });

t.test('a response that switches protocols is an error', async (t) => {
  const target = await startRawTarget((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  );
  t.teardown(() => target.close());
  await t.rejects(send(`${target.origin}/`), { message: 'fetch failed', cause: { code: 'ECONNRESET' } });
});

t.test('a connection that has spoken HTTP before is not taken for one that speaks TLS', async (t) => {
  let requests = 0;
  const url = await listen(t, (request, response) => {
    requests += 1;
    if (requests === 1) response.end('first');
    else request.socket.destroy();
  });
  t.equal(await (await send(url)).text(), 'first');
  await t.rejects(send(url), { cause: { code: 'ECONNRESET', message: 'a connection in use has ended' } });
  await t.rejects(send(url), { cause: { code: 'ECONNRESET', message: 'socket hang up' } });
});

t.test('who aborts ends the request before and after its response', async (t) => {
  const url = await listen(t, ({ url: path }, response) => {
    if (path === '/stream') response.write('first');
  });
  const early = new AbortController();
  const waiting = send(url, { signal: early.signal });
  early.abort();
  await t.rejects(waiting, { name: 'AbortError' });
  await t.rejects(send(url, { signal: early.signal }), { name: 'AbortError' });
  const late = new AbortController();
  const text = (await send(`${url}stream`, { signal: late.signal })).text();
  late.abort(new Error('enough'));
  await t.rejects(text, { message: 'enough' });
});

t.test('a response that breaks off is an error, also where nobody reads it', async (t) => {
  const url = await listen(t, (_, response) => {
    response.writeHead(200, { 'Content-Length': '100' }).write('part');
    setImmediate(() => response.destroy());
  });
  await send(url);
  const isTypeError = (error: unknown): boolean => error instanceof TypeError;
  const refused = await send('http://127.0.0.1:1/').catch((error: unknown) => error);
  const terminated = await (await send(url)).text().catch((error: unknown) => error);
  t.match(refused, { message: 'fetch failed', cause: { code: 'ECONNREFUSED' } });
  t.match(terminated, { message: 'terminated', cause: { code: 'ECONNRESET' } });
  t.ok([refused, terminated].every(isTypeError), 'the errors are those of fetch');
  await t.rejects(send(url, { headers: { 'bad header': 'x' } }), { message: 'fetch failed' });
});
