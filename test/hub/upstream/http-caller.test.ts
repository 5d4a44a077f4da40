/** Requests over Streamable HTTP: what arrives before the response, broken streams, and numbers as they were sent. */
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { createToolCall, initialize, jsonHeaders, post } from '../fixtures/mcp-requests.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

type JsonObject = Record<string, unknown>;
type Received = {
  readonly method: string;
  readonly headers: Headers;
  readonly text: string;
  readonly message: JsonObject;
};

/** A server with sessions, and a script for calls and for resumed streams. */
async function startScriptedServer(
  t: Test,
  call: (message: JsonObject, received: Received) => Response,
  resume: (lastEventId: string) => Response = () => new Response(null, { status: 405 }),
) {
  const requests: Received[] = [];
  const callIds: unknown[] = [];
  const upstream = await startTestServer(t, async (request) => {
    const text = await request.text();
    const message: JsonObject = text === '' ? {} : JSON.parse(text);
    const received = { method: request.method, headers: request.headers, text, message };
    requests.push(received);
    const lastEventId = request.headers.get('last-event-id');
    if (lastEventId !== null) return resume(lastEventId);
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const { id, method } = message;
    if (method === 'tools/call') {
      callIds.push(id);
      return call(message, received);
    }
    if (id === undefined || method === undefined) return new Response(null, { status: 202 });
    const headers = { 'Mcp-Session-Id': 's1' };
    if (method === 'initialize') {
      const result = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      };
      return Response.json({ jsonrpc: '2.0', id, result }, { headers });
    }
    if (method !== 'tools/list')
      return Response.json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } });
    const tools = [{ name: 'tool', inputSchema: { type: 'object' } }];
    return Response.json({ jsonrpc: '2.0', id, result: { tools } });
  });
  const gateway = await startTestGateway(t, [createConnection('up', upstream.url)]);
  return { gateway, url: gateway.server.url, requests, callIds };
}

function createStream(text: string): Response {
  return new Response(text, { headers: { 'Content-Type': 'text/event-stream' } });
}

const done = { content: [{ type: 'text', text: 'done' }] };

t.test('a stream that ends early is resumed after its last event, and the call is not repeated', async (t) => {
  const server = await startScriptedServer(
    t,
    () => createStream('retry: 20\nid: first\ndata:\n\nid: second\ndata: {"jsonrpc":"2.0","method":"x"}\n\n'),
    (lastEventId) => {
      const result = { content: [{ type: 'text', text: `after ${lastEventId}` }] };
      const [id] = server.callIds;
      return createStream(`id: third\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    },
  );
  const response = await post(server.url, 'ann', ...createToolCall('up__tool', {}));
  t.match(await response.json(), { result: { content: [{ text: 'after second' }] } });
  t.equal(server.callIds.length, 1);
  const resumed = server.requests.find(({ headers }) => headers.has('last-event-id'));
  t.equal(resumed?.headers.get('mcp-session-id'), 's1');
});

t.test('a stream that ends early without ids fails at once', async (t) => {
  const server = await startScriptedServer(t, () => createStream('data: {"jsonrpc":"2.0","method":"x"}\n\n'));
  const response = await post(server.url, 'ann', ...createToolCall('up__tool', {}));
  t.match(await response.json(), { error: { data: { code: 'UPSTREAM_UNREACHABLE' } } });
  t.equal(server.callIds.length, 1);
});

t.test('progress arrives in order before the result, on the stream of its call', async (t) => {
  const server = await startScriptedServer(t, ({ id, params }) => {
    const { progressToken } = Object(Object(params)._meta);
    const messages: JsonObject[] = [1, 2, 3].map((progress) => ({
      method: 'notifications/progress',
      params: { progressToken, progress },
    }));
    messages.splice(1, 0, { method: 'notifications/progress', params: { progressToken: 'of another', progress: 9 } });
    messages.push({ id, result: done });
    return createStream(
      messages.map((message) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`).join(''),
    );
  });
  const response = await post(server.url, 'ann', ...createToolCall('up__tool', {}, { progressToken: 'mine' }));
  t.equal(response.headers.get('content-type'), 'text/event-stream');
  const events = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
  const messages = events.map((line): JsonObject => JSON.parse(line.slice('data: '.length)));
  t.same(
    messages.slice(0, 3).map(({ params }) => params),
    [1, 2, 3].map((progress) => ({ progressToken: 'mine', progress })),
  );
  t.match(messages[3], { id: 7, result: done });
  t.equal(messages.length, 4);
});

t.test('a call that the caller cancels is cancelled at the server, by its id there', async (t) => {
  const server = await startScriptedServer(t, () => createStreamThatStaysOpen(t));
  const started = await post(server.url, 'ann', initialize);
  const session = { 'Mcp-Session-Id': started.headers.get('mcp-session-id') ?? '' };
  const call = { jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'up__tool', arguments: {} } };
  const pending = post(server.url, 'ann', call, session);
  t.ok(await eventually(() => server.callIds.length === 1));
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } };
  t.equal((await post(server.url, 'ann', cancelled, session)).status, 202);
  await (await pending).text();
  const isReported = () =>
    server.requests.some(({ message }) => Object(message.params).requestId === server.callIds[0]);
  t.ok(await eventually(isReported));
  t.ok(await eventually(() => server.gateway.audit.length === 1));
  t.match(server.gateway.audit, [{ outcome: 'cancelled' }]);
});

function createStreamThatStaysOpen(t: Test): Response {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(': open\n\n'));
      t.teardown(() => {
        try {
          controller.close();
        } catch {} // The reader has left.
      });
    },
  });
  return new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } });
}

t.test('numbers arrive as they were sent, both ways', async (t) => {
  const numbers = '[9007199254740993,1.0,1e3,-0.0,0.1]';
  const server = await startScriptedServer(t, ({ id }) => {
    const result = `{"content":[],"structuredContent":{"numbers":${numbers}}}`;
    const headers = { 'Content-Type': 'application/json' };
    return new Response(`{"jsonrpc":"2.0","id":${id},"result":${result}}`, { headers });
  });
  const [body, mcpHeaders] = createToolCall('up__tool', { numbers: 'NUMBERS' });
  const sentText = JSON.stringify(body).replace('"NUMBERS"', numbers);
  const headers = { ...jsonHeaders, ...mcpHeaders, Authorization: 'Bearer ann' };
  const response = await fetch(server.url, { method: 'POST', headers, body: sentText });
  t.match(await response.text(), `"structuredContent":{"numbers":${numbers}}`);
  const call = server.requests.find(({ message }) => message.method === 'tools/call');
  t.match(call?.text, `"arguments":{"numbers":${numbers}}`);
  const [row] = server.gateway.audit;
  t.equal(JSON.stringify(Object(row).arguments), `{"numbers":${numbers}}`, 'the audit has what was sent');
});
