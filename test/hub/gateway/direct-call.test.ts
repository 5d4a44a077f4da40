/** Direct calls are only what the SDK accepts. */
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import t from 'tap';
import { parseModernCall } from '../../../src/hub/gateway/direct-call.ts';
import { createToolCall, jsonHeaders } from '../fixtures/mcp-requests.ts';
import { createPrincipal } from '../fixtures/test-gateway.ts';

type JsonObject = Record<string, unknown>;

/** True if a server of the SDK runs the tool. */
async function isServedBySdk(headers: Record<string, string>, body: unknown): Promise<boolean> {
  let wasCalled = false;
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: 'judge', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/call', async () => {
        wasCalled = true;
        return { content: [] };
      });
      return server;
    },
    { legacy: 'reject' },
  );
  await handler.fetch(createRequest(headers), { parsedBody: body });
  await handler.close();
  return wasCalled;
}

function createRequest(headers: Record<string, string>): Request {
  return new Request('http://127.0.0.1/agent/mcp', { method: 'POST', headers, body: '{}' });
}

function isDirect(headers: Record<string, string>, body: unknown): boolean {
  const request = createRequest(headers);
  const incoming = {
    principal: createPrincipal('ann'),
    requestBytes: 1,
    headers: request.headers,
    handledIds: new Set<string>(),
  };
  return parseModernCall(incoming, request, body) !== undefined;
}

const keys = ['protocolVersion', 'clientInfo', 'clientCapabilities', 'logLevel', 'other'];
const metaKeys = [...keys.map((key) => `io.modelcontextprotocol/${key}`), 'progressToken', 'traceparent', 'x/note'];
const paths: readonly (readonly string[])[] = [
  ...['jsonrpc', 'id', 'method', 'params', 'extra', 'result', 'error'].map((name) => [name]),
  ...['name', 'arguments', '_meta', 'task', 'inputResponses', 'requestState', 'extra'].map((name) => ['params', name]),
  ...metaKeys.map((name) => ['params', '_meta', name]),
  ...['name', 'version', 'title', 'icons', 'websiteUrl', 'extra'].map((name) => [
    'params',
    '_meta',
    metaKeys[1] ?? '',
    name,
  ]),
  ...['sampling', 'elicitation', 'roots', 'tasks', 'x'].map((name) => ['params', '_meta', metaKeys[2] ?? '', name]),
];
const headerNames = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'];
const anyValue = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    0,
    1.5,
    -1,
    2 ** 60,
    '',
    'tools/call',
    'tools/list',
    '2.0',
    '2026-07-28',
  ),
  fc.constantFrom<unknown>('2025-11-25', 'one__tool', [], {}, [1], { a: 1 }, { form: {} }, { name: 'x', version: '1' }),
  fc.jsonValue(),
);
const headerValue = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  '*/*',
  'text/event-stream, application/json',
  '2026-07-28',
  '2025-11-25',
  'tools/call',
  'one__tool',
  ' one__tool ',
  'one__Tool',
  `=?base64?${Buffer.from('one__tool').toString('base64')}?=`,
  '',
);
const changeSet = fc.record({
  body: fc.array(fc.record({ at: fc.constantFrom(...paths), value: anyValue }), { maxLength: 2 }),
  headers: fc.array(fc.record({ name: fc.constantFrom(...headerNames), value: fc.option(headerValue) }), {
    maxLength: 1,
  }),
});

function setAt(target: unknown, [name = '', ...remainingPath]: readonly string[], value: unknown): void {
  if (typeof target !== 'object' || target === null) return;
  const container: JsonObject = Object(target);
  if (remainingPath.length > 0) setAt(container[name], remainingPath, value);
  else if (value === undefined) delete container[name];
  else container[name] = value;
}

t.test('the SDK serves every direct call', async (t) => {
  const counts = { plain: 0, others: 0 };
  await fc.assert(
    fc.asyncProperty(changeSet, async (changes) => {
      const [validBody, mcpHeaders] = createToolCall('one__tool', { text: 'x' });
      const body: unknown = structuredClone(validBody);
      for (const { at, value } of changes.body) setAt(body, at, value);
      const headers: Record<string, string> = Object.fromEntries(
        Object.entries({ ...jsonHeaders, ...mcpHeaders }).map(([name, value]) => [name.toLowerCase(), value]),
      );
      for (const { name, value } of changes.headers) {
        if (value === null) delete headers[name];
        else headers[name] = value;
      }
      if (!isDirect(headers, body)) {
        counts.others += 1;
        return true;
      }
      counts.plain += 1;
      return isServedBySdk(headers, body);
    }),
    { numRuns: 1500 },
  );
  t.ok(counts.plain > 200 && counts.others > 200, JSON.stringify(counts));
});
