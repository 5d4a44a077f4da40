/** Which responses are encoded, how the coding is negotiated, and what is never encoded. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { createResponseEncoder, negotiateCoding } from '../../src/http/compression.ts';

const listText = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ index, state: 'passed' })));
const text = listText(600);
const json = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
const page = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'max-age=300' };
const encode = createResponseEncoder();

/** The encoded response for a request with these headers. */
function respond(
  requestHeaders: Record<string, string>,
  headers: Record<string, string> = json,
  { body = text, method = 'GET', status = 200 }: { body?: string | null; method?: string; status?: number } = {},
): Promise<Response> {
  const request = new Request('http://localhost/x', { method, headers: requestHeaders });
  return encode(request, new Response(body, { status, headers }));
}

const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

t.test('the coding with the highest weight is taken, Brotli first', async (t) => {
  for (const [header, expected] of [
    [null, undefined],
    ['', undefined],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0 , gzip ; q=0', undefined],
    ['*', 'br'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0', undefined],
    ['x-gzip', 'gzip'],
    ['BR;Q=1.000', 'br'],
    ['br;q=2', undefined],
    ['br;q=abc, gzip;q=0.001', 'gzip'],
    ['zstd', undefined],
  ] as const)
    t.equal(negotiateCoding(header), expected, String(header));
});

t.test('an encoded body is the body, smaller, and says that it depends on Accept-Encoding', async (t) => {
  const brotli = await respond({ 'accept-encoding': 'gzip, br' });
  t.equal(brotli.headers.get('content-encoding'), 'br');
  t.equal(brotli.headers.get('vary'), 'Accept-Encoding');
  t.equal(brotli.headers.get('content-type'), 'application/json');
  const bytes = await bytesOf(brotli);
  t.ok(bytes.length < text.length / 4);
  t.equal(brotliDecompressSync(bytes).toString(), text);
  const gzipped = await respond({ 'accept-encoding': 'gzip' });
  t.equal(gzipped.headers.get('content-encoding'), 'gzip');
  t.equal(gunzipSync(await bytesOf(gzipped)).toString(), text);
});

t.test('without a coding that both know the body stays, and still varies', async (t) => {
  const requests: Record<string, string>[] = [{}, { 'accept-encoding': 'identity' }, { 'accept-encoding': 'zstd' }];
  for (const headers of requests) {
    const response = await respond(headers);
    t.equal(response.headers.get('content-encoding'), null);
    t.equal(response.headers.get('vary'), 'Accept-Encoding');
    t.equal(await response.text(), text);
  }
});

t.test('an existing Vary is kept', async (t) => {
  const response = await respond({ 'accept-encoding': 'br' }, { ...json, Vary: 'Origin' });
  t.equal(response.headers.get('vary'), 'Origin, Accept-Encoding');
});

t.test('what could leak or would be held back is never encoded', async (t) => {
  const accepting = { 'accept-encoding': 'br, gzip' };
  for (const [name, response] of Object.entries({
    'an answer to POST, which may have a credential': await respond(accepting, json, { method: 'POST' }),
    'an answer that sets a cookie': await respond(accepting, { ...json, 'Set-Cookie': 'a=b' }),
    'no-transform': await respond(accepting, { ...json, 'Cache-Control': 'no-store, no-transform' }),
    'an error': await respond(accepting, { 'Content-Type': 'application/json' }, { status: 403 }),
    'an event stream': await respond(accepting, { 'Content-Type': 'text/event-stream' }),
    'an export': await respond(accepting, { 'Content-Type': 'application/x-ndjson' }),
    'bytes of an unknown kind': await respond(accepting, { 'Content-Type': 'application/octet-stream' }),
  }))
    t.equal(response.headers.get('content-encoding'), null, name);
  const encoded = await respond(accepting, { ...json, 'Content-Encoding': 'gzip' });
  t.equal(encoded.headers.get('content-encoding'), 'gzip', 'what is encoded already stays as it is');
  t.equal(await encoded.text(), text);
});

t.test('a small body is not encoded', async (t) => {
  const response = await respond({ 'accept-encoding': 'br' }, json, { body: '{"ok":true}' });
  t.equal(response.headers.get('content-encoding'), null);
  t.equal(await response.text(), '{"ok":true}');
});

t.test(
  'data of users that arrives in one round trip anyway is not encoded; a public file of that size is',
  async (t) => {
    const body = listText(300);
    const bodyBytes = Buffer.byteLength(body);
    t.ok(bodyBytes > 8000 && bodyBytes < 14_600, `${bodyBytes} bytes`);
    for (const headers of [json, { ...json, 'Content-Length': String(bodyBytes) }]) {
      const response = await respond({ 'accept-encoding': 'br' }, headers, { body });
      t.equal(response.headers.get('content-encoding'), null);
      t.equal(response.headers.get('vary'), 'Accept-Encoding');
      t.equal(await response.text(), body);
    }
    const file = await respond({ 'accept-encoding': 'br' }, page, { body });
    t.equal(file.headers.get('content-encoding'), 'br');
  },
);

t.test('an event stream passes while it is open', async (t) => {
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
  });
  const request = new Request('http://localhost/x', { headers: { 'accept-encoding': 'br' } });
  const response = await encode(request, new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } }));
  const reader = response.body?.getReader();
  t.equal(new TextDecoder().decode((await reader?.read())?.value), 'data: 1\n\n');
  await reader?.cancel();
});

