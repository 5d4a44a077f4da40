/** A server that repeats the credential that it is sent, in every member that carries text of servers: no caller sees it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { createEventStream } from '../fixtures/raw-server.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

type JsonObject = Record<string, unknown>;

const atTime = '2026-11-23T00:00:00Z';

/** A server of 2025-11-25 that repeats the header in each description, message, status and error. */
function createEchoingServer() {
  return async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const { id, method, params = {} } = Object(await request.json());
    const echoed = `I was sent ${request.headers.get('authorization')}`;
    const task = {
      taskId: 'task-1',
      status: 'working',
      statusMessage: echoed,
      ttl: null,
      createdAt: atTime,
      lastUpdatedAt: atTime,
    };
    const form = { type: 'object', properties: { name: { type: 'string', description: echoed } } };
    const results: Record<string, JsonObject> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: {
          tools: {},
          prompts: {},
          resources: {},
          completions: {},
          logging: {},
          tasks: { requests: { tools: { call: {} } } },
        },
        serverInfo: { name: echoed, version: '1' },
        instructions: echoed,
      },
      'tools/list': {
        tools: [
          {
            name: 'tool',
            description: echoed,
            inputSchema: { type: 'object' },
            execution: { taskSupport: 'optional' },
          },
        ],
      },
      'prompts/list': { prompts: [{ name: 'prompt', description: echoed }] },
      'resources/list': { resources: [{ uri: 'note://one', name: 'one', description: echoed }] },
      'resources/templates/list': {
        resourceTemplates: [{ uriTemplate: 'note://{name}', name: 'any', description: echoed }],
      },
      'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: echoed } }] },
      'resources/read': { contents: [{ uri: 'note://one', text: echoed }] },
      'completion/complete': { completion: { values: [echoed] } },
      'tasks/get': task,
      'tasks/cancel': { ...task, status: 'cancelled' },
      'tasks/result': { content: [{ type: 'text', text: echoed }] },
    };
    if (id === undefined || method === undefined) return new Response(null, { status: 202 });
    const notification = (name: string, content: JsonObject) => ({ jsonrpc: '2.0', method: name, params: content });
    if (method !== 'tools/call') return Response.json({ jsonrpc: '2.0', id, result: results[method] ?? {} });
    const { progressToken } = Object(params._meta);
    const isTask = params.task !== undefined;
    const isFailing = Object(params.arguments).fails === true;
    const answer = isFailing
      ? { error: { code: -32000, message: echoed, data: { echoed } } }
      : { result: isTask ? { task } : { content: [{ type: 'text', text: echoed }], structuredContent: { echoed } } };
    return createEventStream([
      ...(progressToken === undefined
        ? []
        : [notification('notifications/progress', { progressToken, progress: 1, message: echoed })]),
      notification('notifications/message', { level: 'info', data: { echoed } }),
      {
        jsonrpc: '2.0',
        id: 'q1',
        method: 'elicitation/create',
        params: { mode: 'form', message: echoed, requestedSchema: form },
      },
      ...(isTask ? [notification('notifications/tasks/status', { ...task, statusMessage: `soon: ${echoed}` })] : []),
      { jsonrpc: '2.0', id, ...answer },
    ]);
  };
}

const credential = { kind: 'header', header: 'Authorization' } as const;

async function startEchoing(t: Test) {
  const upstream = await startTestServer(t, createEchoingServer());
  const connection = createConnection('bad', upstream.url, { credential, protocol: 'older' });
  const gateway = await startTestGateway(t, [connection]);
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {}, tasks: {} } });
  const received: { readonly from: string; readonly value: unknown }[] = [];
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    received.push({ from: 'elicitation/create', value: params });
    return { action: 'accept', content: { name: 'Ann' } };
  });
  client.fallbackNotificationHandler = async ({ method, params }) =>
    void received.push({ from: method, value: params });
  const requestInit = { headers: { Authorization: 'Bearer ann' } };
  const transport = new StreamableHTTPClientTransport(new URL(gateway.server.url), { requestInit });
  // Its types predate exact optional members.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  t.teardown(() => client.close());
  const send = async (method: string, params: JsonObject = {}): Promise<JsonObject> => {
    const value = await client
      .request({ method, params } as Parameters<typeof client.request>[0], ResultSchema, {
        onprogress: (value) => void received.push({ from: 'notifications/progress', value }),
      })
      .catch((error: unknown) => ({ error: String(error), data: Object(error).data }));
    received.push({ from: method, value });
    return value;
  };
  return { upstream, gateway, connection, send, received };
}

t.test('every member with text of a server hides its credential', async (t) => {
  const { upstream, gateway, connection, send, received } = await startEchoing(t);
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) await send(method);
  await send('prompts/get', { name: 'bad__prompt' });
  await send('resources/read', { uri: 'hub.bad+note://one' });
  const ref = { type: 'ref/prompt', name: 'bad__prompt' };
  await send('completion/complete', { ref, argument: { name: 'whom', value: '' } });
  await send('logging/setLevel', { level: 'debug' });
  await send('tools/call', { name: 'bad__tool', arguments: {} });
  await send('tools/call', { name: 'bad__tool', arguments: { fails: true } });
  const { task } = await send('tools/call', { name: 'bad__tool', arguments: {}, task: { ttl: 60_000 } });
  const { taskId } = Object(task);
  t.match(taskId, /^vpt\./);
  await send('tasks/list');
  await send('tasks/get', { taskId });
  await send('tasks/list');
  await send('tasks/result', { taskId });
  await send('tasks/cancel', { taskId });
  await send('tasks/list');
  await eventually(() => received.some(({ from }) => from === 'notifications/tasks/status'));
  const silent = new Set(['logging/setLevel']);
  for (const { from, value } of received.filter((item) => !silent.has(item.from))) {
    const text = JSON.stringify(value);
    t.notMatch(text, /upstream-secret/, from);
    t.match(text, /I was sent Bearer \[hidden\]/, `${from} is delivered otherwise`);
  }
  const sources = new Set(received.map(({ from }) => from));
  for (const name of ['elicitation/create', 'notifications/message', 'notifications/progress'])
    t.ok(sources.has(name), name);
  t.ok(upstream.receivedHeaders.some((headers) => headers.get('authorization') === 'Bearer upstream-secret'));
  t.notMatch(JSON.stringify([gateway.audit, gateway.states]), /upstream-secret/);
  const info = await gateway.gateway.upstreams.get(connection, 'ann').getInfo();
  t.notMatch(JSON.stringify(info), /upstream-secret/);
  t.match(info, { server: { name: 'I was sent Bearer [hidden]' }, instructions: 'I was sent Bearer [hidden]' });
});
