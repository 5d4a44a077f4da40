import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { createApp } from '../../compose/example/app.ts';
import { eventLog } from '../../compose/example/http/event-log.ts';
import type { Database } from '../../compose/example/storage/database.ts';
import { openPostgres } from '../../compose/example/storage/postgres.ts';
import { apiToken, filterLines, startTestExample } from './test-example.ts';

const clock = { nowMs: () => 0, monotonicMs: () => 0 };

t.test('health is ok while the database answers', async (t) => {
  const { sendRequest: ask, lines } = await startTestExample(t);
  const { status, headers, body } = await ask('GET', '/api/health', { token: null });
  t.equal(status, 200);
  t.match(headers.get('content-type'), 'application/json');
  t.match(body, { status: 'ok', database: { status: 'ok', kind: /^(sqlite|postgres)$/ } });
  t.match(lines.at(-1), { level: 30, path: '/api/health', status: 200 });
});

t.test('while another process locks the database, health and lists return 503, and recover afterwards', async (t) => {
  const sqliteFile = join(t.testdir(), 'example.db');
  const { sendRequest: ask, lines } = await startTestExample(t, { sqliteFile });
  const other = new DatabaseSync(sqliteFile);
  t.teardown(() => other.close());
  other.exec('BEGIN EXCLUSIVE');
  const away = { status: 'error', database: { status: 'error', kind: 'sqlite' } };
  const response = await ask('GET', '/api/health', { token: null, headers: { 'X-Request-Id': 'away' } });
  t.same([response.status, response.body], [503, away]);
  t.match(filterLines(lines, 'away'), [
    { level: 50, msg: 'the database does not answer', error: /locked/ },
    { level: 50, msg: 'request', status: 503 },
  ]);
  t.match(await ask('GET', '/api/v2/document'), { status: 503, body: { error: 'unavailable' } });
  t.match(await ask('POST', '/api/v2/folder', { body: { name: 'a' } }), { status: 503 });
  other.exec('ROLLBACK');
  t.match(await ask('GET', '/api/health'), { status: 200, body: { database: { status: 'ok' } } });
  t.match(await ask('GET', '/api/v2/folder'), { status: 200, body: { count: 3 } }, 'the refused create left nothing');
});

/** The application with an unreachable PostgreSQL, without a listener. */
async function onPostgres(port: number) {
  const raw: string[] = [];
  const events = eventLog((line) => raw.push(line), clock);
  const database = openPostgres(`postgres://reader:hunter2@127.0.0.1:${port}/signing`, () => undefined);
  const app = createApp({ database, events, clock, newId: () => 'new' }, apiToken);
  const headers = { Authorization: `Bearer ${apiToken}` };
  const health = await app.request('/api/health');
  const list = await app.request('/api/v2/document', { headers });
  await database.close();
  return { raw, health, list };
}

async function portThatHangsUp(t: Test): Promise<{ port: number; close(): void }> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  t.teardown(() => server.close());
  return { port: typeof address === 'object' && address ? address.port : 0, close: () => server.close() };
}

t.test(
  'a PostgreSQL server that disconnects or does not listen causes 503, with the reason but no password in the log',
  async (t) => {
    const { port, close } = await portThatHangsUp(t);
    for (const expected of [/terminated|ECONNRESET/, /ECONNREFUSED/]) {
      const { raw, health, list } = await onPostgres(port);
      t.equal(health.status, 503);
      t.match(await health.json(), { status: 'error', database: { status: 'error', kind: 'postgres' } });
      t.equal(list.status, 503);
      t.match(await list.json(), { error: 'unavailable', message: 'the database does not answer' });
      t.match(raw[0], expected);
      t.notMatch(raw.join(), 'hunter2');
      close();
    }
  },
);

t.test('an internal error is 500 without details, which are logged', async (t) => {
  const lines: string[] = [];
  const fails = () => Promise.reject(new Error('no such column: secret_plan'));
  const database: Database = { kind: 'sqlite', query: fails, transaction: fails, close: async () => undefined };
  const events = eventLog((line) => lines.push(line), clock);
  const app = createApp({ database, events, clock, newId: () => 'new' }, apiToken);
  const response = await app.request('/api/v2/document', { headers: { Authorization: `Bearer ${apiToken}` } });
  t.equal(response.status, 500);
  t.same(await response.json(), {
    error: 'internal',
    message: 'an unexpected error; the log has the reason',
    requestId: 'new',
  });
  t.match(lines[0], 'secret_plan');
});
