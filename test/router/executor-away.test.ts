/** Executors that are away, slow, odd, or die in the middle: an agent always hears why, and never waits for ever. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { listToolDefinitions } from '../../src/agents/tools/tool-list.ts';
import { type RequestHandler, respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { getPort } from '../targets/raw-target.ts';
import { createFinder, createPost, createToken, startTestRouter, toolCall } from './test-router.ts';

const token = createToken('shop');
const eras = ['auto', 'legacy'] as const;

/** An address where nothing listens. */
async function silentAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = getPort(server);
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

async function executor(t: Test, answer: RequestHandler) {
  const target = await startHttpTarget(answer);
  t.teardown(() => target.close());
  return target.origin;
}

async function client(t: Test, url: string, mode: (typeof eras)[number], bearer = token) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${bearer}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  t.teardown(() => client.close());
  return client;
}

for (const mode of eras) {
  t.test(`an unreachable executor: tools are listed, a call returns the fix (${mode})`, async (t) => {
    const address = await silentAddress();
    const { url, lines } = await startTestRouter(t, createFinder({ shop: address }));
    for (const [role, count] of [
      ['test', 16],
      ['product', 6],
    ] as const) {
      const agent = await client(t, url, mode, createToken('shop', role));
      const { tools } = await agent.listTools();
      t.same(
        tools.map(({ name }) => name),
        listToolDefinitions(role).map(({ name }) => name),
      );
      t.equal(tools.length, count);
      const result = await agent.callTool({ name: 'author__tool_1', arguments: {} });
      t.equal(result.isError, true);
      t.match(result.structuredContent, { code: 'ROUTER_EXECUTOR_AWAY' });
      t.match(JSON.stringify(result.content), `the executor of instance shop does not answer at ${address}/mcp`);
      t.match(JSON.stringify(result.content), 'vp executor --key-file');
      if (mode === 'legacy') await agent.ping();
    }
    t.ok(lines.length > 0, 'the log says it');
    t.notOk(JSON.stringify(lines).includes(token), 'without the token');
  });
}

t.test('a stopped executor is not called', async (t) => {
  const { url } = await startTestRouter(t, () => ({ kind: 'stopped' }));
  const answer = await fetch(`${url}/mcp`, createPost(token, toolCall));
  t.match(await answer.text(), 'ROUTER_EXECUTOR_STOPPED');
});

/** The one result of a call, whatever form it comes in. */
async function getToolResult(url: string, message: object = toolCall): Promise<{ isError?: boolean; text: string }> {
  const answer = await fetch(`${url}/mcp`, createPost(token, message));
  const text = await answer.text();
  const events = text.split('\n\n').filter((event) => event.includes('data:'));
  const last = events.at(-1)?.replace(/^[\s\S]*?data: ?/, '') ?? text;
  const { id, result } = JSON.parse(last);
  return { isError: id === 7 && result.isError, text: JSON.stringify(result) };
}

const invalidResponses: Readonly<Record<string, readonly [answer: RequestHandler, code: string, problem: RegExp]>> = {
  'says nothing for too long': [() => undefined, 'ROUTER_ANSWER_LOST', /did not respond in time/],
  'dies before its answer': [(request) => request.socket.destroy(), 'ROUTER_ANSWER_LOST', /the connection ended/],
  'dies in the middle of its answer': [
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write('{"jsonrpc":');
      setTimeout(() => response.destroy(), 20);
    },
    'ROUTER_ANSWER_LOST',
    /the connection ended/,
  ],
  'stops in the middle of its answer': [
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"jsonrpc":');
    },
    'ROUTER_ANSWER_LOST',
    /stopped half-way/,
  ],
  'answers without end': [
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        response.write('a'.repeat(1024 * 1024), (error) => (error ? undefined : setImmediate(more)));
      };
      more();
    },
    'ROUTER_ANSWER_LOST',
    /larger than 16777216 bytes/,
  ],
  'is something else': [
    (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello'),
    'ROUTER_EXECUTOR_AWAY',
    /200, text\/html.*has no tools for agents/,
  ],
  'leads elsewhere': [
    (_request, response) => response.writeHead(307, { location: 'http://evil.example/' }).end(),
    'ROUTER_EXECUTOR_AWAY',
    /307/,
  ],
  'has no tools yet': [
    (_request, response) => response.writeHead(404, { 'content-type': 'application/problem+json' }).end('{}'),
    'ROUTER_EXECUTOR_AWAY',
    /404/,
  ],
  'is about to stop': [
    (_request, response) => response.writeHead(503, { 'content-type': 'application/problem+json' }).end('{}'),
    'ROUTER_EXECUTOR_AWAY',
    /503/,
  ],
  'answers no HTTP': [(request) => request.socket.end('hello\r\n\r\n'), 'ROUTER_ANSWER_LOST', /not valid HTTP/],
  'dies in the middle of an event': [
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n');
      response.write('event: message\ndata: {"jsonrpc":"2.0","id":7,"resu');
      setTimeout(() => response.destroy(), 20);
    },
    'ROUTER_ANSWER_LOST',
    /the connection ended/,
  ],
  'ends its stream without the answer': [
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n');
    },
    'ROUTER_ANSWER_LOST',
    /ended before the response/,
  ],
};

