/** Tasks of 2025-11-25 through a hub: started, watched, continued, listed and cancelled by the person who started them only. */
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { type OlderTaskServer, startOlderTaskServer } from '../fixtures/older-task-server.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { createConnection, modernClient, startTestGateway, type TestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

type Setup = { readonly upstream: OlderTaskServer; readonly gateway: TestGateway };

async function startTasks(t: Test): Promise<Setup> {
  const upstream = await startOlderTaskServer(t);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  return { upstream, gateway };
}

/** The official client of that revision, which can be questions for a form. */
async function connect(t: Test, { gateway }: Setup, person: string): Promise<OlderClient> {
  const client = new OlderClient({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    questions.push(params);
    return { action: 'accept', content: { name: 'Ann' } };
  });
  const requestInit = { headers: { Authorization: `Bearer ${person}` } };
  const transport = new StreamableHTTPClientTransport(new URL(gateway.server.url), { requestInit });
  // Its types predate exact optional members.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  t.teardown(() => client.close());
  await client.listTools();
  return client;
}
const questions: unknown[] = [];

/** Starts a task; the messages of its stream follow. */
async function startTask(client: OlderClient, name: string) {
  const stream = client.experimental.tasks.callToolStream(
    { name: `good__${name}`, arguments: {} },
    CallToolResultSchema,
    {
      task: { ttl: 60_000 },
    },
  );
  const { value } = await stream.next();
  return { stream, created: value, taskId: String(Object(value).task?.taskId) };
}

t.test('a task is started, polled and its result read', async (t) => {
  const setup = await startTasks(t);
  const client = await connect(t, setup, 'ann');
  t.match(client.getServerCapabilities()?.tasks, { list: {}, cancel: {}, requests: { tools: { call: {} } } });
  const { stream, created, taskId } = await startTask(client, 'report');
  t.match(created, { type: 'taskCreated', task: { status: 'working' } });
  t.match(taskId, /^vpt\./);
  const [original = ''] = setup.upstream.taskIds;
  t.notMatch(JSON.stringify(created), original, 'the id of the server stays in the hub');
  t.match(await client.experimental.tasks.getTask(taskId), { taskId, status: 'working' });
  setup.upstream.finish('ready');
  const seen: unknown[] = [];
  for await (const message of stream) seen.push(message);
  t.match(seen.at(-1), { type: 'result', result: { content: [{ text: 'ready' }] } });
  t.match(Object(seen.at(-1)).result._meta, { 'io.modelcontextprotocol/related-task': { taskId } });
  t.notMatch(JSON.stringify(seen), original);
  const rows = setup.gateway.audit.map(({ method, tool, outcome, reason }) => ({ method, tool, outcome, reason }));
  t.match(rows[0], { method: 'tools/call', tool: 'report', outcome: 'ok', reason: 'task' });
  t.ok(rows.some(({ method, tool }) => method === 'tasks/get' && tool === 'report'));
  t.match(rows.at(-1), { method: 'tasks/result', tool: 'report', outcome: 'ok' });
});

t.test('a task that needs input asks its client', async (t) => {
  const setup = await startTasks(t);
  const client = await connect(t, setup, 'ann');
  questions.length = 0;
  const { stream, taskId } = await startTask(client, 'greet');
  let last: unknown;
  for await (const message of stream) last = message;
  t.match(last, { type: 'result', result: { content: [{ text: 'hello Ann' }] } });
  t.match(questions, [
    { message: 'What is your name?', _meta: { 'io.modelcontextprotocol/related-task': { taskId } } },
  ]);
});

t.test('a client that knows no tasks gets the result of a tool that needs one', async (t) => {
  const setup = await startTasks(t);
  const older = await connect(t, setup, 'ann');
  const call = { name: 'good__greet', arguments: {} };
  const bare = { method: 'tools/call' as const, params: call };
  t.match(await older.request(bare, CallToolResultSchema), { content: [{ text: 'hello Ann' }] });
  const newest = await setup.gateway.client('bob', { ...modernClient, capabilities: { elicitation: {} } });
  newest.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Bob' } }));
  t.match(await newest.callTool(call), { content: [{ text: 'hello Bob' }] });
});

t.test('a call that its client cancels cancels the task that the hub waits for', async (t) => {
  const setup = await startTasks(t);
  const older = await connect(t, setup, 'ann');
  const never = new Promise<never>(() => {});
  older.setRequestHandler(ElicitRequestSchema, () => never);
  const controller = new AbortController();
  const bare = { method: 'tools/call' as const, params: { name: 'good__greet', arguments: {} } };
  const call = older.request(bare, CallToolResultSchema, { signal: controller.signal });
  call.catch(() => {});
  t.ok(await eventually(() => setup.upstream.methods.includes('tasks/result')));
  controller.abort();
  t.ok(await eventually(() => setup.upstream.methods.includes('tasks/cancel')));
});

