import { request } from 'node:http';
import { connect } from 'node:net';
import t from 'tap';
import { apiToken, startTestExample } from './test-example.ts';

t.test('an unknown path is answered with 404 and JSON', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  for (const path of [
    '/',
    '/document',
    '/api',
    '/api/health/',
    '/api/v2/nothing',
    '/api/v2/document/',
    '/api/v1/folder',
  ]) {
    t.match(await ask('GET', path), { status: 404, body: { error: 'not_found', requestId: String } }, path);
  }
});

t.test('a wrong method is answered with 405 and the allowed ones', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  const cases = [
    ['DELETE', '/api/v2/document', 'GET, HEAD, POST'],
    ['PUT', '/api/v2/envelope/envelope-0001', 'GET, HEAD'],
    ['GET', '/api/v2/envelope/envelope-0001/send', 'POST'],
    ['POST', '/api/health', 'GET, HEAD'],
    ['OPTIONS', '/api/v2/folder', 'GET, HEAD, POST'],
  ] as const;
  for (const [method, path, allowed] of cases) {
    const { status, headers, body } = await ask(method, path);
    t.same([status, headers.get('allow')], [405, allowed], `${method} ${path}`);
    t.match(body, { error: 'method_not_allowed', message: `this path answers ${allowed}` });
  }
});

t.test('a body of more than 1 MiB is refused, with or without Content-Length', async (t) => {
  const { example, sendRequest: ask } = await startTestExample(t);
  const name = 'x'.repeat(1024 * 1024);
  const refusals = { status: 413, body: { error: 'body_too_large' } };
  t.match(await ask('POST', '/api/v2/folder', { body: { name } }), refusals);
  const status = await new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${apiToken}`, 'Transfer-Encoding': 'chunked' };
    const sending = request(`${example.url}/api/v2/folder`, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sending.on('error', reject);
    sending.end(JSON.stringify({ name }));
  });
  t.equal(status, 413);
  const maxBody = JSON.stringify({ name: '' }).length;
  const justFits = await ask('POST', '/api/v2/folder', { body: { name: 'x'.repeat(1024 * 1024 - maxBody) } });
  t.match(justFits, { status: 400, body: { problems: [{ field: 'name' }] } }, 'the bound itself is allowed');
  t.match(await ask('GET', '/api/v2/folder'), { status: 200, body: { count: 3 } }, 'and the application goes on');
});

function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes, 'latin1'));
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      response += text;
    });
    socket.on('end', () => resolve(response));
    socket.on('error', reject);
  });
}

t.test('bytes that are no HTTP, and requests cut off, leave the application well', async (t) => {
  const { example, sendRequest: ask } = await startTestExample(t);
  for (const bytes of [
    '\x16\x03\x01\x02\x00\x01\x00',
    'GET\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nBad\nHeader: b\r\n\r\n',
  ]) {
    t.match(await exchange(example.port, bytes), /^(HTTP\/1.1 400 |$)/);
  }
  const announced = `POST /api/v2/folder HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiToken}\r\nContent-Length: 20\r\n\r\n{"name"`;
  await exchange(example.port, announced);
  await exchange(example.port, 'GET /api/health HTTP/1.1\r\nHost: [[[\r\n\r\n');
  t.match(await ask('GET', '/api/v2/folder'), { status: 200, body: { count: 3 } });
});

t.test('two examples cannot share a port, and the second leaves nothing open', async (t) => {
  const { example } = await startTestExample(t);
  await t.rejects(startTestExample(t, { port: example.port }), { code: 'EADDRINUSE' });
});

t.test('closing ends idle connections, may be repeated, and frees the port', async (t) => {
  const { example, sendRequest: ask, lines } = await startTestExample(t);
  await ask('GET', '/api/health');
  await Promise.all([example.close(), example.close()]);
  await example.close();
  t.equal(lines.filter((line) => line.msg === 'stopped').length, 1);
  await t.rejects(fetch(`${example.url}/api/health`));
});
