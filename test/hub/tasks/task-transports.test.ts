/** Tasks of servers that are reached otherwise than over Streamable HTTP: programs, and the older HTTP with SSE. */
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { createOlderTaskServer } from '../fixtures/older-task-server.ts';
import { createSseServer } from '../fixtures/sse-server.ts';
import { createConnection, startTestGateway, type TestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';
import { startPipeGateway } from '../upstream/commands/pipe-gateway.ts';

type Setup = { readonly gateway: TestGateway; readonly prefix: string };

/** With `finishes`, tasks of `report` end soon. */
async function startProgram(t: Test, finishes: boolean): Promise<Setup> {
  const { gateway } = await startPipeGateway(t, finishes ? 'finishes' : 'waits', '', 'stdio-task-server.ts');
  return { gateway, prefix: 'pipe__' };
}

async function startSse(t: Test, finishes: boolean): Promise<Setup> {
  const taskStore = new InMemoryTaskStore();
  t.teardown(() => taskStore.cleanup());
  const reports = new Set<(text: string) => void>();
  const finishing = setInterval(() => {
    if (finishes) for (const finish of reports) finish('ready');
  }, 100);
  t.teardown(() => clearInterval(finishing));
  const sse = createSseServer(() => createOlderTaskServer(taskStore, [], reports) as unknown as SseTaskServer);
  const { url } = await startTestServer(t, (request) => sse.handle(request));
  return { gateway: await startTestGateway(t, [createConnection('good', url, { kind: 'sse' })]), prefix: 'good__' };
}
/** The types of both official lines differ, and their transports do not. */
type SseTaskServer = ReturnType<Parameters<typeof createSseServer>[0]>;

async function connect(t: Test, gateway: TestGateway, statuses: unknown[]): Promise<OlderClient> {
  const client = new OlderClient({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { name: 'Ann' } }));
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void statuses.push(params));
  const requestInit = { headers: { Authorization: 'Bearer ann' } };
  const transport = new StreamableHTTPClientTransport(new URL(gateway.server.url), { requestInit });
  // Its types predate exact optional members.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  t.teardown(() => client.close());
  await client.listTools();
  return client;
}

for (const [name, start] of [
  ['a program', startProgram],
  ['the older HTTP with SSE', startSse],
] as const) {
  t.test(`${name}: a task is started, its status reported, and its result read`, async (t) => {
    const { gateway, prefix } = await start(t, true);
    const statuses: unknown[] = [];
    const client = await connect(t, gateway, statuses);
    const call = { name: `${prefix}report`, arguments: {} };
    const messages = [];
    for await (const message of client.experimental.tasks.callToolStream(call, CallToolResultSchema, {
      task: { ttl: 60_000 },
    }))
      messages.push(message);
    t.match(messages[0], { type: 'taskCreated', task: { taskId: /^vpt\./ } });
    t.match(messages.at(-1), { type: 'result', result: { content: [{ text: 'ready' }] } });
    t.ok(await eventually(() => statuses.length > 0));
    t.match(statuses[0], { taskId: Object(messages[0]).task.taskId, status: 'completed' });
  });

  t.test(`${name}: a task is cancelled`, async (t) => {
    const { gateway, prefix } = await start(t, false);
    const client = await connect(t, gateway, []);
    const call = { name: `${prefix}report`, arguments: {} };
    const options = { task: { ttl: 60_000 } };
    const { value } = await client.experimental.tasks.callToolStream(call, CallToolResultSchema, options).next();
    const { taskId } = Object(value).task;
    t.match(await client.experimental.tasks.cancelTask(taskId), { taskId, status: 'cancelled' });
  });

  t.test(`${name}: a client that knows no tasks gets the result of a tool that asks a question`, async (t) => {
    const { gateway, prefix } = await start(t, false);
    const client = await connect(t, gateway, []);
    const params = { name: `${prefix}greet`, arguments: {} };
    const result = await client.request({ method: 'tools/call', params }, CallToolResultSchema);
    t.match(result, { content: [{ text: 'hello Ann' }] });
  });
}
