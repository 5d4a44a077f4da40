/** A caller who leaves during a call leaves no call, session or timer behind, here or at the server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';
import { eventually } from '../../eventually.ts';
import { createToolCall, post, requestMeta } from '../fixtures/mcp-requests.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const askableClient = { ...modernClient, capabilities: { elicitation: {} } };

for (const [era, options] of [
  ['newest', askableClient],
  ['older', { capabilities: { elicitation: {} } }],
] as const) {
  t.test(`a caller of the ${era} era with capabilities who leaves ends the call at an older server`, async (t) => {
    const referenceServer = createReferenceServer('older');
    const upstream = await startTestServer(t, referenceServer.handle);
    const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
    const client = await gateway.client('ann', options);
    const controller = new AbortController();
    const call = client.callTool({ name: 'good__slow', arguments: { ms: 60_000 } }, { signal: controller.signal });
    t.ok(await eventually(() => referenceServer.calls === 1));
    controller.abort();
    await t.rejects(call);
    t.ok(await eventually(() => referenceServer.cancelled.length === 1), 'the server was notified');
    t.ok(await eventually(() => gateway.audit.length === 1));
    t.match(gateway.audit, [{ tool: 'slow', outcome: 'cancelled' }]);
  });
}

t.test('sessions at servers are terminated with the connection', async (t) => {
  const referenceServer = createReferenceServer('older');
  const upstream = await startTestServer(t, referenceServer.handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const client = await gateway.client('ann', modernClient);
  await client.callTool({ name: 'good__echo', arguments: { text: 'x' } });
  t.equal(referenceServer.sessions(), 2, 'one for lists, and one for the person');
  gateway.connections.length = 0;
  gateway.emitChange();
  t.ok(await eventually(() => referenceServer.sessions() === 0));
});

t.test('an unanswered question ends when the gateway closes', async (t) => {
  const referenceServer = createReferenceServer('older');
  const upstream = await startTestServer(t, referenceServer.handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const response = await post(
    gateway.server.url,
    'ann',
    ...createToolCall('good__ask', {}, { ...requestMeta, ...capabilities }),
  );
  t.match(await response.json(), { result: { resultType: 'input_required' } });
  await gateway.gateway.close();
  t.equal(referenceServer.sessions(), 0, 'the server has no open session');
});

t.test('a process whose callers gave up exits by itself', async (t) => {
  const args = ['--import', './test/tsx-hook.mjs', 'test/hub/gateway/abandon-calls.ts'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), 25_000);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  t.equal(output, 'closed\n');
  t.equal(code, 0, 'it was not killed');
});
