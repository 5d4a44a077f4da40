import { request as httpRequest } from 'node:http';
import t, { type Test } from 'tap';
import { openMetrics } from '../../src/metrics/metrics.ts';
import { openConnection } from '../http/test-listener.ts';
import { type RequestHandler, respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { createFinder, createPost, createToken, startTestRouter, toolCall } from './test-router.ts';

const token = createToken('shop');
const result = { jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text', text: 'done' }] } };

/** The header lines that arrived, by lower-case name. */
function buildHeaders(raw: readonly string[]): Record<string, string> {
  const pairs: [string, string][] = [];
  for (let callAt = 0; callAt < raw.length; callAt += 2)
    pairs.push([raw[callAt]?.toLowerCase() ?? '', raw[callAt + 1] ?? '']);
  return Object.fromEntries(pairs);
}

async function executor(t: Test, answer: RequestHandler = respondWithJson(result)) {
  const target = await startHttpTarget(answer);
  t.teardown(() => target.close());
  return target;
}

t.test('a call is forwarded to the executor of the token’s instance, with its bytes and headers', async (t) => {
  const [shopExecutor, bank] = [await executor(t), await executor(t)];
  const { url } = await startTestRouter(t, createFinder({ shop: shopExecutor.origin, bank: bank.origin }));
  const body = '{"jsonrpc":"2.0", "id":7,"method":"tools/call","params":{"name":"a","arguments":{"n":1.0e3}}}';
  const headers = {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'a',
    'Mcp-Param-Region': 'eu',
    'Mcp-Session-Id': 'one',
    'Last-Event-ID': '4',
    traceparent: '00-1-2-01',
  };
  const answer = await fetch(`${url}/mcp`, createPost(token, body, headers));
  t.equal(answer.status, 200);
  t.same(await answer.json(), result);
  t.equal(bank.arrived.length, 0);
  t.equal(shopExecutor.arrived[0]?.body, body);
  t.match(buildHeaders(shopExecutor.arrived[0]?.rawHeaders ?? []), {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'a',
    'mcp-param-region': 'eu',
    'mcp-session-id': 'one',
    'last-event-id': '4',
    traceparent: '00-1-2-01',
    host: shopExecutor.origin.slice('http://'.length),
  });
  await fetch(`${url}/mcp`, createPost(createToken('bank'), toolCall));
  t.equal(bank.arrived.length, 1);
  t.equal(shopExecutor.arrived.length, 1);
});

t.test('headers that are not part of MCP, and hop-by-hop headers, are dropped', async (t) => {
  const shopExecutor = await executor(t);
  const { port } = await startTestRouter(t, createFinder({ shop: shopExecutor.origin }));
  const body = JSON.stringify(toolCall);
  const lines = [
    'POST /mcp HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close, Mcp-Param-Gone',
    'Mcp-Param-Gone: x',
    'X-Forwarded-For: 10.0.0.1',
    'X-Forwarded-Host: evil.example',
    'Forwarded: host=evil.example',
    'Cookie: a=b',
    'Proxy-Authorization: Basic eA==',
    'TE: trailers',
    'Upgrade: h2c',
    '',
    body,
  ];
  const answer = await openConnection(t, port, lines.join('\r\n')).waitForEnd();
  t.match(answer, /^HTTP\/1\.1 200 /);
  const names = Object.keys(buildHeaders(shopExecutor.arrived[0]?.rawHeaders ?? []));
  t.same(names.sort(), ['authorization', 'connection', 'content-length', 'content-type', 'host']);
});

t.test('a body with ambiguous length is refused before anything is sent', async (t) => {
  const shopExecutor = await executor(t);
  const { port } = await startTestRouter(t, createFinder({ shop: shopExecutor.origin }));
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  const smuggled = 'POST /mcp HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const framing of [
    `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `Content-Length: 5\r\nContent-Length: 6\r\n\r\n{"a":1}${smuggled}`,
    `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
  ]) {
    t.match(await openConnection(t, port, head + framing).waitForEnd(), /^HTTP\/1\.1 4\d\d /);
  }
  t.same(shopExecutor.arrived, []);
});

t.test('only tokens of known instances are accepted, and refusals contain the fix', async (t) => {
  const shopExecutor = await executor(t);
  const { url } = await startTestRouter(t, createFinder({ shop: shopExecutor.origin }));
  for (const [bearer, problem] of [
    [undefined, 'has no token'],
    ['vpk_something', 'does not have the form'],
    [`${token}a`, 'does not have the form'],
    [token.replace('_test_', '_owner_'), 'does not have the form'],
    [createToken('elsewhere'), 'no executor of instance elsewhere is known here'],
  ] as const) {
    const answer = await fetch(`${url}/mcp`, createPost(bearer, toolCall));
    t.equal(answer.status, 401);
    t.match(answer.headers.get('www-authenticate'), /^Bearer /);
    t.match(await answer.json(), {
      jsonrpc: '2.0',
      id: null,
      error: {
        message: new RegExp(`^unrecognized router token: .*${problem}.*vp connect`),
        data: { code: 'ROUTER_TOKEN_UNRECOGNIZED' },
      },
    });
  }
  t.same(shopExecutor.arrived, []);
});

