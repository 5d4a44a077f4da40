/** What spares agents text: the guide in brief, and the number of lines of the log in a probe. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { checkKinds } from '../../../src/check/kinds.ts';
import { startHttpTarget } from '../../targets/http-target.ts';
import { createAgentTestSetup, getText } from '../agent-test-setup.ts';

const logstore = `observability:
  logstore: {log_format: json, correlation_field: requestId}
`;

t.test('the guide in brief has every form of a check in less than a fifth of the guide', async (t) => {
  const setup = await createAgentTestSetup(t, { baseUrl: 'http://127.0.0.1:9' });
  const agent = await setup.agent('test');
  const brief = getText(await agent.call('author__get_guide', { topic: 'brief' }), 'content');
  for (const { form } of checkKinds) t.ok(brief.includes(form), form);
  for (const word of ['## STEPS', 'capture', 'concurrent 8', '## CASES', '## FILES']) t.ok(brief.includes(word), word);
  t.ok(brief.length < 4000, `${brief.length} characters`);
  t.match((await agent.call('author__get_guide')).text, /brief/, 'the whole guide names the topic');
});

t.test('a probe counts the lines of the log that hold its id', async (t) => {
  const folder = t.testdir();
  const logSource = join(folder, 'app.log');
  writeFileSync(logSource, '');
  const target = await startHttpTarget((request, response) => {
    const id = request.headers['x-request-id'];
    for (const sql of ['SELECT 1', 'SELECT 2', 'SELECT 3'])
      appendFileSync(logSource, `${JSON.stringify({ requestId: id, sql })}\n`);
    response.end('{}');
  });
  t.teardown(() => target.close());
  const setup = await createAgentTestSetup(t, { baseUrl: target.origin, config: logstore, logSource });
  const agent = await setup.agent('test');
  const headers = { 'X-Request-Id': '${correlation_id}' };
  const select = ['status', 'log.lines'];
  const probe = (request: object) =>
    agent.call('author__probe_target', { method: 'GET', path: '/a', select, ...request });
  t.match((await probe({ headers })).text, /status: 200; log\.lines: 3/);
});

t.test('where no log is read, a probe does not say that there are no lines', async (t) => {
  const target = await startHttpTarget((_request, response) => response.end('{}'));
  t.teardown(() => target.close());
  const setup = await createAgentTestSetup(t, { baseUrl: target.origin });
  const agent = await setup.agent('test');
  const probe = await agent.call('author__probe_target', {
    method: 'GET',
    path: '/a',
    select: ['status', 'log.lines'],
  });
  t.match(probe.text, /log\.lines: not known/);
});
