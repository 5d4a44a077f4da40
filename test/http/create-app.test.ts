import t from 'tap';
import { createTestApp, jsonInit } from './test-app.ts';

t.test('the result of a handler is sent as JSON that is not cached', async (t) => {
  const { ask } = createTestApp();
  const response = await ask('PUT', '/entries/7', { key: 'writer', ...jsonInit({ text: 'a', count: 2 }) });
  t.equal(response.status, 201);
  t.equal(response.headers.get('content-type'), 'application/json');
  t.equal(response.headers.get('cache-control'), 'no-store');
  t.same(await response.json(), { by: 'ana', text: 'a' });
  const removed = await ask('DELETE', '/entries/7', { key: 'writer' });
  t.equal(removed.status, 204);
});

t.test('path, query and headers are converted to the types of their schemas', async (t) => {
  const { ask } = createTestApp(true);
  const response = await ask('GET', '/entries/7?limit=3&tag=a&tag=b&all=true', {
    key: 'reader',
    headers: { 'x-depth': '4', 'x-other': 'ignored' },
  });
  t.same(await response.json(), {
    params: { id: 7 },
    query: { limit: 3, tag: ['a', 'b'], all: true },
    headers: { 'x-depth': 4 },
  });
});

t.test('invalid values are refused with their location, all at once', async (t) => {
  const { ask } = createTestApp();
  const cases: [string, string][] = [
    ['/entries/x', 'path parameter id must be integer'],
    ['/entries/7?limit=10', 'query parameter limit must be <= 9'],
    ['/entries/7?all=perhaps', 'query parameter all must be boolean'],
    ['/entries/7?Limit=1', 'query parameter Limit is unknown; known parameters: limit, tag, all'],
    ['/entries/7?limit=1&limit=2', 'query parameter limit must occur once'],
    ['/entries/7?__proto__=1', 'query parameter __proto__ is unknown; known parameters: limit, tag, all'],
  ];
  for (const [path, detail] of cases) {
    const response = await ask('GET', path, { key: 'reader' });
    t.equal(response.status, 400);
    t.match(await response.json(), { code: 'REQUEST_INVALID', detail });
  }
  const twoErrors = await ask('PUT', '/entries/7', { key: 'writer', ...jsonInit({ text: '', count: -1 }) });
  t.match(await twoErrors.json(), {
    detail: 'body.text must NOT have fewer than 1 characters (and 1 more, see `diagnostics`)',
    diagnostics: [{ where: 'body.text' }, { where: 'body.count', problem: 'must be >= 0' }],
  });
});

t.test('an unknown path is 404, and the fix names the API description', async (t) => {
  const { ask, counted } = createTestApp();
  const response = await ask('GET', `/nothing/${'x'.repeat(500)}`);
  t.equal(response.status, 404);
  const problem = await response.json();
  t.match(problem, { code: 'ROUTE_UNKNOWN', cure: /openapi\.json/ });
  t.ok(problem.detail.length < 300);
  t.same(counted, ['GET unknown 404']);
});

t.test('an unsupported method is 405 with the supported ones', async (t) => {
  const { ask, counted } = createTestApp();
  const response = await ask('POST', '/entries/7', jsonInit({ text: 'a' }));
  t.equal(response.status, 405);
  t.equal(response.headers.get('allow'), 'GET, PUT, DELETE, HEAD, OPTIONS');
  t.match(await response.json(), { code: 'METHOD_REFUSED', cure: 'use one of GET, PUT, DELETE, HEAD, OPTIONS' });
  t.same(counted, ['POST /entries/{id} 405']);
});

t.test('OPTIONS lists the methods and grants nothing to other origins', async (t) => {
  const { ask } = createTestApp();
  const response = await ask('OPTIONS', '/open', { headers: { origin: 'http://evil.example' } });
  t.equal(response.status, 204);
  t.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
  t.notOk([...response.headers.keys()].some((name) => name.startsWith('access-control')));
});

