/** Scripts of other origins, at a listener that shares `/open` with one of them. */
import t from 'tap';
import type { CrossOrigin } from '../../src/http/cors.ts';
import { listening, wire } from './listening.ts';

const friend = 'https://inspector.example';
const shared: CrossOrigin = {
  origins: new Set([friend]),
  methodsOf: (path) => (path === '/open' || path === '/raw' ? 'GET, POST' : undefined),
  isSendable: (header) => header === 'authorization' || header.startsWith('x-own-'),
  readable: ['X-Request-Id'],
};

async function asker(t: Parameters<typeof listening>[0], crossOrigin: CrossOrigin | undefined = shared) {
  const raw: Parameters<typeof listening>[2] = {
    raw: {
      accepts: (path) => path === '/raw',
      handle: (_incoming, outgoing) => {
        outgoing.end('raw');
      },
    },
  };
  const calls: string[] = [];
  const handler = (request: Request): Response => {
    calls.push(request.method);
    return new Response('answered', { headers: { 'Set-Cookie': 'a=b' } });
  };
  const { url, port } = await listening(t, handler, { ...raw, ...(crossOrigin ? { crossOrigin } : {}) });
  const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
    fetch(`${url}${path}`, { method, headers });
  return { ask, calls, port };
}

const access = (headers: Headers): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-')).sort();

t.test('a script of a named origin may read what is shared, and no cookie goes with it', async (t) => {
  const { ask } = await asker(t);
  for (const path of ['/open', '/open?x=1', '/raw']) {
    const { status, headers } = await ask(path, { origin: friend });
    t.equal(status, 200);
    t.equal(headers.get('access-control-allow-origin'), friend);
    t.equal(headers.get('vary'), 'Origin');
    t.same(access(headers), ['access-control-allow-origin', 'access-control-expose-headers']);
  }
});

t.test('whatever else it asks for is refused as ever', async (t) => {
  const { ask, calls } = await asker(t);
  for (const path of ['/', '/open/', '/Open', '/%6fpen', '/open/more', '/api/v1/runs']) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const response = await ask(path, { origin: friend, 'access-control-request-method': 'GET' }, method);
      t.equal(response.status, 403, `${method} ${path}`);
      t.match(await response.json(), { code: 'ORIGIN_REFUSED' });
      t.same(access(response.headers), []);
    }
  }
  t.same(calls, []);
});

t.test('scripts of every other origin are refused what is shared', async (t) => {
  const { ask, calls } = await asker(t);
  const others = [
    'https://inspector.example:8443',
    'http://inspector.example',
    'https://inspector.example.evil.example',
    'https://sub.inspector.example',
    'https://INSPECTOR.example',
    `${friend}, ${friend}`,
    `${friend}/`,
    'null',
    '*',
  ];
  for (const origin of others) {
    for (const method of ['GET', 'OPTIONS']) {
      const response = await ask('/open', { origin, 'access-control-request-method': 'POST' }, method);
      t.equal(response.status, 403, origin);
      t.same(access(response.headers), []);
    }
  }
  t.same(calls, []);
});

t.test(
  'a browser’s question is answered without the handler: methods, and of the asked headers those that may be',
  async (t) => {
    const { ask, calls } = await asker(t);
    const question = {
      origin: friend,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'Authorization,cookie, x-own-city,x-vp-proof,x own bad',
    };
    for (const path of ['/open', '/raw']) {
      const { status, headers } = await ask(path, question, 'OPTIONS');
      t.equal(status, 204);
      t.equal(headers.get('access-control-allow-methods'), 'GET, POST');
      t.equal(headers.get('access-control-allow-headers'), 'authorization, x-own-city');
      t.equal(headers.get('access-control-allow-origin'), friend);
      t.equal(headers.get('access-control-allow-credentials'), null);
    }
    t.same(calls, []);
    const many = Array.from({ length: 200 }, (_, index) => `x-own-${index}`).join(',');
    const { headers } = await ask('/open', { ...question, 'access-control-request-headers': many }, 'OPTIONS');
    t.equal(headers.get('access-control-allow-headers')?.split(', ').length, 50);
  },
);

t.test('a name that was made to point here is refused to a named origin too', async (t) => {
  const { port } = await asker(t);
  const head = `Host: evil.example\r\nOrigin: ${friend}\r\nAccess-Control-Request-Method: GET\r\nConnection: close\r\n\r\n`;
  for (const method of ['GET', 'OPTIONS']) {
    const received = await wire(t, port, `${method} /open HTTP/1.1\r\n${head}`).ended();
    t.match(received, /^HTTP\/1\.1 421 /);
    t.notMatch(received, /access-control/i);
  }
});

t.test('unless something is shared, no header tells scripts anything', async (t) => {
  const { url } = await listening(t, () => new Response('answered'));
  const refused = await fetch(`${url}/open`, { headers: { origin: friend } });
  t.equal(refused.status, 403);
  t.same(access(refused.headers), []);
  t.same(access((await fetch(`${url}/open`)).headers), []);
});
