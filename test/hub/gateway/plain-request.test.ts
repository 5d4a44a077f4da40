/** Whatever is read without the SDK the SDK would have let through: the short way is never the wider one. */
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import t from 'tap';
import { plainRequest } from '../../../src/hub/gateway/plain-request.ts';
import { principalOf } from './house.ts';
import { json, toolCall } from './posting.ts';

type Members = Record<string, unknown>;

/** True where a server of the SDK gets to run the tool. */
async function isServed(headers: Record<string, string>, body: unknown): Promise<boolean> {
  let ran = false;
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: 'judge', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/call', async () => {
        ran = true;
        return { content: [] };
      });
      return server;
    },
    { legacy: 'reject' },
  );
  await handler.fetch(requestOf(headers), { parsedBody: body });
  await handler.close();
  return ran;
}

function requestOf(headers: Record<string, string>): Request {
  return new Request('http://127.0.0.1/agent/mcp', { method: 'POST', headers, body: '{}' });
}

function isPlain(headers: Record<string, string>, body: unknown): boolean {
  const request = requestOf(headers);
  const arrived = {
    principal: principalOf('ann'),
    requestBytes: 1,
    headers: request.headers,
    begun: new Set<string>(),
  };
  return plainRequest(arrived, request, body) !== undefined;
}

const keys = ['protocolVersion', 'clientInfo', 'clientCapabilities', 'logLevel', 'other'];
const metaKeys = [...keys.map((key) => `io.modelcontextprotocol/${key}`), 'progressToken', 'traceparent', 'x/note'];
const places: readonly (readonly string[])[] = [
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
const anything = fc.oneof(
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
const changed = fc.record({
  body: fc.array(fc.record({ at: fc.constantFrom(...places), value: anything }), { maxLength: 2 }),
  headers: fc.array(fc.record({ name: fc.constantFrom(...headerNames), value: fc.option(headerValue) }), {
    maxLength: 1,
  }),
});

function put(target: unknown, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (typeof target !== 'object' || target === null) return;
  const members: Members = Object(target);
  if (rest.length > 0) put(members[name], rest, value);
  else if (value === undefined) delete members[name];
  else members[name] = value;
}

t.test('what is read as plain is what the SDK serves', async (t) => {
  const counts = { plain: 0, others: 0 };
  await fc.assert(
    fc.asyncProperty(changed, async (changes) => {
      const [valid, named] = toolCall('one__tool', { text: 'x' });
      const body: unknown = structuredClone(valid);
      for (const { at, value } of changes.body) put(body, at, value);
      const headers: Record<string, string> = Object.fromEntries(
        Object.entries({ ...json, ...named }).map(([name, value]) => [name.toLowerCase(), value]),
      );
      for (const { name, value } of changes.headers) {
        if (value === null) delete headers[name];
        else headers[name] = value;
      }
      if (!isPlain(headers, body)) {
        counts.others += 1;
        return true;
      }
      counts.plain += 1;
      return isServed(headers, body);
    }),
    { numRuns: 1500 },
  );
  t.ok(counts.plain > 200 && counts.others > 200, JSON.stringify(counts));
});
