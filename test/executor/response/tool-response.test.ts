/** The hub's response to a tool call, as the response that checks look at: its JSON is that of the tool, number by number. */
import t from 'tap';
import { toToolResponse } from '../../../src/executor/response/tool-response.ts';
import type { TriggerResult } from '../../../src/executor/trigger/send-request.ts';
import { findFailureCode } from '../failure-code.ts';

const origin = 'http://127.0.0.1:1';
const timings = { connectMs: 0, firstByteMs: 1, bodyMs: 1, totalMs: 1 };

function respond(text: string, type = 'application/json') {
  const received: TriggerResult = {
    head: { status: 200, headers: [['Content-Type', type]] },
    bytes: Buffer.from(text),
    failure: undefined,
    surplusBytes: 0,
    timings,
  };
  const { head, bytes, failure } = toToolResponse(received, origin);
  return { status: head?.status, body: bytes.toString('utf8'), failure: findFailureCode(failure) };
}

const wrap = (result: string) => `{"jsonrpc":"2.0","id":1,"result":${result}}`;
const wrapText = (text: string) => wrap(`{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`);
const numbers = '{"id":12345678901234567890,"price":1.0,"rate":1e3,"debt":-0,"share":0.10,"plain":7}';

t.test('numbers of structured content are those that the tool sent', async (t) => {
  const message = wrap(`{"content":[],"structuredContent":${numbers}}`);
  t.match(respond(message), { status: 200, body: numbers });
  t.match(respond(`event: message\ndata: ${message}\n\n`, 'text/event-stream'), { status: 200, body: numbers });
});

t.test('numbers of a text with JSON are those that the tool sent', async (t) => {
  t.match(respond(wrapText(numbers)), { status: 200, body: numbers });
  t.match(respond(wrapText('[1.0, 12345678901234567890]')), { body: '[1.0, 12345678901234567890]' });
});

t.test('a text with one key twice reaches the checks as it is, like a body of HTTP', async (t) => {
  const repeated = '{"state":"paid","state":"open"}';
  t.match(respond(wrapText(repeated)), { body: repeated });
});

t.test('a message with one key twice and different values has no answer that could be judged', async (t) => {
  const message = wrap('{"content":[],"structuredContent":{"state":"paid","state":"open"}}');
  t.match(respond(message), { failure: 'EXECUTOR_TOOL_UNANSWERED' });
});

t.test('a text that is a number, or no JSON, is the field text', async (t) => {
  for (const text of ['1.0', '12345678901234567890', '7', 'hello', '"x"'])
    t.same(respond(wrapText(text)).body, JSON.stringify({ text }), text);
  t.match(respond(wrap('{"content":[],"structuredContent":1.0}')).body, 'null');
});

t.test('numbers of an error of the protocol, and of content without a text, are those that were sent', async (t) => {
  const error = '{"code":-32602,"message":"no","data":{"id":12345678901234567890}}';
  t.match(respond(`{"jsonrpc":"2.0","id":1,"error":${error}}`), { status: 400, body: error });
  const content = '[{"type":"resource_link","uri":"note://one","size":1.0}]';
  t.match(respond(wrap(`{"content":${content}}`)), { body: `{"content":${content}}` });
  t.match(respond('{"jsonrpc":"2.0","id":1,"result":1.0}'), { failure: 'EXECUTOR_TOOL_UNANSWERED' });
});
