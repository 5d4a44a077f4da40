/** How much a server may send, and ask, before the response to a call. */
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { initialize, jsonHeaders, post } from '../fixtures/mcp-requests.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

type JsonObject = Record<string, unknown>;
type Script = (id: unknown) => Iterable<JsonObject>;

const eventsPerChunk = 1000;

/** An event stream that is made while it is read. */
function createStream(messages: Iterable<JsonObject>): Response {
  const iterator = messages[Symbol.iterator]();
  const body = new ReadableStream({
    pull(controller) {
      let text = '';
      for (let count = 0; count < eventsPerChunk; count += 1) {
        const next = iterator.next();
        if (next.done) {
          if (text !== '') controller.enqueue(new TextEncoder().encode(text));
          controller.close();
          return;
        }
        text += `data: ${JSON.stringify({ jsonrpc: '2.0', ...next.value })}\n\n`;
      }
      controller.enqueue(new TextEncoder().encode(text));
    },
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
}

/** A server with sessions whose call is `script`, and a client in a session that answers questions. */
async function startScripted(
  t: Test,
  script: Script,
  { listen, hold }: { listen?: () => Response; hold?: Promise<void> } = {},
) {
  const answers: JsonObject[] = [];
  const cancelled: unknown[] = [];
  let answering = 0;
  let maxAnswering = 0;
  const upstream = await startTestServer(t, async (request) => {
    if (request.method !== 'POST') return listen?.() ?? new Response(null, { status: 405 });
    const message: JsonObject = JSON.parse(await request.text());
    const { id, method } = message;
    if (method === 'tools/call') return createStream(script(id));
    if (method === undefined) {
      answers.push(message);
      answering += 1;
      maxAnswering = Math.max(maxAnswering, answering);
      await (hold ?? new Promise((resolve) => setImmediate(resolve)));
      answering -= 1;
    }
    if (method === 'notifications/cancelled') cancelled.push(Object(message.params).requestId);
    if (id === undefined || method === undefined) return new Response(null, { status: 202 });
    const serverInfo = { name: 's', version: '1' };
    if (method === 'initialize') {
      const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
      return Response.json({ jsonrpc: '2.0', id, result }, { headers: { 'Mcp-Session-Id': 's1' } });
    }
    const tools = [{ name: 'tool', inputSchema: { type: 'object' } }];
    if (method === 'tools/list') return Response.json({ jsonrpc: '2.0', id, result: { tools } });
    return Response.json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } });
  });
  const timeouts = { idleMs: 600_000, totalMs: 600_000 };
  const gateway = await startTestGateway(t, [createConnection('up', upstream.url)], { timeouts });
  const { url } = gateway.server;
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const params = { ...initialize.params, capabilities };
  const session = (await post(url, 'ann', { ...initialize, params })).headers.get('mcp-session-id') ?? '';
  const headers = { ...jsonHeaders, Authorization: 'Bearer ann', 'Mcp-Session-Id': session };
  const call = async (): Promise<string> => {
    const body = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'up__tool', arguments: {} } };
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).text();
  };
  return { call, answers, cancelled, gateway, maxAnswering: () => maxAnswering };
}

function* repeat(count: number, create: (index: number) => JsonObject, id?: unknown): Generator<JsonObject> {
  for (let index = 1; index <= count; index += 1) yield create(index);
  if (id !== undefined) yield { id, result: { content: [{ type: 'text', text: 'done' }] } };
}

const createLog = (): JsonObject => ({ method: 'notifications/message', params: { level: 'debug', data: 'x' } });
const createQuestion = (id: number): JsonObject => ({
  id,
  method: 'elicitation/create',
  params: { message: 'x', requestedSchema: { type: 'object', properties: {} } },
});

t.test('a server that reports without an end ends its call with an error, and is told', async (t) => {
  const { call, cancelled, gateway } = await startScripted(t, () => repeat(Number.POSITIVE_INFINITY, createLog));
  const text = await call();
  t.match(text, /UPSTREAM_MESSAGES_EXCEEDED/);
  t.match(text, /more than 100000 messages/);
  t.equal(await eventually(async () => (cancelled.length > 0 ? cancelled.length : undefined)), 1);
  t.match(gateway.audit, [{ tool: 'tool', outcome: 'failed', reason: 'UPSTREAM_MESSAGES_EXCEEDED' }]);
});

t.test('so many reports as a talkative server makes in 15 minutes are passed on', async (t) => {
  const { call } = await startScripted(t, (id) => repeat(90_000, createLog, id));
  t.match(await call(), /"text":"done"/);
});

t.test('more questions at once than anybody answers end the call', async (t) => {
  const { call } = await startScripted(t, () => repeat(Number.POSITIVE_INFINITY, createQuestion));
  t.match(await call(), /more than 100 questions at once/);
});

t.test('pings are answered, a few at once, and not without an end', async (t) => {
  const createPing = (id: number): JsonObject => ({ id, method: 'ping' });
  const few = await startScripted(t, (id) => repeat(50, createPing, id));
  t.match(await few.call(), /"text":"done"/);
  const flood = await startScripted(t, () => repeat(Number.POSITIVE_INFINITY, createPing));
  t.match(await flood.call(), /UPSTREAM_MESSAGES_EXCEEDED/);
  t.ok(flood.answers.length <= 1000, `${flood.answers.length} answers`);
  t.ok(flood.maxAnswering() <= 100, `${flood.maxAnswering()} at once`);
});

t.test('a server that floods its stream of notifications with pings gets a few answers at once', async (t) => {
  const released = Promise.withResolvers<void>();
  t.teardown(() => released.resolve());
  let isRead = false;
  function* pings(): Generator<JsonObject> {
    yield* repeat(20_000, (id) => ({ id: `p${id}`, method: 'ping' }));
    isRead = true;
  }
  let streams = 0;
  const listen = () => {
    streams += 1;
    return streams === 1 ? createStream(pings()) : new Response(null, { status: 405 });
  };
  const script: Script = (id) => repeat(0, createLog, id);
  const { call, answers, maxAnswering } = await startScripted(t, script, { listen, hold: released.promise });
  t.match(await call(), /"text":"done"/);
  await eventually(async () => (isRead && answers.length >= 100 ? true : undefined));
  t.match(await call(), /"text":"done"/, 'calls go on meanwhile');
  t.equal(maxAnswering(), 100);
});
