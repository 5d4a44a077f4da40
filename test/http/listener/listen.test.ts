import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { listen } from '../../../src/http/listener/listen.ts';
import { createMemoryLog } from '../memory-log.ts';
import { openConnection, startListener } from '../test-listener.ts';

const hello = async (): Promise<Response> => new Response('hello');
const listenOptions = { handler: hello, clock: systemClock, random: systemRandom, log: createMemoryLog().log };
const get = (path = '/', extraHeaders = ''): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${extraHeaders}\r\n`;

t.test('it listens at its reported address', async (t) => {
  const { url, address } = await startListener(t, hello);
  t.match(address, { host: '127.0.0.1' });
  t.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  t.equal(await (await fetch(url)).text(), 'hello');
});

t.test('every response has the security headers, a refusal too', async (t) => {
  const { url, port } = await startListener(t, hello);
  for (const headers of [(await fetch(url)).headers, (await fetch(url, { headers: { origin: 'null' } })).headers]) {
    t.match(Object.fromEntries(headers), {
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-request-id': /^[\w-]{8}-\d$/,
    });
  }
  t.match(
    await openConnection(t, port, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n').waitFor('REQUEST_INVALID'),
    /nosniff/,
  );
});

t.test('a page may set its own content security policy', async (t) => {
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  const { url } = await startListener(
    t,
    async () => new Response('', { headers: { 'content-security-policy': policy } }),
  );
  t.equal((await fetch(url)).headers.get('content-security-policy'), policy);
});

t.test('a request id is returned, a harmful one is replaced', async (t) => {
  const requestIds: (string | undefined)[] = [];
  const { url } = await startListener(t, async (_request, { requestId }) => {
    requestIds.push(requestId);
    return new Response();
  });
  const response = await fetch(url, { headers: { 'x-request-id': 'tr-1:a.b_c' } });
  t.equal(response.headers.get('x-request-id'), 'tr-1:a.b_c');
  const replaced = await fetch(url, { headers: { 'x-request-id': '"}, {"level": "error"' } });
  t.same(requestIds, ['tr-1:a.b_c', replaced.headers.get('x-request-id')]);
});

t.test('other hosts and origins are refused before the handler', async (t) => {
  let calls = 0;
  const count = async (): Promise<Response> => {
    calls += 1;
    return new Response();
  };
  const { port } = await startListener(t, count, { publicUrls: [new URL('https://vp.example.com')] });
  const evil = await openConnection(t, port, 'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n').waitFor('"code"');
  t.match(evil, /^HTTP\/1\.1 421 [\s\S]*HOST_REFUSED/);
  const absolute = await openConnection(
    t,
    port,
    'GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n',
  ).waitFor('"code"');
  t.match(absolute, /^HTTP\/1\.1 421/);
  const page = await openConnection(t, port, get('/', 'Origin: http://localhost:1\r\n')).waitFor('"code"');
  t.match(page, /^HTTP\/1\.1 403 [\s\S]*ORIGIN_REFUSED/);
  t.equal(calls, 0);
  t.match(
    await openConnection(t, port, get('/', `Origin: http://localhost:${port}\r\n`)).waitFor('\r\n\r\n'),
    /^HTTP\/1\.1 200/,
  );
  const known = 'GET / HTTP/1.1\r\nHost: vp.example.com\r\nOrigin: https://vp.example.com\r\n\r\n';
  t.match(await openConnection(t, port, known).waitFor('\r\n\r\n'), /^HTTP\/1\.1 200/);
});

