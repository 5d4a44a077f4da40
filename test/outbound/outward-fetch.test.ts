import { once } from 'node:events';
import { createServer } from 'node:net';
import t from 'tap';
import { isLoopback, outwardFetch } from '../../src/outbound/outward-fetch.ts';
import { makeRoot } from '../targets/certificates.ts';
import { httpTarget, json } from '../targets/http-target.ts';
import { portOf } from '../targets/raw-target.ts';

const init = () => ({ method: 'GET', headers: {}, signal: AbortSignal.timeout(5000), redirect: 'manual' as const });

t.test('only addresses of this machine are loopback', async (t) => {
  for (const url of ['http://127.0.0.1:1', 'http://127.8.9.1', 'http://localhost', 'http://[::1]:7700']) {
    t.equal(isLoopback(url), true, url);
  }
  for (const url of [
    'http://128.0.0.1',
    'http://localhost.example.com',
    'http://0.0.0.0',
    'http://127.0.0.1.example.com',
  ]) {
    t.equal(isLoopback(url), false, url);
  }
});

t.test('the way to another machine leads through the proxy of the environment', async (t) => {
  const asked: string[] = [];
  const proxy = createServer((socket) => {
    socket.once('data', (head) => {
      asked.push(head.toString().split('\r\n')[0] ?? '');
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => proxy.close());
  const address = `http://127.0.0.1:${portOf(proxy)}`;
  const url = 'https://vp.example.com';
  const through = await outwardFetch({ url, extraRoots: [], variables: { HTTPS_PROXY: address } });
  await t.rejects(through(url, init()));
  t.match(asked, [/^CONNECT vp\.example\.com:443 /]);

  const { origin, close } = await httpTarget(json({ ok: true }));
  t.teardown(close);
  const direct = await outwardFetch({ url: origin, extraRoots: [], variables: { http_proxy: address } });
  t.equal((await direct(origin, init())).status, 200, 'never for this machine');
  t.equal(asked.length, 1);
});

t.test('a root that was named is trusted, and no other', async (t) => {
  const root = makeRoot(t.testdir());
  const { origin, close } = await httpTarget(json({ ok: true }), root.leaf('localhost'));
  t.teardown(close);
  const variables = {};
  const trusting = await outwardFetch({ url: origin, extraRoots: [root.cert], variables });
  t.equal((await trusting(origin, init())).status, 200);
  const doubting = await outwardFetch({ url: origin, extraRoots: [], variables });
  await t.rejects(doubting(origin, init()));
});
