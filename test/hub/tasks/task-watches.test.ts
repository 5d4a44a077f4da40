/** Clients that watch tasks: `notifications/tasks` of 2026-07-28, and the status that servers of 2025-11-25 report. */
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { TaskStatusNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { readEvents } from '../../../src/streams/event-reader.ts';
import { eventually } from '../../eventually.ts';
import { createMcpHeaders, post, requestMeta } from '../fixtures/mcp-requests.ts';
import { startNewestTaskServer } from '../fixtures/newest-task-server.ts';
import { startOlderTaskServer } from '../fixtures/older-task-server.ts';
import { quickClock } from '../fixtures/quick-clock.ts';
import { createConnection, startTestGateway, type TestGateway } from '../fixtures/test-gateway.ts';

type JsonObject = Record<string, unknown>;

const knowsTasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
function send(
  gateway: TestGateway,
  method: string,
  params: JsonObject,
  { person = 'ann', capabilities = knowsTasks }: { person?: string; capabilities?: JsonObject } = {},
): Promise<Response> {
  const _meta = { ...requestMeta, 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const headers = createMcpHeaders(method, String(params.taskId ?? params.name ?? ''));
  return post(gateway.server.url, person, { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta } }, headers);
}

async function startTasks(t: Test, clock = systemClock) {
  const upstream = await startNewestTaskServer(t);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)], { clock });
  const startTask = async (): Promise<string> => {
    const response = await send(gateway, 'tools/call', { name: 'good__report', arguments: {} });
    return String(Object(await response.json()).result.taskId);
  };
  return { upstream, gateway, startTask };
}

/** The messages of the subscription as they arrive. */
async function watch(t: Test, gateway: TestGateway, taskIds: readonly string[], person = 'ann') {
  const response = await send(gateway, 'subscriptions/listen', { notifications: { taskIds } }, { person });
  const messages: JsonObject[] = [];
  const body = response.body ?? new ReadableStream<Uint8Array>();
  const reader = readEvents(body);
  const reading = (async () => {
    for await (const { data } of reader) messages.push(JSON.parse(data));
  })();
  reading.catch(() => {});
  const close = async () => {
    await body.cancel().catch(() => {});
  };
  t.teardown(close);
  return { response, messages };
}

t.test('a client that watches a task gets its state, recorded like a request for it', async (t) => {
  const { upstream, gateway, startTask } = await startTasks(t);
  const taskId = await startTask();
  const { messages } = await watch(t, gateway, [taskId]);
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 7 };
  await eventually(() => messages.length === 1);
  t.match(messages[0], {
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { taskIds: [taskId] }, _meta },
  });
  t.same(upstream.watched(), ['task-1']);
  const link = { type: 'resource_link', uri: 'note://one', name: 'one' };
  upstream.finish('task-1', { status: 'completed', result: { content: [link] } });
  await eventually(() => messages.length === 2);
  t.match(messages[1], {
    method: 'notifications/tasks',
    params: { taskId, status: 'completed', result: { content: [{ uri: 'hub.good+note://one' }] }, _meta },
  });
  t.notMatch(JSON.stringify(messages), 'task-1');
  t.notOk('resultType' in Object(messages[1]).params);
  t.match(gateway.audit.at(-1), { method: 'tasks/get', tool: 'report', outcome: 'ok' });
});

t.test('the policy decides what a client that watches gets', async (t) => {
  const { upstream, gateway, startTask } = await startTasks(t);
  const { messages } = await watch(t, gateway, [await startTask()]);
  gateway.decideTask = () => ({ allowed: false, reason: 'not for you', cure: 'Ask.' });
  upstream.finish('task-1', { status: 'completed', result: { content: [] } });
  await eventually(() => gateway.audit.at(-1)?.outcome === 'denied');
  t.equal(messages.length, 1);
});

