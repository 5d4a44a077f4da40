/** Calls that are only looked at quickly and those that are validated by schemas send and return the same. */
import t from 'tap';
import { createToolCall, post } from '../fixtures/mcp-requests.ts';
import { createEventStream, createRawServer, createTextResult, createTool } from '../fixtures/raw-server.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'raw', version: '7' } };
const inputRequiredResult = { inputRequests: {}, requestState: 'state', resultType: 'input_required' };
const toolResults: Record<string, Record<string, unknown>> = {
  text: createTextResult('hello'),
  named: { ...createTextResult('hello'), _meta: serverInfo },
  noted: { ...createTextResult('hello'), _meta: { 'x/note': 1 } },
  failed: { ...createTextResult('it broke'), isError: true },
  structured: { ...createTextResult('{}'), structuredContent: { a: [1, { b: null }] } },
  number: { content: [], structuredContent: 7 },
  image: { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png', annotations: { priority: 1 } }] },
  link: { content: [{ type: 'resource_link', uri: 'x:y', name: 'y' }] },
  asks: inputRequiredResult,
  shapeless: { content: 'words' },
  kindless: { ...createTextResult('x'), resultType: 'new_kind' },
  more: { ...createTextResult('ünï\u2028cødé "quoted"'), extra: { stored: true } },
};

function createErrorResponse(id: unknown, error: Record<string, unknown>, status: number): Response {
  return Response.json({ jsonrpc: '2.0', id, error }, { status });
}

t.test('calls with and without a validation by schemas send and return the same', async (t) => {
  const sentRequests: { headers: Headers; body: Record<string, unknown> }[] = [];
  const upstream = await startTestServer(
    t,
    createRawServer({
      tools: () =>
        [...Object.keys(toolResults), 'refuses', 'wrong', 'broken', 'away', 'stream', 'silent'].map((name) =>
          createTool(name),
        ),
      async call({ name }, request) {
        const id = Object(sentRequests.at(-1)?.body).id;
        const { headers } = request;
        const toolResult = toolResults[String(name)];
        if (toolResult) return toolResult;
        if (name === 'refuses')
          return createErrorResponse(id, { code: -32602, message: 'no', data: { why: 'so' } }, 200);
        if (name === 'wrong') return createErrorResponse(id, { code: -32020, message: 'headers' }, 400);
        if (name === 'away') return new Response('gone', { status: 503 });
        if (name === 'broken') return new Response('{', { headers: { 'Content-Type': 'application/json' } });
        const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
        const eventMessage = {
          jsonrpc: '2.0',
          id,
          result: { ...createTextResult(headers.get('accept') ?? ''), resultType: 'complete' },
        };
        return name === 'stream' ? createEventStream([log, eventMessage]) : createEventStream([log]);
      },
      async any(request) {
        return request.method === 'POST' ? undefined : new Response(null, { status: 405 });
      },
    }),
    0,
    (headers, body) => void sentRequests.push({ headers, body }),
  );
  const gateway = await startTestGateway(t, [createConnection('raw', upstream.url)]);
  const callTool = async (name: string, extraMeta: Record<string, unknown>) => {
    const response = await post(gateway.server.url, 'ann', ...createToolCall(`raw__${name}`, { a: 1 }, extraMeta));
    const { headers, body } = sentRequests.at(-1) ?? {};
    const { 'io.modelcontextprotocol/unknown': _unknown, ...meta } = Object(Object(body?.params)._meta);
    const sent = { ...body, id: undefined, params: { ...Object(body?.params), _meta: meta } };
    const sentHeaders = [...(headers ?? [])].filter(
      ([key]) => !['content-length', 'accept-language', 'sec-fetch-mode'].includes(key),
    );
    const contentType = response.headers.get('content-type');
    // Problems of a response are found at another point, with other messages.
    const responseText = (await response.text()).replaceAll(/not valid MCP: [^;"]+/g, 'not valid MCP');
    return {
      status: response.status,
      type: contentType,
      body: JSON.parse(responseText),
      sent,
      headers: Object.fromEntries(sentHeaders),
    };
  };
  await callTool('text', {});
  for (const name of [...Object.keys(toolResults), 'refuses', 'wrong', 'broken', 'away', 'stream', 'silent']) {
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    const quickResult = await callTool(name, trace);
    const validatedResult = await callTool(name, { ...trace, 'io.modelcontextprotocol/unknown': 1 });
    t.same(quickResult, validatedResult, name);
    t.equal(Object(quickResult.sent.params._meta).traceparent, trace.traceparent);
  }
  const rows = gateway.audit.slice(1);
  t.same(
    rows.filter((_, index) => index % 2 === 0).map(({ outcome, reason }) => [outcome, reason]),
    rows.filter((_, index) => index % 2 === 1).map(({ outcome, reason }) => [outcome, reason]),
  );
});
