/** A large result that comes as JSON in bytes: sent on as it came, without a copy of its long strings. */
import t from 'tap';
import { toResultText } from '../../../src/hub/gateway/result-text.ts';
import { noMask } from '../../../src/hub/upstream/credential-masker.ts';
import { HttpCaller } from '../../../src/hub/upstream/http-caller.ts';
import { encodeParts } from '../../../src/json/json-parts.ts';
import { createToolCall, post } from '../fixtures/mcp-requests.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const long = `${'x'.repeat(600_000)} secret-word`;
const escaped = `${'x'.repeat(70_000)}\\u00e9\\/\\n${'word '.repeat(10_000)}`;
const resultJson = `{"content":[{"type":"text","text":"${long}"},{"type":"text","text":"${escaped}"}]}`;
const message = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${resultJson}}`);

async function callWithBytes(sent: Uint8Array = message, isModern = true) {
  const response = { status: 200, headers: { 'content-type': 'application/json' }, body: Uint8Array.from(sent) };
  const client = { name: 'vp', version: '1' };
  const caller = new HttpCaller(
    async () => response,
    { after: () => () => {} },
    client,
    () => {},
  );
  const revision = isModern ? '2026-07-28' : '2025-11-25';
  const session = { revision, isModern, sessionId: undefined, onMissingType: () => {} };
  const call = { onProgress: undefined, onLog: undefined, askCaller: undefined };
  const deadline = { signal: new AbortController().signal, touch: () => {}, abort: () => {} };
  const upstreamResult = await caller.send({ method: 'tools/call', params: { name: 'tool' }, session, call }, deadline);
  return { upstreamResult, memory: response.body.buffer };
}

t.test('long strings are parts of the bytes that came', async (t) => {
  const { upstreamResult, memory } = await callWithBytes();
  const toPublic = (result: Record<string, unknown>) => result;
  const { parts } = await toResultText({ upstreamResult, publicResult: upstreamResult, toPublic, mask: noMask });
  const encoded = encodeParts(parts);
  t.equal(encoded.filter(({ buffer }) => buffer === memory).length, 2);
  t.same(JSON.parse(Buffer.concat(encoded).toString()), JSON.parse(resultJson));
  t.ok(Buffer.concat(encoded).includes(escaped), 'as it was sent');
});

const small = `"content":[{"type":"text","text":"${'y'.repeat(70_000)}"}]`;
const junk = 'x'.repeat(2_000_000);
for (const [name, isModern, json] of [
  ['members of the message', true, `{"jsonrpc":"2.0","id":1,"junk":"${junk}","result":{${small}}}`],
  [
    'a type that the revision does not have',
    false,
    `{"jsonrpc":"2.0","id":1000000001,"result":{"resultType":"${junk}",${small}}}`,
  ],
  ['many small members', true, `{"jsonrpc":"2.0","id":1,"result":{${small},"_meta":{"n":[${'1,'.repeat(700_000)}1]}}}`],
] as const)
  t.test(`a part of a response that is mostly ${name} does not keep the rest in memory`, async (t) => {
    const { upstreamResult } = await callWithBytes(Buffer.from(json), isModern);
    const toPublic = (result: Record<string, unknown>) => result;
    const { parts } = await toResultText({ upstreamResult, publicResult: upstreamResult, toPublic, mask: noMask });
    const sent = encodeParts(parts);
    const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
    t.ok(sum(sent.map(({ buffer }) => buffer.byteLength)) <= 1.25 * sum(sent.map(({ length }) => length)));
    t.ok(Buffer.concat(sent).includes(small));
  });

t.test('a credential in them is hidden', async (t) => {
  const { upstreamResult } = await callWithBytes();
  const toPublic = (result: Record<string, unknown>) => result;
  const mask = (json: string): string => json.replaceAll('secret-word', '[hidden]');
  const { parts, isMasked } = await toResultText({ upstreamResult, publicResult: upstreamResult, toPublic, mask });
  t.ok(isMasked);
  const expected = JSON.parse(resultJson.replace('secret-word', '[hidden]'));
  t.strictSame(JSON.parse(Buffer.concat(encodeParts(parts)).toString()), expected);
});

t.test('a client gets such a result as its server sent it', async (t) => {
  const upstream = await startTestServer(t, async (request) => {
    const { id, method }: { id?: unknown; method?: string } = await request.json();
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
    const headers = { 'Content-Type': 'application/json' };
    if (method === 'tools/call') return new Response(`${head}${resultJson}}`, { headers });
    if (method === 'initialize') {
      const result = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      };
      return Response.json({ jsonrpc: '2.0', id, result });
    }
    if (method !== 'tools/list') return new Response(null, { status: id === undefined ? 202 : 400 });
    return Response.json({
      jsonrpc: '2.0',
      id,
      result: { tools: [{ name: 'tool', inputSchema: { type: 'object' } }] },
    });
  });
  const gateway = await startTestGateway(t, [createConnection('up', upstream.url)]);
  const response = await post(gateway.server.url, 'ann', ...createToolCall('up__tool', {}));
  const text = await response.text();
  t.ok(text.includes(`"text":"${escaped}"`));
  t.strictSame(JSON.parse(text).result.content, JSON.parse(resultJson).content);
});