t.test('tasks of others are not watched, and a subscription to nothing ends', async (t) => {
  const { upstream, gateway, startTask } = await startTasks(t);
  const { response, messages } = await watch(t, gateway, [await startTask(), 'task-1', 'vpt.e30.AA'], 'bob');
  t.equal(response.status, 200);
  await eventually(() => messages.length === 2);
  t.same(Object(messages[0]).params.notifications, {});
  t.match(messages[1], { id: 7, result: { resultType: 'complete' } });
  t.same(upstream.watched(), []);
});

t.test('a client that does not declare the extension cannot watch tasks', async (t) => {
  const { gateway, startTask } = await startTasks(t);
  const params = { notifications: { taskIds: [await startTask()] } };
  const response = await send(gateway, 'subscriptions/listen', params, { capabilities: {} });
  t.match(await response.json(), { error: { code: -32021 } });
});

t.test('the watch ends at the server with the last client that watches', async (t) => {
  const { upstream, gateway, startTask } = await startTasks(t);
  const taskId = await startTask();
  const controllers = [new AbortController(), new AbortController()];
  for (const { signal } of controllers) {
    const _meta = { ...requestMeta, 'io.modelcontextprotocol/clientCapabilities': knowsTasks };
    const body = {
      jsonrpc: '2.0',
      id: 7,
      method: 'subscriptions/listen',
      params: { notifications: { taskIds: [taskId] }, _meta },
    };
    const headers = {
      ...createMcpHeaders('subscriptions/listen', ''),
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: 'Bearer ann',
    };
    await fetch(gateway.server.url, { method: 'POST', headers, body: JSON.stringify(body), signal });
  }
  t.same(upstream.watched(), ['task-1'], 'once for both');
  controllers[0]?.abort();
  t.same(upstream.watched(), ['task-1']);
  controllers[1]?.abort();
  t.ok(await eventually(() => upstream.watched().length === 0));
});

t.test('a watch that breaks is opened again, and what was missed is read', async (t) => {
  const { upstream, gateway, startTask } = await startTasks(t, quickClock);
  const taskId = await startTask();
  const { messages } = await watch(t, gateway, [taskId]);
  upstream.breakStreams();
  upstream.finish('task-1', { status: 'failed', error: { code: -32000, message: 'it went wrong' } });
  t.ok(await eventually(() => messages.length === 2));
  t.match(messages[1], { method: 'notifications/tasks', params: { taskId, status: 'failed' } });
  t.same(upstream.watched(), ['task-1']);
});

t.test('the status that a server of 2025-11-25 reports reaches the session that started the task', async (t) => {
  const upstream = await startOlderTaskServer(t);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const statuses: Record<string, unknown[]> = { ann: [], bob: [] };
  const clients = await Promise.all(
    Object.keys(statuses).map(async (person) => {
      const client = new OlderClient({ name: 'test', version: '1' }, { capabilities: {} });
      client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => {
        statuses[person]?.push(params);
      });
      const requestInit = { headers: { Authorization: `Bearer ${person}` } };
      const transport = new StreamableHTTPClientTransport(new URL(gateway.server.url), { requestInit });
      // Its types predate exact optional members.
      await client.connect(transport as Parameters<typeof client.connect>[0]);
      t.teardown(() => client.close());
      await client.listTools();
      return client;
    }),
  );
  const stream = clients[0]?.experimental.tasks.callToolStream({ name: 'good__report', arguments: {} }, undefined, {
    task: { ttl: 60_000 },
  });
  const { value } = (await stream?.next()) ?? {};
  const { taskId } = Object(value).task;
  t.ok(await eventually(() => upstream.taskIds.length === 1));
  upstream.finish('ready');
  t.ok(await eventually(() => statuses.ann?.length));
  t.match(statuses.ann?.[0], { taskId, status: 'completed' });
  t.notMatch(JSON.stringify(statuses.ann), upstream.taskIds[0] ?? 'no task');
  t.same(statuses.bob, []);
});