t.test('a refusal of the executor is forwarded', async (t) => {
  const refusal = { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'unrecognized router token' } };
  const shopExecutor = await executor(t, (_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Bearer realm="x"' });
    response.end(JSON.stringify(refusal));
  });
  const { url } = await startTestRouter(t, createFinder({ shop: shopExecutor.origin }));
  const answer = await fetch(`${url}/mcp`, createPost(token, toolCall));
  t.equal(answer.status, 401);
  t.equal(answer.headers.get('www-authenticate'), 'Bearer realm="x"');
  t.same(await answer.json(), refusal);
});

t.test('only POST is allowed at /mcp; health is open', async (t) => {
  const shopExecutor = await executor(t);
  const { url } = await startTestRouter(t, createFinder({ shop: shopExecutor.origin }));
  t.match(await (await fetch(`${url}/healthz`)).json(), { status: 'ok', role: 'router' });
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const answer = await fetch(`${url}/mcp`, { method, headers: { authorization: `Bearer ${token}` } });
    t.equal(answer.status, 405);
    t.equal(answer.headers.get('allow'), 'POST, OPTIONS');
  }
  for (const path of ['/', '/mcp/', '/mcp/x', '//mcp', '/MCP', '/v1/runs', '/mcp%2f..']) {
    t.equal((await fetch(`${url}${path}`, createPost(token, toolCall))).status, 404, path);
  }
  t.same(shopExecutor.arrived, []);
});

t.test('host and origin are checked first', async (t) => {
  const shopExecutor = await executor(t);
  const { url, port } = await startTestRouter(t, createFinder({ shop: shopExecutor.origin }));
  const page = await fetch(`${url}/mcp`, createPost(token, toolCall, { origin: 'https://evil.example' }));
  t.equal(page.status, 403);
  const forged = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { host: 'evil.example', authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = httpRequest({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(toolCall));
  });
  t.equal(forged, 421);
  t.equal((await fetch(`${url}/mcp`, createPost(token, toolCall, { origin: url }))).status, 200);
  t.equal(shopExecutor.arrived.length, 1);
});

t.test('bodies are limited, JSON, and of a media type that forms cannot send', async (t) => {
  const shopExecutor = await executor(t);
  const { url } = await startTestRouter(t, createFinder({ shop: shopExecutor.origin }));
  const large = JSON.stringify({ ...toolCall, params: { text: 'a'.repeat(10 * 1024 * 1024) } });
  const code = async (init: RequestInit): Promise<unknown> => {
    const answer = await fetch(`${url}/mcp`, init);
    return [answer.status, (await answer.json()).error.data.code];
  };
  t.same(await code(createPost(token, large)), [413, 'BODY_TOO_LARGE']);
  const chunked = { ...createPost(token, ''), body: new Blob([large]).stream(), duplex: 'half' as const };
  t.same(await code(chunked), [413, 'BODY_TOO_LARGE']);
  t.same(await code(createPost(token, '{"a":')), [400, 'BODY_NOT_JSON']);
  t.same(await code(createPost(token, toolCall, { 'content-type': 'text/plain' })), [415, 'MEDIA_TYPE_REFUSED']);
  t.same(shopExecutor.arrived, []);
  const fitting = { ...toolCall, params: { name: 'a', arguments: { text: 'a'.repeat(3 * 1024 * 1024) } } };
  t.equal((await fetch(`${url}/mcp`, createPost(token, fitting))).status, 200);
});

t.test('requests are counted by route', async (t) => {
  const shopExecutor = await executor(t);
  const metrics = await openMetrics();
  const { url } = await startTestRouter(t, createFinder({ shop: shopExecutor.origin }), {
    scrapeAccess: { metrics, key: 'vps_key' },
  });
  await fetch(`${url}/mcp`, createPost(token, toolCall));
  await fetch(`${url}/mcp`, createPost(undefined, toolCall));
  const scrape = (key: string) => fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  t.equal((await scrape('vps_other')).status, 401);
  t.equal((await scrape(token)).status, 401, 'an agent’s token is none');
  const text = await (await scrape('vps_key')).text();
  t.match(text, 'vp_http_requests_total{route="/mcp",method="POST",status_class="2xx"} 1');
  t.match(text, 'vp_http_requests_total{route="/mcp",method="POST",status_class="4xx"} 1');
});
