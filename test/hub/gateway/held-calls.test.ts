/** A call whose server asks its caller ends as soon as no answer can come, whatever the caller does; the server hears it. */
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { initialize, jsonHeaders, post } from '../fixtures/mcp-requests.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

type JsonObject = Record<string, unknown>;

/** Reads the messages of a stream one by one. */
function readMessages(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next(): Promise<JsonObject | undefined> {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end >= 0) {
          const event = text.slice(0, end);
          text = text.slice(end + 2);
          const data = event.split('\n').find((line) => line.startsWith('data: {'));
          if (data) return JSON.parse(data.slice('data: '.length));
          continue;
        }
        const { done = true, value = '' } = (await reader?.read()) ?? {};
        if (done) return undefined;
        text += value;
      }
    },
    leave: () => reader?.cancel(),
  };
}

async function startHeldCall(t: Test) {
  const referenceServer = createReferenceServer('older');
  const upstream = await startTestServer(t, referenceServer.handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const { url } = gateway.server;
  let open = 0;
  gateway.decide = () => {
    open += 1;
    return {
      allowed: true,
      redact: { keep: true, hide: [] },
      release: () => {
        open -= 1;
      },
    };
  };
  const params = { ...initialize.params, capabilities: { elicitation: {} } };
  const started = await post(url, 'ann', { ...initialize, params });
  const session = { 'Mcp-Session-Id': started.headers.get('mcp-session-id') ?? '' };
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'good__ask', arguments: {} } };
  const dropped = new AbortController();
  const headers = { ...jsonHeaders, ...session, Authorization: 'Bearer ann' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(call), signal: dropped.signal });
  const messages = readMessages(response);
  const question = await messages.next();
  t.match(question, { method: 'elicitation/create', params: { message: 'What is your name?' } });
  const answer = (message: JsonObject) => post(url, 'ann', { jsonrpc: '2.0', ...message }, session);
  return { gateway, url, session, messages, question, answer, dropped, open: () => open };
}

async function assertEnded(t: Test, { gateway, open }: Awaited<ReturnType<typeof startHeldCall>>, outcome: string) {
  t.ok(await eventually(() => gateway.audit.length === 1), 'the call has ended');
  t.match(gateway.audit, [{ tool: 'ask', outcome }]);
  t.equal(open(), 0, 'its reservation is released');
}

t.test('an answer continues the call on its stream', async (t) => {
  const held = await startHeldCall(t);
  const result = { action: 'accept', content: { name: 'Ann' } };
  t.equal((await held.answer({ id: held.question?.id, result })).status, 202);
  t.match(await held.messages.next(), { id: 7, result: { content: [{ text: 'hello Ann' }] } });
  t.equal(await held.messages.next(), undefined, 'the stream ends');
  await assertEnded(t, held, 'ok');
});

t.test('an error as the answer reaches the server, which decides', async (t) => {
  const held = await startHeldCall(t);
  const error = { code: -32000, message: 'nobody is here' };
  t.equal((await held.answer({ id: held.question?.id, error })).status, 202);
  t.match(await held.messages.next(), { id: 7, error: { code: -32000, message: /nobody is here/ } });
  await assertEnded(t, held, 'failed');
});

t.test('an answer of another session is not taken', async (t) => {
  const held = await startHeldCall(t);
  const other = await post(held.url, 'ann', initialize);
  const session = { 'Mcp-Session-Id': other.headers.get('mcp-session-id') ?? '' };
  const result = { action: 'accept', content: { name: 'Eve' } };
  await post(held.url, 'ann', { jsonrpc: '2.0', id: held.question?.id, result }, session);
  await held.answer({ id: held.question?.id, result: { action: 'accept', content: { name: 'Ann' } } });
  t.match(await held.messages.next(), { result: { content: [{ text: 'hello Ann' }] } });
});

t.test('a cancelled call ends at once', async (t) => {
  const held = await startHeldCall(t);
  t.equal((await held.answer({ method: 'notifications/cancelled', params: { requestId: 7 } })).status, 202);
  t.equal(await held.messages.next(), undefined, 'without a response');
  await assertEnded(t, held, 'cancelled');
});

t.test('a call whose stream is dropped while it waits ends at once', async (t) => {
  const held = await startHeldCall(t);
  held.dropped.abort();
  await assertEnded(t, held, 'cancelled');
});

t.test('a call ends with its session', async (t) => {
  const held = await startHeldCall(t);
  const headers = { ...held.session, Authorization: 'Bearer ann' };
  t.equal((await fetch(held.url, { method: 'DELETE', headers })).status, 200);
  t.equal(await held.messages.next(), undefined);
  await assertEnded(t, held, 'cancelled');
});

t.test('an id in use is refused', async (t) => {
  const held = await startHeldCall(t);
  const call = { id: 7, method: 'tools/call', params: { name: 'good__ask', arguments: {} } };
  t.equal((await held.answer(call)).status, 400);
  await held.answer({ id: held.question?.id, result: { action: 'decline' } });
  t.match(await held.messages.next(), { id: 7 });
});