for (const [description, [answer, code, problem]] of Object.entries(invalidResponses)) {
  t.test(`an executor that ${description}`, async (t) => {
    const { url } = await startTestRouter(t, createFinder({ shop: await executor(t, answer) }), {
      limits: { headersMs: 300, stalledMs: 300 },
    });
    const { isError, text } = await getToolResult(url);
    t.equal(isError, true);
    t.match(text, code);
    t.match(text, problem);
    t.equal(text.includes('may still have been carried out'), code === 'ROUTER_ANSWER_LOST');
  });
}

t.test('an address that drops connections times out soon', async (t) => {
  // Reserved for documentation (RFC 5737): no such host answers, here a network may also refuse at once.
  const { url } = await startTestRouter(t, createFinder({ shop: 'http://192.0.2.1:8765' }), {
    limits: { connectMs: 200 },
  });
  t.match((await getToolResult(url)).text, 'ROUTER_EXECUTOR_AWAY');
});

t.test(
  'events are forwarded as they arrive, and a stream that breaks after the response ends without more',
  async (t) => {
    const event = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
    const { promise: firstEventSeen, resolve: sawFirst } = Promise.withResolvers<void>();
    const origin = await executor(t, async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 's' });
      response.write(event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }));
      await firstEventSeen;
      response.write(event({ jsonrpc: '2.0', id: 7, result: { content: [] } }));
      setTimeout(() => response.destroy(), 20);
    });
    const { url } = await startTestRouter(t, createFinder({ shop: origin }));
    const answer = await fetch(`${url}/mcp`, createPost(token, toolCall));
    t.equal(answer.headers.get('mcp-session-id'), 's');
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('progress')) sawFirst();
    }
    t.equal(text.match(/"id":7/g)?.length, 1);
    t.notMatch(text, 'isError');
  },
);

t.test('a disconnecting agent ends its call at the executor', async (t) => {
  const { promise: left, resolve } = Promise.withResolvers<void>();
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  for (const streaming of [false, true]) {
    const origin = await executor(t, (_request, response) => {
      response.once('close', () => resolve());
      if (streaming) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
      arrive();
    });
    const { url, lines } = await startTestRouter(t, createFinder({ shop: origin }));
    const agent = new AbortController();
    const stoppedExecutor = fetch(`${url}/mcp`, { ...createPost(token, toolCall), signal: agent.signal }).then(
      (answer) => answer.text(),
    );
    await arrived;
    agent.abort();
    await t.rejects(stoppedExecutor);
    await left;
    t.same(lines, []);
  }
});

t.test('a call is sent once, also on a connection that the executor closes', async (t) => {
  let calls = 0;
  const origin = await executor(t, (request, response, arrived) => {
    calls += 1;
    if (calls % 2 === 0) request.socket.destroy();
    else respondWithJson({ jsonrpc: '2.0', id: 7, result: { content: [] } })(request, response, arrived);
  });
  const { url } = await startTestRouter(t, createFinder({ shop: origin }));
  t.notMatch((await getToolResult(url)).text, 'isError');
  t.match((await getToolResult(url)).text, 'ROUTER_ANSWER_LOST');
  t.equal(calls, 2);
});

t.test('the router finishes open requests before it stops', async (t) => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: goOn, resolve } = Promise.withResolvers<void>();
  const origin = await executor(t, async (request, response, sent) => {
    arrive();
    await goOn;
    respondWithJson({ jsonrpc: '2.0', id: 7, result: { content: [] } })(request, response, sent);
  });
  const { url, listener } = await startTestRouter(t, createFinder({ shop: origin }));
  const answer = getToolResult(url);
  await arrived;
  const closed = listener.close();
  resolve();
  t.notMatch((await answer).text, 'isError');
  await closed;
});
