/** Bodies that are nested too deeply to be judged: the run says so wherever they come, and the executor goes on. */
import { once } from 'node:events';
import t, { type Test } from 'tap';
import { WebSocketServer } from 'ws';
import { embedFiles } from '../../../src/scenario/embedded-files.ts';
import { startHttpTarget } from '../../targets/http-target.ts';
import { findFailureCode } from '../failure-code.ts';
import { createRunRequest, scenarioText } from '../test-project.ts';
import { createTestRunner } from '../test-runner.ts';

const depth = 9000;
const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const node = { anyOf: [{ type: 'integer' }, { type: 'object', properties: { a: { $ref: '#/$defs/node' } } }] };
const schema = JSON.stringify({ anyOf: [{ type: 'array', items: node }, node], $defs: { node } });
const trigger = 'GET ${INGESTION_URL}/deep\nX-Request-Id: ${correlation_id}';

function createRunOfDeepBody(t: Test, baseUrl: string) {
  const runner = createTestRunner(t, { origin: baseUrl });
  return (text: string) => runner.execute(createRunRequest(embedFiles(text, () => schema)));
}

async function startDeepTarget(t: Test) {
  const target = await startHttpTarget((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(deep);
  });
  t.teardown(() => target.close());
  return createRunOfDeepBody(t, target.origin);
}

function withStep(bullets: readonly string[]): string {
  const step = `## STEPS\n\n### look\n\nGET \${INGESTION_URL}/deep\n\n${bullets.join('\n')}\n\n## TRIGGER`;
  return scenarioText(trigger, ['status=200']).replace('## TRIGGER', step);
}

t.test('in the response to TRIGGER', async (t) => {
  const run = await startDeepTarget(t);
  const { failure } = await run(scenarioText(trigger, ['body matches schema deep.json']));
  t.equal(findFailureCode(failure), 'EXECUTOR_JUDGING_FAILED');
});

t.test('in the response to a step, also one that is sent several times at once', async (t) => {
  const run = await startDeepTarget(t);
  for (const bullets of [
    ['- body matches schema deep.json'],
    ['- concurrent 2', '- body matches schema deep.json'],
    ['- until body matches schema deep.json within 1s'],
  ]) {
    const report = await run(withStep(bullets));
    t.equal(report.result, 'failed', bullets.join());
    t.match(report.failure?.message, /^step `look`: .*could not be judged/);
    t.match(report.steps, [{ outcome: 'not_judged' }]);
  }
});

t.test('in a message of a WebSocket', async (t) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => socket.send(deep));
  t.teardown(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  if (server.address() === null) await once(server, 'listening');
  const address = server.address();
  const run = createRunOfDeepBody(t, `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
  const checks = ['status=101', 'receive messages until body matches schema deep.json within 1s'];
  const { failure } = await run(scenarioText(trigger, checks));
  t.equal(findFailureCode(failure), 'EXECUTOR_JUDGING_FAILED');
});
