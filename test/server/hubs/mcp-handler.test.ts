/** Messages to hubs at a real listener, where calls take node's own request and response: as every other way in. */
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { listen } from '../../../src/http/listener/listen.ts';
import { openMetrics } from '../../../src/metrics/metrics.ts';
import { createServerHandlers } from '../../../src/server/app.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { createMemoryLog } from '../../http/memory-log.ts';
import { openConnection } from '../../http/test-listener.ts';
import { pickCalls } from '../../hub/fixtures/audit-calls.ts';
import { createToken } from '../../hub/fixtures/hub-people.ts';
import { createToolCall, initialize } from '../../hub/fixtures/mcp-requests.ts';
import { createReferenceServer } from '../../hub/fixtures/reference-server.ts';
import { startTestHub } from '../../hub/fixtures/test-hub.ts';
import { startTestServer as startUpstream } from '../../hub/fixtures/test-server.ts';
import { origin } from '../test-server.ts';

async function startListeningHub(t: Test, clock = systemClock) {
  const { ana, api, gateway, hub } = await startTestHub(t, {}, [], clock);
  const upstream = await startUpstream(t, createReferenceServer('newest').handle, 0);
  await ana.ask('POST', '/api/v1/hubs/acme/connections', { name: 'good', kind: 'http', url: upstream.url });
  const { token } = await createToken(ana, 'acme');
  const { log, lines } = createMemoryLog();
  const metrics = await openMetrics();
  const { control, identity, hub: hubServices } = api;
  const unopened = Object.create(null);
  const { handler, raw } = createServerHandlers({
    ...{ control, identity, hub: hubServices, hubGateway: gateway, memory: unopened, registry: unopened },
    ...{ notifications: unopened, metrics, log },
    ...{ clock: systemClock, random: systemRandom, version: '0.4.0', publicUrl: origin },
  });
  const host = { host: '127.0.0.1', port: 0 };
  const listener = await listen({ ...host, handler, raw, clock: systemClock, random: systemRandom, log });
  t.teardown(() => listener.close(0));
  const port = Number(new URL(listener.url).port);
  const countRequests = async (labels: string): Promise<string | undefined> =>
    (await metrics.text()).split('\n').find((line) => line.startsWith(`vp_http_requests_total{${labels}}`));
  return { gateway, hub, token, port, lines, countRequests };
}

type Headers = Readonly<Record<string, string>>;

function createCall(text: string): string {
  const params = { name: 'good__echo', arguments: { text } };
  return JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
}

const call = createCall('hello');
const jsonHeaders = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/** The text of a request; a chunked body takes the route and not the handler. */
function formatRequest(path: string, headers: Headers, body: string, coding: 'length' | 'chunked' = 'length'): string {
  const bytes = Buffer.byteLength(body);
  const framing = coding === 'length' ? { 'Content-Length': String(bytes) } : { 'Transfer-Encoding': 'chunked' };
  const lines = Object.entries({ Host: 'localhost', ...jsonHeaders, ...framing, ...headers });
  const head = `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return head + (coding === 'length' ? body : `${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
}

/** Without what differs between two equal requests. */
function normalize(response: string): string {
  const [head = '', ...body] = response.split('\r\n\r\n');
  const [status, ...headers] = head.split('\r\n');
  const volatile = /^(?:date|x-request-id|mcp-session-id|content-length|transfer-encoding):/i;
  const stable = headers.filter((line) => !volatile.test(line)).map((line) => line.toLowerCase());
  // Which events are one chunk is a matter of time.
  const chunkSizes = /^[\da-f]+\r\n|\r\n0\r\n$|\r\n$|\r\n/gm;
  return [status, ...stable.sort(), body.join('\r\n\r\n').replaceAll(chunkSizes, '').trim()].join('\n');
}

t.test('a request is answered in the same way by handler and route', async (t) => {
  const { token, port } = await startListeningHub(t);
  const own = { Authorization: `Bearer ${token}` };
  const [newestBody, newestHeaders] = createToolCall('good__fails', {});
  const newest = { ...own, ...newestHeaders };
  const newestCall = JSON.stringify(newestBody);
  const legacyCall = (name: string, params = {}): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name, arguments: {}, ...params } });
  const requests: Readonly<Record<string, readonly [path: string, headers: Headers, body: string]>> = {
    'a call of the newest era': ['/agent/mcp', newest, newestCall],
    'the same at the path of its hub': ['/hub/acme/mcp', newest, newestCall],
    'a call of an older era': ['/agent/mcp', own, legacyCall('good__echo', { arguments: { text: 'x' } })],
    'an unknown tool': ['/agent/mcp', own, legacyCall('good__nothing')],
    'a failing tool': ['/agent/mcp', own, legacyCall('good__fails')],
    'with progress and log messages': ['/agent/mcp', own, legacyCall('good__logs', { _meta: { progressToken: 1 } })],
    initialize: ['/agent/mcp', own, JSON.stringify(initialize)],
    'any type accepted': ['/agent/mcp', { ...own, Accept: '*/*' }, legacyCall('good__fails')],
    'no JSON': ['/agent/mcp', own, '{'],
    'no UTF-8 coding': ['/agent/mcp', { ...own, 'Content-Encoding': 'gzip' }, call],
    'another type': ['/agent/mcp', { ...newest, 'Content-Type': 'text/plain' }, newestCall],
    'an empty batch': ['/agent/mcp', own, '[]'],
    'too deep': ['/agent/mcp', own, '['.repeat(200)],
    'no token': ['/agent/mcp', {}, call],
    'an empty credential': ['/agent/mcp', { Authorization: '' }, call],
    'another scheme': ['/agent/mcp', { Authorization: 'Basic YTpi' }, call],
    'a wrong token at the path of a hub': ['/hub/acme/mcp', { Authorization: 'Bearer vph_wrong' }, call],
    'another hub': ['/hub/other/mcp', own, call],
    'an impossible hub': ['/hub/-/mcp', own, call],
    'no hub': ['/mcp', {}, JSON.stringify(initialize)],
    'no hub, too large': ['/mcp', {}, JSON.stringify({ text: 'x'.repeat(9000) })],
  };
  for (const [name, [path, headers, body]] of Object.entries(requests)) {
    const closing = { ...headers, Connection: 'close' };
    const [raw, routed] = await Promise.all(
      (['length', 'chunked'] as const).map((coding) =>
        openConnection(t, port, formatRequest(path, closing, body, coding)).waitForEnd(),
      ),
    );
    t.equal(normalize(raw ?? ''), normalize(routed ?? ''), name);
    t.match(raw, /^HTTP\/1\.1 \d/, name);
    t.match(raw, /x-request-id: /i, name);
  }
});

