import t from 'tap';
import { eventLog, levels } from '../../compose/example/http/event-log.ts';
import { apiToken, filterLines, startTestExample } from './test-example.ts';

t.test('levels are numbers in the order of their gravity', async (t) => {
  t.same(levels, { info: 30, warn: 40, error: 50, fatal: 60 });
});

t.test('an event is one line of JSON whatever its fields hold', async (t) => {
  const lines: string[] = [];
  eventLog((line) => lines.push(line), { nowMs: () => 1_795_000_000_000, monotonicMs: () => 0 })('warn', 'a\nb', {
    path: '/\r\n\u2028"',
    left: undefined,
  });
  t.equal(lines.length, 1);
  t.notMatch(lines[0], /[\r\n]/);
  t.same(JSON.parse(lines[0] ?? ''), { level: 40, time: 1_795_000_000_000, msg: 'a\nb', path: '/\r\n\u2028"' });
});

t.test('each request writes one line, before its answer', async (t) => {
  let monotonicMs = 0;
  const clock = { nowMs: () => 1_795_000_000_000, monotonicMs: () => (monotonicMs += 1.25) };
  const { sendRequest: ask, lines } = await startTestExample(t, { clock });
  await ask('POST', '/api/v2/folder', { body: { name: 'a' }, headers: { 'X-Request-Id': 'one' } });
  t.same(filterLines(lines, 'one'), [
    {
      level: 30,
      time: 1_795_000_000_000,
      msg: 'request',
      method: 'POST',
      path: '/api/v2/folder',
      status: 201,
      durationMs: 1.25,
      requestId: 'one',
    },
  ]);
});

t.test('the level follows the status', async (t) => {
  const { sendRequest: ask, lines } = await startTestExample(t);
  const expected = [
    ['/api/v2/document', 30],
    ['/api/v2/document/none', 40],
    ['/api/v2/document?page=0', 40],
  ] as const;
  for (const [index, [path, level]] of expected.entries()) {
    await ask('GET', path, { headers: { 'X-Request-Id': `r${index}` } });
    t.match(filterLines(lines, `r${index}`), [{ level }]);
  }
});

t.test('neither the token nor a query nor a body is ever logged', async (t) => {
  const { sendRequest: ask, raw } = await startTestExample(t);
  const secret = 'secret-of-a-person';
  await ask('GET', `/api/v2/document?note=${secret}`);
  await ask('GET', `/api/v2/document?token=${apiToken}`, { token: null });
  await ask('GET', '/api/v2/document', { token: secret });
  await ask('POST', '/api/v2/folder', { body: { name: secret } });
  await ask('POST', '/api/v2/folder', { body: `{"name":"${secret}` });
  await ask('POST', '/api/v2/folder', { body: { [secret]: secret } });
  const log = raw.join('\n');
  t.notMatch(log, secret);
  t.notMatch(log, apiToken);
});

t.test('a very long path is cut', async (t) => {
  const { sendRequest: ask, raw } = await startTestExample(t);
  await ask('GET', `/${'a'.repeat(8000)}`);
  t.ok(raw.every((line) => line.length < 1000));
});