t.test('HEAD is GET without its body', async (t) => {
  const { ask } = createTestApp();
  const response = await ask('HEAD', '/open');
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'application/json');
  t.equal(await response.text(), '');
  t.equal((await ask('HEAD', '/entries/7')).status, 401, 'and needs the same credential');
});

t.test('an exception is hidden from the caller and logged', async (t) => {
  const { ask, lines } = createTestApp();
  const response = await ask('GET', '/broken/crash', { key: 'reader' });
  t.equal(response.status, 500);
  const text = await response.text();
  t.match(JSON.parse(text), { code: 'INTERNAL' });
  t.notMatch(text, /secret/);
  t.match(lines, [{ fields: { code: 'INTERNAL', detail: /secret of the house/, path: '/broken/crash' } }]);
});

t.test('the detail of a public error is only logged', async (t) => {
  const { ask, lines } = createTestApp();
  const response = await ask('GET', '/broken/store', { key: 'reader' });
  t.equal(response.status, 503);
  t.equal(response.headers.get('retry-after'), '2');
  const text = await response.text();
  t.equal(JSON.parse(text).code, 'STORE_CLOSED');
  t.notMatch(text, /handle 17/);
  t.match(lines, [{ fields: { detail: 'handle 17' } }]);
});

t.test('a rate-limited caller gets the time to wait', async (t) => {
  const { ask } = createTestApp();
  const response = await ask('GET', '/broken/limit', { key: 'reader' });
  t.equal(response.status, 429);
  t.equal(response.headers.get('retry-after'), '7');
  t.match(await response.json(), { code: 'RATE_LIMITED', cure: 'wait 7 s, then try again' });
});

t.test('a response that does not match its schema is an internal error only when responses are checked', async (t) => {
  t.equal((await createTestApp(false).ask('GET', '/broken/promise', { key: 'reader' })).status, 200);
  const { ask, lines } = createTestApp(true);
  t.equal((await ask('GET', '/broken/promise', { key: 'reader' })).status, 500);
  t.match(lines, [{ fields: { detail: 'broken does not match its schema: response.done must be boolean' } }]);
});

t.test('a wait ends when its caller disconnects, counted and not logged', async (t) => {
  const { app, lines, counted } = createTestApp();
  const controller = new AbortController();
  const headers = { authorization: 'Bearer reader' };
  const pendingResponse = app.fetch(
    new Request('http://localhost/broken/wait', { headers, signal: controller.signal }),
  );
  setImmediate(() => controller.abort());
  t.equal((await pendingResponse).status, 499);
  t.same(lines, []);
  t.same(counted, ['GET /broken/{how} 499']);
});

t.test('a wait ends when the listener closes, with SHUTTING_DOWN', async (t) => {
  const { app, lines } = createTestApp();
  const closing = new AbortController();
  const request = new Request('http://localhost/broken/wait', { headers: { authorization: 'Bearer reader' } });
  const pendingResponse = app.fetch(request, { closing: closing.signal });
  setImmediate(() => closing.abort());
  const response = await pendingResponse;
  t.equal(response.status, 503);
  t.equal((await response.json()).code, 'SHUTTING_DOWN');
  t.same(lines, []);
});

t.test('the caller is authenticated before the request is read', async (t) => {
  const { ask, written } = createTestApp();
  const cases: [key: string | undefined, status: number, code: string][] = [
    [undefined, 401, 'CREDENTIAL_MISSING'],
    ['nobody', 401, 'CREDENTIAL_INVALID'],
    ['reader', 403, 'CREDENTIAL_INSUFFICIENT'],
  ];
  for (const [key, status, code] of cases) {
    const response = await ask('PUT', '/entries/7', { ...(key ? { key } : {}), body: 'not json' });
    t.equal(response.status, status);
    t.match(response.headers.get('www-authenticate'), /^Bearer/);
    t.equal((await response.json()).code, code);
  }
  t.same(written, []);
});
