/** A large result that comes as JSON in bytes: sent on as it came, without a copy of its long strings. */
import t from 'tap';
import { toResultText } from '../../../src/hub/gateway/result-text.ts';
import { noMask } from '../../../src/hub/upstream/credential-masker.ts';
import { HttpCaller } from '../../../src/hub/upstream/http-caller.ts';
import { encodeParts } from '../../../src/json/json-parts.ts';
import { createToolCall, post } from '../fixtures/mcp-requests.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const long = `${'x'.repeat(70_000)}\\u00e9\\/\\n${'ä😀'.repeat(100_000)} secret-word`;
const resultJson = `{"content":[{"type":"text","text":"${long}"}]}`;
const message = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${resultJson}}`);

async function callWithBytes() {
  const response = { status: 200, headers: { 'content-type': 'application/json' }, body: Uint8Array.from(message) };
  const client = { name: 'vp', version: '1' };
  const caller = new HttpCaller(
    async () => response,
    { after: () => () => {} },
    client,
    () => {},
  );
  const session = { revision: '2026-07-28', isModern: true, sessionId: undefined, onMissingType: () => {} };
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
  t.equal(encoded.filter(({ buffer }) => buffer === memory).length, 1);
  t.same(JSON.parse(Buffer.concat(encoded).toString()), JSON.parse(resultJson));
  t.ok(Buffer.concat(encoded).includes(long), 'as it was sent');
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
  t.ok(text.includes(`"text":"${long}"`));
  t.strictSame(JSON.parse(text).result.content, JSON.parse(resultJson).content);
});
