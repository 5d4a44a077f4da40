import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { startTestExample } from '../test-example.ts';

const ready = { msg: 'the database is ready' };

t.test('a database is seeded at its first start only, and rows stay', async (t) => {
  const sqliteFile = join(t.testdir(), 'example.db');
  const first = await startTestExample(t, { sqliteFile });
  t.match(first.lines[0], { ...ready, seeded: true, database: 'sqlite' });
  await first.sendRequest('POST', '/api/v2/folder', { body: { name: 'Mine' } });
  await first.example.close();
  const connection = new DatabaseSync(sqliteFile);
  connection.exec("DELETE FROM template WHERE id = 'template-0002'");
  connection.close();
  const second = await startTestExample(t, { sqliteFile });
  t.match(second.lines[0], { ...ready, seeded: false });
  t.match((await second.sendRequest('GET', '/api/v2/folder')).body, { count: 4 });
  t.match((await second.sendRequest('GET', '/api/v2/template')).body, { count: 1 }, 'what was deleted stays deleted');
});

t.test('two applications may use the same file concurrently', async (t) => {
  const sqliteFile = join(t.testdir(), 'example.db');
  const entry = await startTestExample(t, { sqliteFile });
  const two = await startTestExample(t, { sqliteFile });
  await entry.sendRequest('POST', '/api/v2/folder', { body: { name: 'from one' } });
  t.match((await two.sendRequest('GET', '/api/v2/folder')).body, { count: 4 });
});

t.test('each step of a saga is a row with the id of the request that caused it', async (t) => {
  const sqliteFile = join(t.testdir(), 'example.db');
  const { sendRequest: ask } = await startTestExample(t, { sqliteFile });
  await ask('POST', '/api/v2/envelope/envelope-0003/send', { headers: { 'X-Request-Id': 'sending' } });
  const connection = new DatabaseSync(sqliteFile);
  t.teardown(() => connection.close());
  const rows = connection.prepare('SELECT envelope_id, step, request_id FROM saga_event ORDER BY rowid').all();
  t.same(rows, [
    { envelope_id: 'envelope-0003', step: 'sent', request_id: 'sending' },
    { envelope_id: 'envelope-0003', step: 'delivered', request_id: 'sending' },
  ]);
});

t.test('a missing folder is reported, and nothing listens', async (t) => {
  const sqliteFile = join(t.testdir(), 'none', 'example.db');
  await t.rejects(startTestExample(t, { sqliteFile }), { name: 'DatabaseUnavailable', message: /unable to open/ });
});