t.test('a malformed request is refused, and the next one handled', async (t) => {
  const { port, url, lines } = await startListener(t, hello);
  t.match(await openConnection(t, port, 'nonsense\r\n\r\n').waitForEnd(), /^HTTP\/1\.1 400/);
  t.match(await openConnection(t, port, 'GET / HTTP/1.1\r\n\r\n').waitForEnd(), /^HTTP\/1\.1 400/, 'no Host');
  t.match(
    await openConnection(t, port, 'GET / HTTP/1.0\r\n\r\n').waitForEnd(),
    /^HTTP\/1\.1 400/,
    'no Host, and an old version',
  );
  t.match(await openConnection(t, port, get('/a\\b')).waitFor('REQUEST_INVALID'), /^HTTP\/1\.1 400/);
  const both = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n';
  t.match(await openConnection(t, port, both).waitForEnd(), /^HTTP\/1\.1 400/, 'two lengths');
  t.equal(await (await fetch(url)).text(), 'hello');
  t.same(lines, []);
});

t.test('headers that are too large or too many are refused', async (t) => {
  const { port } = await startListener(t, hello, { limits: { headerLines: 20 } });
  t.match(
    await openConnection(t, port, get('/', `X-Large: ${'x'.repeat(20_000)}\r\n`)).waitForEnd(),
    /^HTTP\/1\.1 431/,
  );
  const many = Array.from({ length: 30 }, (_, index) => `X-${index}: 1\r\n`).join('');
  t.match(await openConnection(t, port, get('/', many)).waitForEnd(), /^HTTP\/1\.1 431/);
  const few = Array.from({ length: 15 }, (_, index) => `X-${index}: 1\r\n`).join('');
  t.match(await openConnection(t, port, get('/', few)).waitFor('hello'), /^HTTP\/1\.1 200/);
});

