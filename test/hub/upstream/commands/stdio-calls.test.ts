/** Calls of programs on standard streams: what arrives before the response, numbers as sent, and malformed output. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { eventually } from '../../../eventually.ts';
import { createToolCall, initialize, jsonHeaders, post } from '../../fixtures/mcp-requests.ts';
import { startPipeGateway } from './pipe-gateway.ts';

async function callRaw(t: Test, lines: string): Promise<unknown> {
  const { gateway } = await startPipeGateway(t, 'good');
  const response = await post(gateway.server.url, 'ann', ...createToolCall('pipe__raw', { lines }));
  return response.json();
}

const response = (text: string) => `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"${text}"}]}}`;

t.test('progress arrives before the result, and progress of others does not', async (t) => {
  const { gateway } = await startPipeGateway(t, 'good');
  const call = createToolCall('pipe__progress', {}, { progressToken: 'mine' });
  const text = await (await post(gateway.server.url, 'ann', ...call)).text();
  const events = text.split('\n').filter((line) => line.startsWith('data: '));
  const messages = events.map((line): Record<string, unknown> => JSON.parse(line.slice('data: '.length)));
  t.same(
    messages.slice(0, 3).map(({ params }) => params),
    [1, 2, 3].map((progress) => ({ progressToken: 'mine', progress })),
  );
  t.match(messages[3], { result: { content: [{ text: 'done' }] } });
  t.equal(messages.length, 4);
});

t.test('concurrent calls get their own responses', async (t) => {
  const { gateway } = await startPipeGateway(t, 'good');
  const texts = Array.from({ length: 40 }, (_, index) => `${index}`);
  const results = await Promise.all(
    texts.map(async (text) =>
      (await post(gateway.server.url, 'ann', ...createToolCall('pipe__later', { text }))).json(),
    ),
  );
  t.match(
    results,
    texts.map((text) => ({ result: { content: [{ text: `later ${text}` }] } })),
  );
});

t.test('a cancelled call is cancelled at the program, by its id there', async (t) => {
  const noteFile = join(t.testdir(), 'cancelled');
  const { gateway } = await startPipeGateway(t, 'good', noteFile);
  const started = await post(gateway.server.url, 'ann', initialize);
  const session = { 'Mcp-Session-Id': started.headers.get('mcp-session-id') ?? '' };
  const call = { jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'pipe__silent', arguments: {} } };
  const pending = post(gateway.server.url, 'ann', call, session);
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } };
  const readNotes = () => readFileSync(noteFile, 'utf8').trim().split('\n');
  const [id] = await eventually(readNotes);
  t.equal((await post(gateway.server.url, 'ann', cancelled, session)).status, 202);
  const [, note = ''] = await eventually(readNotes, { until: ({ length }) => length === 2 });
  t.match(JSON.parse(note), { params: { requestId: Number(id) } });
  await (await pending).text();
  t.ok(await eventually(() => gateway.audit.length === 1));
  t.match(gateway.audit, [{ outcome: 'cancelled' }]);
});

t.test('numbers arrive as they were sent, both ways', async (t) => {
  const numbers = '[9007199254740993,1.0,1e3,-0.0,0.1]';
  const { gateway } = await startPipeGateway(t, 'good');
  const lines = `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"numbers":${numbers}}}}\n`;
  const [body, mcpHeaders] = createToolCall('pipe__raw', { lines });
  const headers = { ...jsonHeaders, ...mcpHeaders, Authorization: 'Bearer ann' };
  const received = await fetch(gateway.server.url, { method: 'POST', headers, body: JSON.stringify(body) });
  t.match(await received.text(), `"structuredContent":{"numbers":${numbers}}`);
});

t.test('output that is not a message is ignored', async (t) => {
  const other = ['starting…', '{"a":', '[]', 'null', '{"jsonrpc":"1.0"}', '{"jsonrpc":"2.0","id":"x","result":{}}', ''];
  t.match(await callRaw(t, `${[...other, response('right')].join('\n')}\n`), {
    result: { content: [{ text: 'right' }] },
  });
  t.match(await callRaw(t, `${response('CR LF')}\r\n`), { result: { content: [{ text: 'CR LF' }] } });
});

t.test('an invalid response fails the call, and the program goes on', async (t) => {
  const invalid = { error: { data: { code: 'UPSTREAM_ANSWER_INVALID' } } };
  t.match(await callRaw(t, '{"jsonrpc":"2.0","id":ID,"result":7}\n'), invalid);
  t.match(await callRaw(t, '{"jsonrpc":"2.0","id":ID}\n'), invalid);
  const failed = { error: { code: -32000, message: 'its own' } };
  t.match(await callRaw(t, '{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"its own"}}\n'), failed);
});

t.test('a response of more than the limit ends the process and is reported as too large', async (t) => {
  const { gateway } = await startPipeGateway(t, 'good');
  const lines = `${response('x'.repeat(2_100_000))}\n`;
  const received = await post(gateway.server.url, 'ann', ...createToolCall('pipe__raw', { lines }));
  t.match(await received.json(), { error: { data: { code: 'UPSTREAM_ANSWER_TOO_LARGE' } } });
  const next = await post(gateway.server.url, 'ann', ...createToolCall('pipe__pid', {}));
  t.match(await next.json(), { result: { content: [{ text: /^\d+$/ }] } });
});