t.test('a task is cancelled', async (t) => {
  const setup = await startTasks(t);
  const client = await connect(t, setup, 'ann');
  const { taskId } = await startTask(client, 'report');
  t.match(await client.experimental.tasks.cancelTask(taskId), { taskId, status: 'cancelled' });
  t.match(await client.experimental.tasks.getTask(taskId), { taskId, status: 'cancelled' });
});

t.test('people list their own tasks with their present state', async (t) => {
  const setup = await startTasks(t);
  const [ann, bob] = [await connect(t, setup, 'ann'), await connect(t, setup, 'bob')];
  const { taskId } = await startTask(ann, 'report');
  t.match(await ann.experimental.tasks.listTasks(), { tasks: [{ taskId, status: 'working' }] });
  setup.upstream.finish('ready');
  await eventually(async () => {
    const { tasks } = await ann.experimental.tasks.listTasks();
    return tasks[0]?.status === 'completed';
  });
  t.same((await bob.experimental.tasks.listTasks()).tasks, []);
});

t.test('each task of a list is decided, limited and recorded, and a list asks for 20 at most', async (t) => {
  const setup = await startTasks(t);
  const { gateway, upstream } = setup;
  const client = await connect(t, setup, 'ann');
  for (let started = 0; started < 25; started += 1) await startTask(client, 'report');
  const countReads = () => upstream.methods.filter((method) => method === 'tasks/get').length;
  const list = async () => (await client.experimental.tasks.listTasks()).tasks;
  const earlierRows = gateway.audit.length;
  t.equal((await list()).length, 25);
  t.equal(countReads(), 20);
  t.match(
    gateway.audit.slice(earlierRows),
    Array.from({ length: 20 }, () => ({ method: 'tasks/get', tool: 'report', outcome: 'ok', requestBytes: 0 })),
  );
  upstream.finish('ready');
  const isDone = async () => (await list()).every(({ status }) => status === 'completed');
  t.ok(await eventually(isDone), 'the others are asked for by the next lists');
  await startTask(client, 'report');
  const reads = countReads();
  gateway.decideTask = () => ({ allowed: false, reason: 'too often', cure: 'Wait.' });
  t.equal((await list()).length, 26, 'a task that may not be asked for has its last state');
  gateway.findTaskRefusal = ({ tool }) => ({ reason: `${tool} is not for you`, cure: 'Ask.' });
  t.same(await list(), [], 'tasks of tools that were denied since');
  t.equal(countReads(), reads);
});

t.test('a task of somebody else, of another hub or that is made up does not exist', async (t) => {
  const setup = await startTasks(t);
  setup.gateway.connections.push(createConnection('good', setup.upstream.url, { id: 'c-2', hubId: 'h2' }));
  const ann = await connect(t, setup, 'ann');
  const { taskId } = await startTask(ann, 'report');
  const changed = `${taskId.slice(0, -2)}AA`;
  const strangers = [await connect(t, setup, 'bob'), await connect(t, setup, 'ann@h2')];
  const audited = setup.gateway.audit.length;
  for (const client of strangers)
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'] as const)
      await t.rejects(client.request({ method, params: { taskId } }, CallToolResultSchema), { code: -32602 });
  for (const id of [changed, setup.upstream.taskIds[0] ?? '', '', 'vpt.e30.AA'])
    await t.rejects(ann.experimental.tasks.getTask(id), { code: -32602, message: /no such task/ });
  const refused = setup.gateway.audit.slice(audited);
  t.equal(refused.length, 10);
  t.ok(refused.every(({ outcome, reason }) => outcome === 'denied' && reason === 'HUB_TASK_UNKNOWN'));
  t.notOk(setup.upstream.methods.includes('tasks/cancel'));
});

t.test('the policy decides requests about tasks', async (t) => {
  const setup = await startTasks(t);
  const client = await connect(t, setup, 'ann');
  const { taskId } = await startTask(client, 'report');
  setup.gateway.decideTask = ({ tool }) => ({ allowed: false, reason: `${tool} is not for you`, cure: 'Ask.' });
  await t.rejects(client.experimental.tasks.getTask(taskId), { code: -32602, message: /report is not for you/ });
  t.match(setup.gateway.audit.at(-1), { method: 'tasks/get', tool: 'report', outcome: 'denied' });
});

t.test('a tool that does not run as a task is not called as one', async (t) => {
  const setup = await startTasks(t);
  const plain = createReferenceServer('older');
  setup.gateway.connections.push(createConnection('plain', (await startTestServer(t, plain.handle)).url));
  const client = await connect(t, setup, 'ann');
  const params = { name: 'plain__echo', arguments: {}, task: {} };
  await t.rejects(client.request({ method: 'tools/call', params }, CallToolResultSchema), {
    code: -32601,
    message: /echo does not run as a task/,
  });
  t.equal(plain.calls, 0);
  t.match(setup.gateway.audit.at(-1), { method: 'tools/call', tool: 'echo', outcome: 'denied' });
});
