import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { listen } from '../../src/http/listen.ts';
import { keptLog } from './kept-log.ts';
import { listening, wire } from './listening.ts';

const hello = async (): Promise<Response> => new Response('hello');
const rest = { handler: hello, clock: systemClock, random: systemRandom, log: keptLog().log };
const get = (path = '/', more = ''): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

t.test('it answers at the address it names', async (t) => {
  const { url, address } = await listening(t, hello);
  t.match(address, { host: '127.0.0.1' });
  t.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  t.equal(await (await fetch(url)).text(), 'hello');
});

t.test('every response has the security headers, a refusal too', async (t) => {
  const { url, port } = await listening(t, hello);
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
  t.match(await wire(t, port, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n').until('REQUEST_INVALID'), /nosniff/);
});

t.test('a page may loosen its own policy', async (t) => {
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  const { url } = await listening(t, async () => new Response('', { headers: { 'content-security-policy': policy } }));
  t.equal((await fetch(url)).headers.get('content-security-policy'), policy);
});

t.test('a request id that is sent comes back, one that could do harm is replaced', async (t) => {
  const seen: (string | undefined)[] = [];
  const { url } = await listening(t, async (_request, { requestId }) => {
    seen.push(requestId);
    return new Response();
  });
  const sent = await fetch(url, { headers: { 'x-request-id': 'tr-1:a.b_c' } });
  t.equal(sent.headers.get('x-request-id'), 'tr-1:a.b_c');
  const replaced = await fetch(url, { headers: { 'x-request-id': '"}, {"level": "error"' } });
  t.same(seen, ['tr-1:a.b_c', replaced.headers.get('x-request-id')]);
});

t.test('another host and another origin are refused before anyone looks', async (t) => {
  let asked = 0;
  const count = async (): Promise<Response> => {
    asked += 1;
    return new Response();
  };
  const { port } = await listening(t, count, { publicUrls: [new URL('https://vp.example.com')] });
  const evil = await wire(t, port, 'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n').until('"code"');
  t.match(evil, /^HTTP\/1\.1 421 [\s\S]*HOST_REFUSED/);
  const absolute = await wire(t, port, 'GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n').until('"code"');
  t.match(absolute, /^HTTP\/1\.1 421/);
  const page = await wire(t, port, get('/', 'Origin: http://localhost:1\r\n')).until('"code"');
  t.match(page, /^HTTP\/1\.1 403 [\s\S]*ORIGIN_REFUSED/);
  t.equal(asked, 0);
  t.match(await wire(t, port, get('/', `Origin: http://localhost:${port}\r\n`)).until('\r\n\r\n'), /^HTTP\/1\.1 200/);
  const known = 'GET / HTTP/1.1\r\nHost: vp.example.com\r\nOrigin: https://vp.example.com\r\n\r\n';
  t.match(await wire(t, port, known).until('\r\n\r\n'), /^HTTP\/1\.1 200/);
});

t.test('what is no request is refused, and the next one answered', async (t) => {
  const { port, url, lines } = await listening(t, hello);
  t.match(await wire(t, port, 'nonsense\r\n\r\n').ended(), /^HTTP\/1\.1 400/);
  t.match(await wire(t, port, 'GET / HTTP/1.1\r\n\r\n').ended(), /^HTTP\/1\.1 400/, 'no Host');
  t.match(await wire(t, port, 'GET / HTTP/1.0\r\n\r\n').ended(), /^HTTP\/1\.1 400/, 'no Host, and an old version');
  t.match(await wire(t, port, get('/a\\b')).until('REQUEST_INVALID'), /^HTTP\/1\.1 400/);
  const both = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n';
  t.match(await wire(t, port, both).ended(), /^HTTP\/1\.1 400/, 'two lengths');
  t.equal(await (await fetch(url)).text(), 'hello');
  t.same(lines, []);
});

t.test('headers that are too large or too many are refused', async (t) => {
  const { port } = await listening(t, hello, { limits: { headerLines: 20 } });
  t.match(await wire(t, port, get('/', `X-Large: ${'x'.repeat(20_000)}\r\n`)).ended(), /^HTTP\/1\.1 431/);
  const many = Array.from({ length: 30 }, (_, index) => `X-${index}: 1\r\n`).join('');
  t.match(await wire(t, port, get('/', many)).ended(), /^HTTP\/1\.1 431/);
  const few = Array.from({ length: 15 }, (_, index) => `X-${index}: 1\r\n`).join('');
  t.match(await wire(t, port, get('/', few)).until('hello'), /^HTTP\/1\.1 200/);
});

t.test('a caller who sends headers or a body slowly is cut off', async (t) => {
  const limits = { headersMs: 60, requestMs: 90, checkEveryMs: 10 };
  const { port } = await listening(t, async (request) => new Response(await request.text()), { limits });
  t.match(await wire(t, port, 'GET / HTTP/1.1\r\nHost: loc').ended(), /^HTTP\/1\.1 408/);
  const slow = wire(t, port, 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc');
  const drip = setInterval(() => slow.socket.write('x'), 10);
  t.match(await slow.ended(), /^HTTP\/1\.1 408/);
  clearInterval(drip);
});

t.test('a connection on which nothing moves is closed', async (t) => {
  const never = (): Promise<Response> => new Promise(() => undefined);
  const { port } = await listening(t, never, { limits: { stalledMs: 50 } });
  t.equal(await wire(t, port, get()).ended(), '');
});

t.test('a handler that breaks is answered as INTERNAL and logged', async (t) => {
  const { url, lines } = await listening(t, async () => {
    throw new Error('secret');
  });
  const response = await fetch(url);
  t.equal(response.status, 500);
  t.notMatch(await response.text(), /secret/);
  t.match(lines, [{ message: 'a handler broke' }]);
});

t.test('a caller who leaves aborts the request', async (t) => {
  const aborted = Promise.withResolvers<void>();
  const { url } = await listening(t, (request) => {
    request.signal.addEventListener('abort', () => aborted.resolve());
    return new Promise(() => undefined);
  });
  const leaving = new AbortController();
  const asked = fetch(url, { signal: leaving.signal });
  setTimeout(() => leaving.abort(), 20);
  await t.rejects(asked);
  await aborted.promise;
});

t.test('closing answers what is begun, refuses what is new, and ends idle connections', async (t) => {
  const inside = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const listener = await listening(t, async (_request, { closing }) => {
    inside.resolve();
    await finish.promise;
    return new Response(`closing: ${closing?.aborted}`);
  });
  const idle = wire(t, listener.port, '');
  const begun = wire(t, listener.port, get());
  await inside.promise;
  const closed = listener.close();
  t.equal(await idle.ended(), '');
  const late = wire(t, listener.port, get());
  t.equal(await late.ended(), '', 'nobody accepts any more');
  begun.socket.write(get('/second'));
  finish.resolve();
  t.match(await begun.ended(), /closing: true/);
  await closed;
  await listener.close();
});

t.test('a request on an open connection of a closing listener is told to come back', async (t) => {
  const inside = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const listener = await listening(t, async () => {
    inside.resolve();
    await finish.promise;
    return new Response('first');
  });
  const wired = wire(t, listener.port, get());
  await inside.promise;
  const closed = listener.close();
  wired.socket.write(get('/second'));
  setTimeout(finish.resolve, 20);
  t.match(await wired.ended(), /first[\s\S]*HTTP\/1\.1 503 [\s\S]*SHUTTING_DOWN/);
  await closed;
});

t.test('closing cuts off what does not end in time', async (t) => {
  const inside = Promise.withResolvers<void>();
  const listener = await listening(t, () => {
    inside.resolve();
    return new Promise(() => undefined);
  });
  const stuck = wire(t, listener.port, get());
  await inside.promise;
  await listener.close(30);
  t.equal(await stuck.ended(), '');
});

t.test('a port that is held is named, with what to do', async (t) => {
  const { address, port } = await listening(t, hello);
  t.match(address, { port });
  await t.rejects(listen({ host: '127.0.0.1', port, ...rest }), {
    code: 'LISTEN_ADDRESS_TAKEN',
    message: `127.0.0.1:${port} is held by another process`,
  });
  await t.rejects(listen({ host: '192.0.2.1', port: 0, ...rest }), {
    code: 'LISTEN_REFUSED',
    message: 'cannot listen on 192.0.2.1:0: this machine does not have that address',
  });
});

t.test('what is no port is refused like any other address', async (t) => {
  for (const port of [65_536, -1, 1.5]) {
    const refused = listen({ host: '127.0.0.1', port, ...rest });
    await t.rejects(refused, { code: 'LISTEN_REFUSED', message: /a port is a whole number from 0 to 65535/ });
  }
});

t.test('an IPv6 address is written in brackets', async (t) => {
  try {
    for (const host of ['::1', '[::1]']) {
      const listener = await listen({ host, port: 0, ...rest });
      t.match(listener.url, /^http:\/\/\[::1\]:\d+$/);
      await listener.close();
    }
  } catch (error) {
    t.match(error, { code: 'LISTEN_REFUSED' }, 'a machine without IPv6');
  }
});

t.test('a unix socket is for its user only, and goes with its listener', async (t) => {
  const socketPath = join(shortFolder(t), 'vp.sock');
  const listener = await listening(t, hello, { socketPath });
  t.equal(listener.url, `unix:${socketPath}`);
  t.equal(statSync(socketPath).mode & 0o777, 0o600);
  t.match(await wire(t, socketPath, get()).until('hello'), /^HTTP\/1\.1 200/);
  await listener.close();
  t.notOk(existsSync(socketPath));
});

t.test('a socket file that nobody answers is replaced; one in use, or another file, is left', async (t) => {
  const folder = shortFolder(t);
  writeFileSync(join(folder, 'a-file'), 'precious');
  const socketPath = join(folder, 'vp.sock');
  await leaveBehind(socketPath);
  t.ok(existsSync(socketPath));
  const listener = await listening(t, hello, { socketPath });
  await t.rejects(listening(t, hello, { socketPath }), { code: 'LISTEN_ADDRESS_TAKEN' });
  await t.rejects(listening(t, hello, { socketPath: join(folder, 'a-file') }), { code: 'LISTEN_ADDRESS_TAKEN' });
  t.equal(statSync(join(folder, 'a-file')).size, 8);
  await t.rejects(listening(t, hello, { socketPath: join(folder, 'none', 'vp.sock') }), { code: 'LISTEN_REFUSED' });
  await listener.close();
});

/** The system bounds the path of a socket at about 100 bytes, which a folder named after its test exceeds. */
function shortFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'vp-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A socket file as a killed process leaves it. */
async function leaveBehind(socketPath: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(`${socketPath}-`, resolve));
  renameSync(`${socketPath}-`, socketPath);
  // Closing removes the file under the name it was made with.
  writeFileSync(`${socketPath}-`, '');
  await new Promise((resolve) => server.close(resolve));
}