t.test('public content has a tag for each coding, and is not sent again', async (t) => {
  const first = await respond({ 'accept-encoding': 'br' }, page);
  const tag = first.headers.get('etag') ?? '';
  t.match(tag, /^"[\w-]+-br"$/);
  const plain = (await respond({}, page)).headers.get('etag');
  t.match(plain, /^"[\w-]+"$/);
  t.not(plain, tag);
  for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
    const again = await respond({ 'accept-encoding': 'br', 'if-none-match': known }, page);
    t.equal(again.status, 304, known);
    t.equal(await again.text(), '');
    t.equal(again.headers.get('etag'), tag);
    t.equal(again.headers.get('vary'), 'Accept-Encoding');
    t.equal(again.headers.get('cache-control'), 'max-age=300');
  }
  t.equal((await respond({ 'accept-encoding': 'gzip', 'if-none-match': tag }, page)).status, 200, 'another coding');
  const changed = await respond({ 'accept-encoding': 'br', 'if-none-match': tag }, page, { body: `${text} ` });
  t.equal(changed.status, 200);
});

t.test('what must not be stored has no tag', async (t) => {
  const response = await respond({ 'accept-encoding': 'br', 'if-none-match': '*' });
  t.equal(response.status, 200);
  t.equal(response.headers.get('etag'), null);
});

t.test('a HEAD has no body and varies too', async (t) => {
  const response = await respond({ 'accept-encoding': 'br' }, page, { body: null, method: 'HEAD' });
  t.equal(response.headers.get('vary'), 'Accept-Encoding');
  t.equal(await response.text(), '');
});

t.test('the body of a small answer with data of users is not looked at', async (t) => {
  const response = new Response('{}', { headers: { ...json, 'Content-Length': '2' } });
  Object.defineProperty(response, 'body', { get: () => t.fail('a stream was made of the body') });
  const request = new Request('http://localhost/', { headers: { 'accept-encoding': 'gzip, deflate, br' } });
  t.equal(await encode(request, response), response);
  t.equal(response.headers.get('vary'), 'Accept-Encoding');
});

t.test('the headers of a response to a POST, or of a refusal, are not read', async (t) => {
  const encode = createResponseEncoder();
  for (const [method, status] of [['POST', 200] as const, ['GET', 404] as const]) {
    const response = new Response('{}', { status });
    Object.defineProperty(response, 'headers', { get: () => t.fail('the headers were read') });
    t.equal(await encode(new Request('http://localhost/', { method }), response), response);
  }
});
