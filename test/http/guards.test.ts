import t from 'tap';
import { hostGuard, originGuard, type RequestHead } from '../../src/http/guards.ts';

const publicUrls = [new URL('https://vp.example.com/base'), new URL('http://vp.example.org:8443')];

function head(headers: RequestHead['headers'], more: Partial<RequestHead> = {}): RequestHead {
  return { url: '/', socket: { localPort: 7700 }, headers, ...more };
}

t.test('loopback names and those of public URLs are answered for, whatever the port', async (t) => {
  const guard = hostGuard(publicUrls);
  const hosts = [
    'localhost',
    'LOCALHOST:7700',
    '127.0.0.1:7700',
    '[::1]:7700',
    '[::1]',
    'vp.example.com',
    'vp.example.org:1',
  ];
  for (const host of hosts) t.equal(guard(head({ host })), undefined, host);
});

t.test('any other host is refused', async (t) => {
  const guard = hostGuard(publicUrls);
  const hosts = [
    '',
    'evil.example',
    'localhost.evil.example',
    'evil.example:7700',
    '127.0.0.1.nip.io',
    '0.0.0.0',
    '127.1',
  ].concat([
    'localhost.',
    'localhost:',
    'localhost:port',
    'a@localhost',
    'localhost, localhost',
    '[::2]',
    'vp.example.com.evil.example',
  ]);
  for (const host of hosts) t.match(guard(head({ host })), { code: 'HOST_REFUSED' }, host);
  t.match(guard(head({})), { code: 'HOST_REFUSED' }, 'none at all');
});

t.test('the absolute form of a request target stands above the Host header', async (t) => {
  const guard = hostGuard([]);
  t.match(guard(head({ host: 'localhost' }, { url: 'http://evil.example/' })), { code: 'HOST_REFUSED' });
  t.equal(guard(head({ host: 'evil.example' }, { url: 'http://localhost:7700/' })), undefined);
});

t.test('an origin is ours with its port only', async (t) => {
  const guard = originGuard(publicUrls);
  const ours = [
    'http://localhost:7700',
    'http://127.0.0.1:7700',
    'http://[::1]:7700',
    'https://vp.example.com',
    'http://vp.example.org:8443',
  ];
  for (const origin of [undefined, ...ours]) t.equal(guard(head({ origin })), undefined, String(origin));
  const others = [
    'null',
    '',
    'http://localhost:3200',
    'http://localhost',
    'https://localhost:7700',
    'http://vp.example.com',
  ].concat([
    'https://vp.example.com:8443',
    'http://vp.example.org',
    'http://localhost:7700, http://localhost:7700',
    'http://evil.example:7700',
  ]);
  for (const origin of others) t.match(guard(head({ origin })), { code: 'ORIGIN_REFUSED' }, origin);
});

t.test('at port 80 an origin has no port', async (t) => {
  const guard = originGuard([]);
  t.equal(guard(head({ origin: 'http://localhost' }, { socket: { localPort: 80 } })), undefined);
});

t.test('in a container network a listener has further names, and with them its own address', async (t) => {
  const named = hostGuard([], ['platform-inst-shop', 'vp-executors']);
  const at = (host: string, localAddress: string) => head({ host }, { socket: { localPort: 8765, localAddress } });
  for (const host of ['platform-inst-shop:8765', 'vp-executors', '172.18.0.5:8765', 'localhost'])
    t.equal(named(at(host, '::ffff:172.18.0.5')), undefined, host);
  t.equal(named(at('[fd00::5]:8765', 'fd00::5')), undefined);
  for (const host of ['172.18.0.6:8765', 'evil.example', 'platform-inst-other'])
    t.match(named(at(host, '172.18.0.5')), { code: 'HOST_REFUSED' }, host);
  t.match(hostGuard([])(at('172.18.0.5:8765', '172.18.0.5')), { code: 'HOST_REFUSED' }, 'only where it has names');
});
