import { connect } from 'node:net';
import t from 'tap';
import { getRequestId, maxRequestIdLength } from '../../compose/example/http/request-id.ts';
import { filterLines, startTestExample } from './test-example.ts';

const generatedIdPattern = 'tr-20261120T093031123-9f2c41d07a6b';

t.test('an id of visible ASCII characters is kept, any other is replaced', async (t) => {
  const requestWithId = () => 'own';
  for (const good of [generatedIdPattern, 'a', '{"level":60}', '~'.repeat(maxRequestIdLength)])
    t.equal(getRequestId(good, requestWithId), good);
  const bad = [undefined, '', ' ', 'a b', 'a\r\nb', 'a\nb', 'a\u0000b', 'a\tb', 'é', '\u2028', '\u001b[31m'];
  for (const id of [...bad, 'a'.repeat(maxRequestIdLength + 1)]) t.equal(getRequestId(id, requestWithId), 'own');
});

t.test('the received id is in the log line, the response and its errors', async (t) => {
  const { sendRequest: ask, lines } = await startTestExample(t);
  const headers = { 'X-Request-Id': generatedIdPattern };
  t.equal((await ask('GET', '/api/v2/document', { headers })).headers.get('x-request-id'), generatedIdPattern);
  t.match((await ask('GET', '/api/v2/document/x', { headers })).body, { requestId: generatedIdPattern });
  t.match((await ask('GET', '/api/v2/document', { headers, token: null })).body, { requestId: generatedIdPattern });
  t.match(filterLines(lines, generatedIdPattern), [{ status: 200 }, { status: 404 }, { status: 401 }]);
});

t.test('each request without an id gets a new one', async (t) => {
  const { sendRequest: ask, lines } = await startTestExample(t);
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push((await ask('GET', '/api/health')).headers.get('x-request-id') ?? '');
  t.equal(new Set(ids).size, 3);
  for (const id of ids) t.equal(filterLines(lines, id).length, 1);
});

t.test('a very long id is neither logged nor echoed', async (t) => {
  const { sendRequest: ask, raw } = await startTestExample(t);
  const long = 'a'.repeat(5000);
  const { status, headers } = await ask('GET', '/api/health', { headers: { 'X-Request-Id': long } });
  t.equal(status, 200);
  t.not(headers.get('x-request-id'), long);
  t.ok(raw.every((line) => line.length < 1000));
});

t.test('a header that is too long for the server is refused by it', async (t) => {
  const { sendRequest: ask, example } = await startTestExample(t);
  const response = await fetch(`${example.url}/api/health`, { headers: { 'X-Request-Id': 'a'.repeat(40_000) } });
  t.equal(response.status, 431);
  t.equal((await ask('GET', '/api/health')).status, 200);
});

function rawRequest(port: number, headerBytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = '';
    const head = `GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headerBytes}\r\n\r\n`;
    const socket = connect(port, '127.0.0.1', () => socket.write(head, 'latin1'));
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      response += text;
    });
    socket.on('close', () => resolve(response));
    socket.on('error', reject);
  });
}

t.test('an id cannot forge a log line or a response header', async (t) => {
  const { example, raw, lines } = await startTestExample(t);
  const forged = '{"level":60,"msg":"forged"}';
  const attempts = [
    `X-Request-Id: a\r\n${forged}: b`,
    `X-Request-Id: a\r\n ${forged}`,
    `X-Request-Id: a\n${forged}: b`,
    `X-Request-Id: a\r${forged}: b`,
    'X-Request-Id: a\r\nX-Request-Id: b',
    'X-Request-Id: \xff\xfe',
    'X-Request-Id: a\x00b',
    'X-Request-Id: \x1b[2J',
  ];
  for (const attempt of attempts) {
    const response = await rawRequest(example.port, attempt);
    t.match(response, /^HTTP\/1\.1 (200|400) /, JSON.stringify(attempt));
    t.notMatch(response, /forged/);
  }
  t.ok(raw.every((line) => !/\p{Cc}/u.test(line)));
  t.equal(lines.filter((line) => line.msg === 'forged' || line.level === 60).length, 0);
  t.same(filterLines(lines, 'a, b'), [], 'two ids are none');
});
