/** The tasks extension of 2026-07-28 through a hub, and clients that do not know it. */
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { createMcpHeaders, post, requestMeta } from '../fixtures/mcp-requests.ts';
import { startNewestTaskServer } from '../fixtures/newest-task-server.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';

type JsonObject = Record<string, unknown>;

const knowsTasks = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: {} };

async function startTasks(t: Test) {
  const upstream = await startNewestTaskServer(t);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const send = async (method: string, params: JsonObject, person = 'ann', capabilities: JsonObject = knowsTasks) => {
    const _meta = { ...requestMeta, 'io.modelcontextprotocol/clientCapabilities': capabilities };
    const headers = createMcpHeaders(method, String(params.taskId ?? params.name ?? ''));
    const body = { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta } };
    const response = await post(gateway.server.url, person, body, headers);
    return { status: response.status, message: await response.json() };
  };
  const startTask = async (name: string): Promise<JsonObject> => {
    const { message } = await send('tools/call', { name: `good__${name}`, arguments: {} });
    t.match(message, { result: { resultType: 'task', status: 'working', taskId: /^vpt\./, ttlMs: null } });
    return message.result;
  };
  return { upstream, gateway, send, startTask };
}

t.test('the extension is announced, and no member of the older revision', async (t) => {
  const { send } = await startTasks(t);
  const { message } = await send('server/discover', {});
  t.match(message.result.capabilities, { extensions: { 'io.modelcontextprotocol/tasks': {} } });
  t.notOk('tasks' in message.result.capabilities);
});

t.test('a server starts a task, whose result is read with its state', async (t) => {
  const { upstream, gateway, send, startTask } = await startTasks(t);
  const { taskId, ...created } = await startTask('report');
  t.notMatch(JSON.stringify(created), 'task-1');
  t.notOk('content' in created);
  t.match((await send('tasks/get', { taskId })).message, {
    result: { resultType: 'complete', taskId, status: 'working' },
  });
  t.match(upstream.requests.at(-1), { method: 'tasks/get', name: 'task-1', params: { taskId: 'task-1' } });
  const link = { type: 'resource_link', uri: 'note://one', name: 'one' };
  upstream.finish('task-1', { status: 'completed', result: { content: [link] } });
  t.match((await send('tasks/get', { taskId })).message, {
    result: { taskId, status: 'completed', result: { content: [{ uri: 'hub.good+note://one' }] } },
  });
  t.match(gateway.audit, [
    { method: 'tools/call', tool: 'report', outcome: 'ok', reason: 'task' },
    { method: 'tasks/get', tool: 'report', outcome: 'ok' },
    { method: 'tasks/get', tool: 'report', outcome: 'ok' },
  ]);
});

t.test('a task that needs input is continued with answers, which the policy sees', async (t) => {
  const { gateway, send, startTask } = await startTasks(t);
  const { taskId } = await startTask('greet');
  t.match((await send('tasks/get', { taskId })).message, {
    result: { status: 'input_required', inputRequests: { who: { method: 'elicitation/create' } } },
  });
  const seen: unknown[] = [];
  gateway.decideTask = ({ answers }) => {
    seen.push(answers);
    return { allowed: true, redact: { keep: true, hide: [] } };
  };
  const inputResponses = { who: { action: 'accept', content: { name: 'Ann' } } };
  const { message } = await send('tasks/update', { taskId, inputResponses });
  t.match(message, { result: { resultType: 'complete' } });
  t.notOk('taskId' in message.result);
  t.same(seen, [inputResponses]);
  t.match((await send('tasks/get', { taskId })).message, {
    result: { status: 'completed', result: { content: [{ text: 'hello Ann' }] } },
  });
});

t.test('a task is cancelled', async (t) => {
  const { send, startTask } = await startTasks(t);
  const { taskId } = await startTask('report');
  t.match((await send('tasks/cancel', { taskId })).message, { result: { resultType: 'complete' } });
  t.match((await send('tasks/get', { taskId })).message, { result: { status: 'cancelled' } });
});

t.test('a client that does not declare the extension has no tasks', async (t) => {
  const { send, startTask } = await startTasks(t);
  const { taskId } = await startTask('report');
  const required = { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } };
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const { status, message } = await send(method, { taskId, inputResponses: {} }, 'ann', {});
    t.equal(status, 400);
    t.match(message, { error: { code: -32021, data: required } });
  }
  t.match((await send('tools/call', { name: 'good__plain', arguments: {} }, 'ann', {})).message, {
    result: { resultType: 'complete', content: [{ text: 'done' }] },
  });
  t.match((await send('tools/call', { name: 'good__report', arguments: {} }, 'ann', {})).message, {
    error: { code: -32021, data: required },
  });
});

t.test('methods of the older revision are unknown, and tasks of others do not exist', async (t) => {
  const { upstream, send, startTask } = await startTasks(t);
  const { taskId } = await startTask('report');
  for (const method of ['tasks/result', 'tasks/list'])
    t.match(await send(method, { taskId }), { status: 404, message: { error: { code: -32601 } } });
  t.match((await send('tasks/get', { taskId }, 'bob')).message, { error: { code: -32602 } });
  t.match((await send('tasks/get', { taskId: 'task-1' })).message, { error: { code: -32602 } });
  t.notOk(upstream.requests.some(({ method }) => method === 'tasks/get'));
});

t.test('a header that names another task is refused', async (t) => {
  const { gateway, startTask } = await startTasks(t);
  const { taskId } = await startTask('report');
  const _meta = { ...requestMeta, 'io.modelcontextprotocol/clientCapabilities': knowsTasks };
  const body = { jsonrpc: '2.0', id: 7, method: 'tasks/get', params: { taskId, _meta } };
  const response = await post(gateway.server.url, 'ann', body, createMcpHeaders('tasks/get', 'another'));
  t.equal(response.status, 400);
  t.match(await response.json(), { error: { code: -32020 } });
});

t.test('a client of an older revision gets the result of a tool that needs a task', async (t) => {
  const { upstream, gateway } = await startTasks(t);
  const client = await gateway.client('ann', { capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ann' } }));
  t.match(await client.callTool({ name: 'good__greet', arguments: {} }), { content: [{ text: 'hello Ann' }] });
  const failing = client.callTool({ name: 'good__report', arguments: {} });
  failing.catch(() => {});
  t.ok(await eventually(() => upstream.requests.some(({ name }) => name === 'task-2')));
  upstream.finish('task-2', { status: 'failed', error: { code: -32000, message: 'it went wrong' } });
  await t.rejects(failing, { code: -32000, message: /it went wrong/ });
});