t.test('a connection is used again after refusals, and for requests that were sent at once', async (t) => {
  const { token, port, countRequests } = await startListeningHub(t);
  const own = { Authorization: `Bearer ${token}` };
  const texts = [
    formatRequest('/agent/mcp', {}, call),
    formatRequest('/agent/mcp', own, '{'),
    formatRequest('/hub/other/mcp', own, call),
    formatRequest('/agent/mcp', own, createCall('first')),
    formatRequest('/agent/mcp', own, createCall('second')),
  ];
  const connection = openConnection(t, port, texts.join(''));
  const received = await connection.waitFor('second');
  const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  t.same(statuses, ['401', '400', '403', '200', '200']);
  t.ok(received.indexOf('first') < received.indexOf('second'));
  connection.socket.write(formatRequest('/agent/mcp', own, createCall('third')));
  await connection.waitFor('third');
  t.match(await countRequests('route="/agent/mcp",method="POST",status_class="2xx"'), / 3$/);
  t.match(await countRequests('route="/agent/mcp",method="POST",status_class="4xx"'), / 2$/);
  t.match(await countRequests('route="/hub/{slug}/mcp",method="POST",status_class="4xx"'), / 1$/);
});

t.test('other methods keep their answers', async (t) => {
  const { port } = await startListeningHub(t);
  for (const [method, expected] of Object.entries({
    OPTIONS: /^HTTP\/1\.1 204[\s\S]*\r\nallow: POST, GET, DELETE, HEAD, OPTIONS\r\n/i,
    PUT: /^HTTP\/1\.1 405[\s\S]*METHOD_REFUSED/,
    GET: /^HTTP\/1\.1 401[\s\S]*missing_token/,
    HEAD: /^HTTP\/1\.1 401/,
    DELETE: /^HTTP\/1\.1 401[\s\S]*missing_token/,
  })) {
    const text = `${method} /agent/mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    t.match(await openConnection(t, port, text).waitForEnd(), expected, method);
  }
});

t.test('a client may wait for the interim response before it sends its body', async (t) => {
  const { token, port } = await startListeningHub(t);
  const headers = { Authorization: `Bearer ${token}`, Expect: '100-continue' };
  const text = formatRequest('/agent/mcp', headers, call);
  const connection = openConnection(t, port, text.slice(0, -call.length));
  await connection.waitFor('HTTP/1.1 100 Continue');
  connection.socket.write(call);
  t.match(await connection.waitFor('"hello"'), /HTTP\/1\.1 200 OK/);
});

t.test('a body that is too large is refused before it is read, and its connection closed', async (t) => {
  const { token, port } = await startListeningHub(t);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Length': '50000000' };
  const connection = openConnection(t, port, formatRequest('/agent/mcp', headers, ''));
  t.match(await connection.waitForEnd(), /^HTTP\/1\.1 413[\s\S]*4194304 bytes/);
});

t.test('a body that does not arrive ends after half a minute', async (t) => {
  const clock = fakeClock();
  const { token, port } = await startListeningHub(t, clock);
  const text = formatRequest('/agent/mcp', { Authorization: `Bearer ${token}` }, call);
  const connection = openConnection(t, port, text.slice(0, -10));
  const received = await eventually(
    () => {
      clock.advance(1000);
      return connection.received();
    },
    { until: (text) => text.includes('408') },
  );
  t.match(received, /^HTTP\/1\.1 408[\s\S]*connection: close[\s\S]*did not arrive within 30 s/i);
});

t.test('a client that leaves in the middle of its body has no effect', async (t) => {
  const { token, port, gateway, hub, lines, countRequests } = await startListeningHub(t);
  const text = formatRequest('/agent/mcp', { Authorization: `Bearer ${token}` }, call);
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve) => socket.write(text.slice(0, -10), resolve));
  socket.destroy();
  await eventually(() => countRequests('route="/agent/mcp",method="POST",status_class="4xx"'), {
    until: (line) => line?.endsWith(' 1') === true,
  });
  t.match(await openConnection(t, port, text).waitFor('"hello"'), /HTTP\/1\.1 200 OK/);
  t.equal(pickCalls((await gateway.audit.search(hub.hub_id, { limit: 10 })).items).length, 1);
  t.same(lines, []);
});

t.test('a call whose client has left is recorded: an older era goes on, the newest one cancels', async (t) => {
  const { token, port, gateway, hub, lines } = await startListeningHub(t);
  const own = { Authorization: `Bearer ${token}` };
  const [slowBody, slowHeaders] = createToolCall('good__slow', {});
  for (const [headers, body] of [
    [own, call],
    [{ ...own, ...slowHeaders }, JSON.stringify(slowBody)],
  ] as const) {
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve) => socket.write(formatRequest('/agent/mcp', headers, body), resolve));
    socket.destroy();
  }
  const search = async () => pickCalls((await gateway.audit.search(hub.hub_id, { limit: 10 })).items);
  const items = await eventually(search, { until: (calls) => calls.length === 2 });
  t.same(items.map(({ tool, outcome }) => `${tool} ${outcome}`).sort(), ['echo ok', 'slow cancelled']);
  t.same(lines, []);
});

t.test('a client listens on a stream of its session, and its end is noticed', async (t) => {
  const { token, port, countRequests } = await startListeningHub(t);
  const own = { Authorization: `Bearer ${token}` };
  const url = `http://127.0.0.1:${port}/agent/mcp`;
  const params = { ...initialize.params, protocolVersion: '2025-11-25' };
  const body = JSON.stringify({ ...initialize, params });
  const started = await fetch(url, { method: 'POST', headers: { ...own, ...jsonHeaders }, body });
  const session = { ...own, 'Mcp-Session-Id': started.headers.get('mcp-session-id') ?? '' };
  const listening = { ...session, Accept: 'text/event-stream', 'MCP-Protocol-Version': '2025-11-25' };
  const stream = await fetch(url, { headers: listening });
  t.match(Object.fromEntries(stream.headers), { 'content-type': 'text/event-stream', 'mcp-session-id': /./ });
  t.equal(stream.headers.get('cache-control'), 'no-cache, no-transform');
  t.match(new TextDecoder().decode((await stream.body?.getReader().read())?.value), /^id: \d+\ndata: \n\n$/);
  // This revision has no first event: the head must not wait for one.
  const older = await fetch(url, {
    method: 'POST',
    headers: { ...own, ...jsonHeaders },
    body: JSON.stringify(initialize),
  });
  const silent = { ...own, 'Mcp-Session-Id': older.headers.get('mcp-session-id') ?? '', Accept: 'text/event-stream' };
  t.equal((await fetch(url, { headers: silent, signal: AbortSignal.timeout(10_000) })).status, 200);
  const reason = async (init: RequestInit) => (await fetch(url, init)).status;
  t.equal(await reason({ headers: own }), 405);
  t.equal(await reason({ headers: { ...listening, Accept: 'application/json' } }), 406);
  t.equal(await reason({ headers: { ...listening, 'Mcp-Session-Id': 'unknown' } }), 404);
  t.equal(await reason({ headers: { Accept: 'text/event-stream' } }), 401);
  const again = await fetch(url, { headers: { ...listening, 'Last-Event-ID': '1' } });
  t.equal(again.status, 200);
  t.match(await countRequests('route="/agent/mcp",method="GET",status_class="2xx"'), / 3$/);
  t.equal((await fetch(url, { method: 'DELETE', headers: listening })).status, 200);
  const rest = await again.text().catch((error: unknown) => String(error));
  t.notMatch(rest, /Error/, 'the stream ends with its session');
});
