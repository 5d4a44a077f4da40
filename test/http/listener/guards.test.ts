import t from 'tap';
import { createHostGuard, createOriginGuard } from '../../../src/http/listener/guards.ts';
import type { RequestHead } from '../../../src/http/listener/request-head.ts';

const publicUrls = [new URL('https://vp.example.com/base'), new URL('http://vp.example.org:8443')];

function createHead(headers: RequestHead['headers'], more: Partial<RequestHead> = {}): RequestHead {
  return { url: '/', socket: { localPort: 7700 }, headers, ...more };
}

t.test('loopback names and hosts of public URLs are accepted, with any port', async (t) => {
  const guard = createHostGuard(publicUrls);
  const hosts = [
    'localhost',
    'LOCALHOST:7700',
    '127.0.0.1:7700',
    '[::1]:7700',
    '[::1]',
    'vp.example.com',
    'vp.example.org:1',
  ];
  for (const host of hosts) t.equal(guard(createHead({ host })), undefined, host);
});

t.test('two Host headers are malformed, even if they agree', async (t) => {
  const guard = createHostGuard(publicUrls);
  for (const second of ['localhost', 'evil.example']) {
    const rawHeaders = ['Host', 'localhost', 'X', 'host', 'hOST', second];
    t.match(guard(createHead({ host: 'localhost' }, { rawHeaders })), {
      code: 'REQUEST_INVALID',
      row: { status: 400 },
    });
  }
  t.equal(guard(createHead({ host: 'localhost' }, { rawHeaders: ['Host', 'localhost', 'X', 'host'] })), undefined);
});

t.test(
  'a host that was accepted before is looked at again with a second one, or in a target of another form',
  async (t) => {
    const guard = createHostGuard(publicUrls);
    const host = 'localhost:7700';
    t.equal(guard(createHead({ host }, { rawHeaders: ['Host', host] })), undefined);
    t.equal(guard(createHead({ host }, { rawHeaders: ['Host', host] })), undefined);
    const rawHeaders = ['Host', host, 'host', 'evil.example'];
    t.match(guard(createHead({ host }, { rawHeaders })), { code: 'REQUEST_INVALID' });
    const url = 'http://evil.example/';
    t.match(guard(createHead({ host }, { rawHeaders: ['Host', host], url })), { code: 'HOST_REFUSED' });
    for (let port = 1; port < 200; port += 1) t.equal(guard(createHead({ host: `localhost:${port}` })), undefined);
  },
);

t.test('any other host is refused', async (t) => {
  const guard = createHostGuard(publicUrls);
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
  for (const host of hosts) t.match(guard(createHead({ host })), { code: 'HOST_REFUSED' }, host);
  t.match(guard(createHead({})), { code: 'HOST_REFUSED' }, 'none at all');
});

t.test('the absolute form of a request target takes precedence over the Host header', async (t) => {
  const guard = createHostGuard([]);
  t.match(guard(createHead({ host: 'localhost' }, { url: 'http://evil.example/' })), { code: 'HOST_REFUSED' });
  t.equal(guard(createHead({ host: 'evil.example' }, { url: 'http://localhost:7700/' })), undefined);
});

t.test('an origin is accepted only with its port', async (t) => {
  const guard = createOriginGuard(publicUrls);
  const ownOrigins = [
    'http://localhost:7700',
    'http://127.0.0.1:7700',
    'http://[::1]:7700',
    'https://vp.example.com',
    'http://vp.example.org:8443',
  ];
  for (const origin of [undefined, ...ownOrigins]) t.equal(guard(createHead({ origin })), undefined, String(origin));
  const foreignOrigins = [
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
  for (const origin of foreignOrigins) t.match(guard(createHead({ origin })), { code: 'ORIGIN_REFUSED' }, origin);
});

t.test('at port 80 an origin has no port', async (t) => {
  const guard = createOriginGuard([]);
  t.equal(guard(createHead({ origin: 'http://localhost' }, { socket: { localPort: 80 } })), undefined);
});

t.test('in a container network a listener accepts further names, and its own address', async (t) => {
  const namedGuard = createHostGuard([], ['platform-inst-shop', 'vp-executors']);
  const headFor = (host: string, localAddress: string) =>
    createHead({ host }, { socket: { localPort: 8765, localAddress } });
  for (const host of ['platform-inst-shop:8765', 'vp-executors', '172.18.0.5:8765', 'localhost'])
    t.equal(namedGuard(headFor(host, '::ffff:172.18.0.5')), undefined, host);
  t.equal(namedGuard(headFor('[fd00::5]:8765', 'fd00::5')), undefined);
  for (const host of ['172.18.0.6:8765', 'evil.example', 'platform-inst-other'])
    t.match(namedGuard(headFor(host, '172.18.0.5')), { code: 'HOST_REFUSED' }, host);
  t.match(
    createHostGuard([])(headFor('172.18.0.5:8765', '172.18.0.5')),
    { code: 'HOST_REFUSED' },
    'only where it has names',
  );
});
