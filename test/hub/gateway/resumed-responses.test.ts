/** A client of a session whose connection broke during a call gets the rest of the response with `Last-Event-ID`. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { initialize, jsonHeaders, post } from '../fixtures/mcp-requests.ts';
import { startProgressServer } from '../fixtures/progress-server.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';

type ReceivedEvent = { readonly id: string | undefined; readonly data: string };

/** Reads the events of a stream one by one. */
function readEvents(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return async (): Promise<ReceivedEvent | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        const find = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const data = find('data');
        if (data !== undefined) return { id: find('id'), data };
        continue;
      }
      const { done = true, value = '' } = (await reader?.read()) ?? {};
      if (done) return undefined;
      text += value;
    }
  };
}

async function startCall(t: Test, revision: string) {
  const upstream = await startProgressServer(t);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const { url } = gateway.server;
  const params = { ...initialize.params, protocolVersion: revision };
  const started = await post(url, 'ann', { ...initialize, params });
  const session = { 'Mcp-Session-Id': started.headers.get('mcp-session-id') ?? '' };
  const connection = new AbortController();
  const headers = { ...jsonHeaders, ...session, Authorization: 'Bearer ann' };
  const call = {
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'good__work', arguments: {}, _meta: { progressToken: 'p' } },
  };
  const body = JSON.stringify(call);
  const response = await fetch(url, { method: 'POST', headers, body, signal: connection.signal });
  const next = readEvents(response);
  const resume = async (lastEventId: string, bearer = 'ann') =>
    fetch(url, {
      headers: { ...headers, Authorization: `Bearer ${bearer}`, 'Last-Event-ID': lastEventId },
      signal: AbortSignal.timeout(20_000),
    });
  return { gateway, upstream, url, session, next, resume, drop: () => connection.abort() };
}

t.test('events of a response have ids, and the stream starts with one', async (t) => {
  const { next, upstream } = await startCall(t, '2025-11-25');
  t.match(await next(), { id: '1.1', data: '' });
  t.match(await next(), { id: '1.2', data: /"progress":1/ });
  upstream.finish();
  t.match(await next(), { id: '1.3', data: /"id":7.*done/ });
  t.equal(await next(), undefined);
});

t.test('clients of older revisions get no event without data', async (t) => {
  const { next, upstream } = await startCall(t, '2025-06-18');
  t.match(await next(), { id: '1.1', data: /"progress":1/ });
  upstream.finish();
});

t.test('a call goes on without its client, who gets what it missed', async (t) => {
  const { gateway, next, resume, drop, upstream } = await startCall(t, '2025-11-25');
  await next();
  const seen = await next();
  drop();
  upstream.report(2);
  upstream.finish();
  t.ok(await eventually(() => gateway.audit.length === 1), 'the call was completed');
  t.match(gateway.audit, [{ tool: 'work', outcome: 'ok' }]);
  const resumed = await resume(seen?.id ?? '');
  t.equal(resumed.headers.get('content-type'), 'text/event-stream');
  const nextResumed = readEvents(resumed);
  t.match(await nextResumed(), { id: '1.3', data: /"progress":2/ });
  t.match(await nextResumed(), { id: '1.4', data: /"id":7.*done/ });
  t.equal(await nextResumed(), undefined, 'the stream ends with the response');
  t.equal(upstream.calls, 1);
});

t.test('a stream is resumed while the call is in flight', async (t) => {
  const { next, resume, drop, upstream } = await startCall(t, '2025-11-25');
  const first = await next();
  drop();
  const nextResumed = readEvents(await resume(first?.id ?? ''));
  t.match(await nextResumed(), { data: /"progress":1/ });
  upstream.finish();
  t.match(await nextResumed(), { data: /"id":7.*done/ });
  t.equal(await nextResumed(), undefined);
});

t.test('a response that was delivered can be read again', async (t) => {
  const { next, resume, upstream } = await startCall(t, '2025-11-25');
  upstream.finish();
  while (await next());
  const nextResumed = readEvents(await resume('1.2'));
  t.match(await nextResumed(), { id: '1.3', data: /"id":7.*done/ });
});

t.test('events that were never sent, and sessions of others, cannot be resumed', async (t) => {
  const { next, resume, upstream } = await startCall(t, '2025-11-25');
  await next();
  t.equal((await resume('9.1')).status, 400);
  t.equal((await resume('1.900')).status, 400);
  t.equal((await resume('1.1', 'bob')).status, 404);
  upstream.finish();
});

t.test('a session that ends forgets its responses', async (t) => {
  const { next, resume, upstream, url, session } = await startCall(t, '2025-11-25');
  upstream.finish();
  while (await next());
  await fetch(url, { method: 'DELETE', headers: { ...session, Authorization: 'Bearer ann' } });
  t.equal((await resume('1.1')).status, 404);
});

/** Breaks the first event stream of a POST after its second event. */
function createBreakingFetch(): { readonly fetch: typeof fetch; readonly resumptions: () => number } {
  let isBroken = false;
  let resumptions = 0;
  const breakingFetch: typeof fetch = async (target, init) => {
    if (new Headers(init?.headers).has('last-event-id')) resumptions += 1;
    const response = await fetch(target, init);
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    if (init?.method !== 'POST' || !isStream || isBroken || !response.body) return response;
    isBroken = true;
    const reader = response.body.getReader();
    let chunks = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value } = await reader.read();
        if (value) controller.enqueue(value);
        chunks += 1;
        if (chunks < 1) return;
        await reader.cancel();
        controller.error(new TypeError('the connection broke'));
      },
    });
    return new Response(body, { status: response.status, headers: response.headers });
  };
  return { fetch: breakingFetch, resumptions: () => resumptions };
}

t.test('both official clients resume a call whose connection broke', async (t) => {
  const upstream = await startProgressServer(t);
  const { server } = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const url = new URL(server.url);
  const requestInit = { headers: { Authorization: 'Bearer ann' } };
  const reconnectionOptions = {
    initialReconnectionDelay: 50,
    maxReconnectionDelay: 1000,
    reconnectionDelayGrowFactor: 1.5,
    maxRetries: 20,
  };
  const info = { name: 'test', version: '1' };
  const connections = [createBreakingFetch(), createBreakingFetch()] as const;
  const [first, second] = connections;
  const older = new OlderClient(info);
  const newer = new Client(info);
  // Its types predate exact optional members.
  await older.connect(
    new OlderTransport(url, { requestInit, reconnectionOptions, fetch: first.fetch }) as Parameters<
      typeof older.connect
    >[0],
  );
  await newer.connect(
    new StreamableHTTPClientTransport(url, { requestInit, reconnectionOptions, fetch: second.fetch }),
  );
  t.teardown(() => Promise.all([older.close(), newer.close()]));
  const call = { name: 'good__work', arguments: {} };
  const results = Promise.all([
    older.callTool(call, undefined, { onprogress: () => {} }),
    newer.callTool(call, { onprogress: () => {} }),
  ]);
  results.catch(() => {});
  t.ok(await eventually(() => first.resumptions() > 0 && second.resumptions() > 0), 'both came back');
  upstream.finish();
  for (const result of await results) t.match(result, { content: [{ text: 'done' }] });
  t.equal(upstream.calls, 2, 'no call was sent twice');
});
