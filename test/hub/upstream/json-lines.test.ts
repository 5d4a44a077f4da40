/** Servers that send messages as lines of JSON where the protocol has an event stream. */
import t from 'tap';
import { eventually } from '../../eventually.ts';
import { createRawServer, createTextResult, createTool } from '../fixtures/raw-server.ts';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const jsonType = { headers: { 'Content-Type': 'application/json' } };

function toLines(messages: readonly object[]): string {
  return messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
}

t.test('progress and the result of a call are lines of one response', async (t) => {
  const state = { lines: '' };
  const upstream = await startTestServer(
    t,
    createRawServer({ tools: () => [createTool('echo')], call: () => new Response(state.lines, jsonType) }),
  );
  const gateway = await startTestGateway(t, [createConnection('lines', upstream.url)]);
  const client = await gateway.client('ann', modernClient);
  const result = { resultType: 'complete', ...createTextResult('done') };
  const progress = { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } };
  state.lines = toLines([progress, { id: 1, result }]);
  const reports: unknown[] = [];
  const call = { name: 'lines__echo', arguments: {} };
  t.match(await client.callTool(call, { onprogress: (report) => void reports.push(report) }), createTextResult('done'));
  t.match(reports, [{ progress: 1 }]);
  for (const lines of ['{"a":1}\n{"a"', toLines([progress]).repeat(2), '1\n2']) {
    state.lines = lines;
    await t.rejects(client.callTool(call), { code: -32603 });
  }
});

t.test('changed lists are lines of the response to a subscription', async (t) => {
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const send = (controller: ReadableStreamDefaultController<Uint8Array>, text: string): void =>
    controller.enqueue(new TextEncoder().encode(text));
  const tools = [createTool('first')];
  const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } } };
  const upstream = await startTestServer(t, async (request) => {
    const { id, method, params } = Object(request.method === 'POST' ? await request.clone().json() : {});
    if (method === 'server/discover')
      return Response.json({
        jsonrpc: '2.0',
        id,
        result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...discovered },
      });
    if (method !== 'subscriptions/listen') return createRawServer({ tools: () => tools })(request);
    const _meta = { 'io.modelcontextprotocol/subscriptionId': String(id) };
    const { notifications } = Object(params);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send(
          controller,
          toLines([{ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } }]),
        );
        open.add(controller);
      },
      cancel: () => open.clear(),
    });
    t.teardown(() => open.clear());
    return new Response(body, jsonType);
  });
  const gateway = await startTestGateway(t, [createConnection('lines', upstream.url)]);
  const client = await gateway.client('ann', modernClient);
  const list = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
  t.ok((await list()).includes('lines__first'));
  await eventually(() => open.size > 0);
  tools.push(createTool('second'));
  // A message of several lines, in two pieces.
  const [controller] = open;
  if (controller) {
    send(controller, '{"jsonrpc":"2.0",\n"method":"notifications/tools');
    send(controller, '/list_changed"}\n');
  }
  t.ok(await eventually(async () => (await client.listTools(undefined, { cacheMode: 'bypass' })).tools.length > 2));
});