t.test('a caller who sends headers or a body slowly is cut off', async (t) => {
  const limits = { headersMs: 60, requestMs: 90, checkEveryMs: 10 };
  const { port } = await startListener(t, async (request) => new Response(await request.text()), { limits });
  t.match(await openConnection(t, port, 'GET / HTTP/1.1\r\nHost: loc').waitForEnd(), /^HTTP\/1\.1 408/);
  const slow = openConnection(t, port, 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc');
  const drip = setInterval(() => slow.socket.write('x'), 10);
  t.match(await slow.waitForEnd(), /^HTTP\/1\.1 408/);
  clearInterval(drip);
});

t.test('an idle connection is closed', async (t) => {
  const never = (): Promise<Response> => new Promise(() => undefined);
  const { port } = await startListener(t, never, { limits: { stalledMs: 50 } });
  t.equal(await openConnection(t, port, get()).waitForEnd(), '');
});

t.test('an exception of a handler becomes INTERNAL and is logged', async (t) => {
  const { url, lines } = await startListener(t, async () => {
    throw new Error('secret');
  });
  const response = await fetch(url);
  t.equal(response.status, 500);
  t.notMatch(await response.text(), /secret/);
  t.match(lines, [{ message: 'a handler failed' }]);
});

t.test('a disconnecting caller aborts the request', async (t) => {
  const entered = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const { url } = await startListener(t, (request) => {
    entered.resolve();
    request.signal.addEventListener('abort', () => aborted.resolve());
    return new Promise(() => undefined);
  });
  const controller = new AbortController();
  const rejection = t.rejects(fetch(url, { signal: controller.signal }));
  await entered.promise;
  controller.abort();
  await rejection;
  await aborted.promise;
});

t.test('closing finishes open requests, refuses new ones, and closes idle connections', async (t) => {
  const inside = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const listener = await startListener(t, async (_request, { closing }) => {
    inside.resolve();
    await finish.promise;
    return new Response(`closing: ${closing?.aborted}`);
  });
  const idle = openConnection(t, listener.port, '');
  const activeConnection = openConnection(t, listener.port, get());
  await inside.promise;
  const closed = listener.close();
  t.equal(await idle.waitForEnd(), '');
  const late = openConnection(t, listener.port, get());
  t.equal(await late.waitForEnd(), '', 'nobody accepts any more');
  activeConnection.socket.write(get('/second'));
  finish.resolve();
  t.match(await activeConnection.waitForEnd(), /closing: true/);
  await closed;
  await listener.close();
});

t.test('a new request on an open connection of a closing listener gets SHUTTING_DOWN', async (t) => {
  const inside = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const listener = await startListener(t, async () => {
    inside.resolve();
    await finish.promise;
    return new Response('first');
  });
  const connection = openConnection(t, listener.port, get());
  await inside.promise;
  const closed = listener.close();
  connection.socket.write(get('/second'));
  setTimeout(finish.resolve, 20);
  t.match(await connection.waitForEnd(), /first[\s\S]*HTTP\/1\.1 503 [\s\S]*SHUTTING_DOWN/);
  await closed;
});

t.test('closing terminates requests that do not end in time', async (t) => {
  const inside = Promise.withResolvers<void>();
  const listener = await startListener(t, () => {
    inside.resolve();
    return new Promise(() => undefined);
  });
  const stuck = openConnection(t, listener.port, get());
  await inside.promise;
  await listener.close(30);
  t.equal(await stuck.waitForEnd(), '');
});

t.test('a port in use is reported, with the fix', async (t) => {
  const { address, port } = await startListener(t, hello);
  t.match(address, { port });
  await t.rejects(listen({ host: '127.0.0.1', port, ...listenOptions }), {
    code: 'LISTEN_ADDRESS_TAKEN',
    message: `127.0.0.1:${port} is held by another process`,
  });
  await t.rejects(listen({ host: '192.0.2.1', port: 0, ...listenOptions }), {
    code: 'LISTEN_REFUSED',
    message: 'cannot listen on 192.0.2.1:0: this machine does not have that address',
  });
});

t.test('an invalid port is refused like any other address', async (t) => {
  for (const port of [65_536, -1, 1.5]) {
    const refused = listen({ host: '127.0.0.1', port, ...listenOptions });
    await t.rejects(refused, { code: 'LISTEN_REFUSED', message: /a port must be an integer from 0 to 65535/ });
  }
});

t.test('an IPv6 address is written in brackets', async (t) => {
  try {
    for (const host of ['::1', '[::1]']) {
      const listener = await listen({ host, port: 0, ...listenOptions });
      t.match(listener.url, /^http:\/\/\[::1\]:\d+$/);
      await listener.close();
    }
  } catch (error) {
    t.match(error, { code: 'LISTEN_REFUSED' }, 'a machine without IPv6');
  }
});

t.test('a unix socket is private to its user, and removed with its listener', async (t) => {
  const socketPath = join(shortFolder(t), 'vp.sock');
  const listener = await startListener(t, hello, { socketPath });
  t.equal(listener.url, `unix:${socketPath}`);
  t.equal(statSync(socketPath).mode & 0o777, 0o600);
  t.match(await openConnection(t, socketPath, get()).waitFor('hello'), /^HTTP\/1\.1 200/);
  await listener.close();
  t.notOk(existsSync(socketPath));
});

t.test('a stale socket file is replaced; a socket in use, or another file, is not', async (t) => {
  const folder = shortFolder(t);
  writeFileSync(join(folder, 'a-file'), 'precious');
  const socketPath = join(folder, 'vp.sock');
  await createStaleSocket(socketPath);
  t.ok(existsSync(socketPath));
  const listener = await startListener(t, hello, { socketPath });
  await t.rejects(startListener(t, hello, { socketPath }), { code: 'LISTEN_ADDRESS_TAKEN' });
  await t.rejects(startListener(t, hello, { socketPath: join(folder, 'a-file') }), { code: 'LISTEN_ADDRESS_TAKEN' });
  t.equal(statSync(join(folder, 'a-file')).size, 8);
  await t.rejects(startListener(t, hello, { socketPath: join(folder, 'none', 'vp.sock') }), { code: 'LISTEN_REFUSED' });
  await listener.close();
});

/** The system bounds the path of a socket at about 100 bytes, which a folder named after its test exceeds. */
function shortFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'vp-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function createStaleSocket(socketPath: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(`${socketPath}-`, resolve));
  renameSync(`${socketPath}-`, socketPath);
  // Closing removes the file under the name it was made with.
  writeFileSync(`${socketPath}-`, '');
  await new Promise((resolve) => server.close(resolve));
}
