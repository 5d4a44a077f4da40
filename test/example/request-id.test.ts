import { connect } from 'node:net';
import t from 'tap';
import { longestRequestId, requestIdOf } from '../../compose/example/http/request-id.ts';
import { linesOf, started } from './started.ts';

const usual = 'tr-20261120T093031123-9f2c41d07a6b';

t.test('an id of visible ASCII characters is taken over, any other replaced', async (t) => {
  const own = () => 'own';
  for (const good of [usual, 'a', '{"level":60}', '~'.repeat(longestRequestId)]) t.equal(requestIdOf(good, own), good);
  const bad = [undefined, '', ' ', 'a b', 'a\r\nb', 'a\nb', 'a\u0000b', 'a\tb', 'é', '\u2028', '\u001b[31m'];
  for (const id of [...bad, 'a'.repeat(longestRequestId + 1)]) t.equal(requestIdOf(id, own), 'own');
});

t.test('the id received is in the log line, the answer and its errors', async (t) => {
  const { ask, lines } = await started(t);
  const headers = { 'X-Request-Id': usual };
  t.equal((await ask('GET', '/api/v2/document', { headers })).headers.get('x-request-id'), usual);
  t.match((await ask('GET', '/api/v2/document/x', { headers })).body, { requestId: usual });
  t.match((await ask('GET', '/api/v2/document', { headers, token: null })).body, { requestId: usual });
  t.match(linesOf(lines, usual), [{ status: 200 }, { status: 404 }, { status: 401 }]);
});

t.test('a request without an id gets a new one each', async (t) => {
  const { ask, lines } = await started(t);
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push((await ask('GET', '/api/health')).headers.get('x-request-id') ?? '');
  t.equal(new Set(ids).size, 3);
  for (const id of ids) t.equal(linesOf(lines, id).length, 1);
});

t.test('a very long id is neither logged nor echoed', async (t) => {
  const { ask, raw } = await started(t);
  const long = 'a'.repeat(5000);
  const { status, headers } = await ask('GET', '/api/health', { headers: { 'X-Request-Id': long } });
  t.equal(status, 200);
  t.not(headers.get('x-request-id'), long);
  t.ok(raw.every((line) => line.length < 1000));
});

t.test('a header that is too long for the server is refused by it', async (t) => {
  const { ask, example } = await started(t);
  const response = await fetch(`${example.url}/api/health`, { headers: { 'X-Request-Id': 'a'.repeat(40_000) } });
  t.equal(response.status, 431);
  t.equal((await ask('GET', '/api/health')).status, 200);
});

function rawRequest(port: number, headerBytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const head = `GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headerBytes}\r\n\r\n`;
    const socket = connect(port, '127.0.0.1', () => socket.write(head, 'latin1'));
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      answer += text;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

t.test('nothing that is sent as an id can forge a log line or a header of the answer', async (t) => {
  const { example, raw, lines } = await started(t);
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
    const answer = await rawRequest(example.port, attempt);
    t.match(answer, /^HTTP\/1\.1 (200|400) /, JSON.stringify(attempt));
    t.notMatch(answer, /forged/);
  }
  t.ok(raw.every((line) => !/\p{Cc}/u.test(line)));
  t.equal(lines.filter((line) => line.msg === 'forged' || line.level === 60).length, 0);
  t.same(linesOf(lines, 'a, b'), [], 'two ids are none');
});
