/** Scripts of other origins, at a listener that shares `/open` with one of them. */
import t from 'tap';
import type { CrossOriginPolicy } from '../../../src/http/listener/cors.ts';
import { openConnection, startListener } from '../test-listener.ts';

const allowedOrigin = 'https://inspector.example';
const policy: CrossOriginPolicy = {
  origins: new Set([allowedOrigin]),
  getMethods: (path) => (path === '/open' || path === '/raw' ? 'GET, POST' : undefined),
  isAllowedHeader: (header) => header === 'authorization' || header.startsWith('x-own-'),
  exposedHeaders: ['X-Request-Id'],
};

async function startSharedListener(
  t: Parameters<typeof startListener>[0],
  crossOrigin: CrossOriginPolicy | undefined = policy,
) {
  const raw: Parameters<typeof startListener>[2] = {
    raw: [
      {
        accepts: (path) => path === '/raw',
        handle: (_incoming, outgoing) => {
          outgoing.end('raw');
        },
      },
    ],
  };
  const calls: string[] = [];
  const handler = (request: Request): Response => {
    calls.push(request.method);
    return new Response('answered', { headers: { 'Set-Cookie': 'a=b' } });
  };
  const { url, port } = await startListener(t, handler, { ...raw, ...(crossOrigin ? { crossOrigin } : {}) });
  const request = (path: string, headers: Record<string, string>, method = 'GET') =>
    fetch(`${url}${path}`, { method, headers });
  return { ask: request, calls, port };
}

const listAccessHeaders = (headers: Headers): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-')).sort();

t.test('a script of an allowed origin may read shared paths, without cookies', async (t) => {
  const { ask: request } = await startSharedListener(t);
  for (const path of ['/open', '/open?x=1', '/raw']) {
    const { status, headers } = await request(path, { origin: allowedOrigin });
    t.equal(status, 200);
    t.equal(headers.get('access-control-allow-origin'), allowedOrigin);
    t.equal(headers.get('vary'), 'Origin');
    t.same(listAccessHeaders(headers), ['access-control-allow-origin', 'access-control-expose-headers']);
  }
});

t.test('it is refused everything else', async (t) => {
  const { ask: request, calls } = await startSharedListener(t);
  for (const path of ['/', '/open/', '/Open', '/%6fpen', '/open/more', '/api/v1/runs']) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const response = await request(path, { origin: allowedOrigin, 'access-control-request-method': 'GET' }, method);
      t.equal(response.status, 403, `${method} ${path}`);
      t.match(await response.json(), { code: 'ORIGIN_REFUSED' });
      t.same(listAccessHeaders(response.headers), []);
    }
  }
  t.same(calls, []);
});

t.test('scripts of other origins are refused shared paths', async (t) => {
  const { ask: request, calls } = await startSharedListener(t);
  const foreignOrigins = [
    'https://inspector.example:8443',
    'http://inspector.example',
    'https://inspector.example.evil.example',
    'https://sub.inspector.example',
    'https://INSPECTOR.example',
    `${allowedOrigin}, ${allowedOrigin}`,
    `${allowedOrigin}/`,
    'null',
    '*',
  ];
  for (const origin of foreignOrigins) {
    for (const method of ['GET', 'OPTIONS']) {
      const response = await request('/open', { origin, 'access-control-request-method': 'POST' }, method);
      t.equal(response.status, 403, origin);
      t.same(listAccessHeaders(response.headers), []);
    }
  }
  t.same(calls, []);
});

t.test('a preflight is answered without the handler, with the allowed methods and headers', async (t) => {
  const { ask: request, calls } = await startSharedListener(t);
  const preflight = {
    origin: allowedOrigin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'Authorization,cookie, x-own-city,x-vp-proof,x own bad',
  };
  for (const path of ['/open', '/raw']) {
    const { status, headers } = await request(path, preflight, 'OPTIONS');
    t.equal(status, 204);
    t.equal(headers.get('access-control-allow-methods'), 'GET, POST');
    t.equal(headers.get('access-control-allow-headers'), 'authorization, x-own-city');
    t.equal(headers.get('access-control-allow-origin'), allowedOrigin);
    t.equal(headers.get('access-control-allow-credentials'), null);
  }
  t.same(calls, []);
  const many = Array.from({ length: 200 }, (_, index) => `x-own-${index}`).join(',');
  const { headers } = await request('/open', { ...preflight, 'access-control-request-headers': many }, 'OPTIONS');
  t.equal(headers.get('access-control-allow-headers')?.split(', ').length, 50);
});

t.test('a rebound host name is refused for an allowed origin too', async (t) => {
  const { port } = await startSharedListener(t);
  const head = `Host: evil.example\r\nOrigin: ${allowedOrigin}\r\nAccess-Control-Request-Method: GET\r\nConnection: close\r\n\r\n`;
  for (const method of ['GET', 'OPTIONS']) {
    const received = await openConnection(t, port, `${method} /open HTTP/1.1\r\n${head}`).waitForEnd();
    t.match(received, /^HTTP\/1\.1 421 /);
    t.notMatch(received, /access-control/i);
  }
});

t.test('without a policy no CORS header is sent', async (t) => {
  const { url } = await startListener(t, () => new Response('answered'));
  const refused = await fetch(`${url}/open`, { headers: { origin: allowedOrigin } });
  t.equal(refused.status, 403);
  t.same(listAccessHeaders(refused.headers), []);
  t.same(listAccessHeaders((await fetch(`${url}/open`)).headers), []);
});
