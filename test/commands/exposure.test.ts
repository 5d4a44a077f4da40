import t from 'tap';
import { exposedAddress, hostAndPort, isOwnAddress } from '../../src/commands/exposure.ts';

t.test('addresses of this machine alone, however they are written', async (t) => {
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', 'LOCALHOST', '::1', '[::1]'])
    t.ok(isOwnAddress(host), host);
  for (const host of ['0.0.0.0', '::', '[::]', '10.0.0.1', '127.0.0.1.example.com', 'localhost.example.com', ''])
    t.notOk(isOwnAddress(host), host);
});

t.test('what is open in the clear: the listener, or the public address, unless TLS stands before it', async (t) => {
  const cases: readonly (readonly [host: string, publicUrl: string | undefined, exposed: string | undefined])[] = [
    ['127.0.0.1', undefined, undefined],
    ['::1', undefined, undefined],
    ['0.0.0.0', undefined, '0.0.0.0'],
    ['0.0.0.0', 'http://localhost:7810', '0.0.0.0'],
    ['::', 'http://[::1]:7810', '::'],
    ['0.0.0.0', 'https://vp.example.com', undefined],
    ['127.0.0.1', 'https://vp.example.com', undefined],
    ['127.0.0.1', 'http://vp.example.com/path', 'http://vp.example.com'],
    ['127.0.0.1', 'http://[::1]:7810', undefined],
    ['127.0.0.1', 'http://localhost:7810', undefined],
  ];
  for (const [host, publicUrl, exposed] of cases) {
    const url = publicUrl === undefined ? undefined : new URL(publicUrl);
    t.equal(exposedAddress(host, url), exposed, `${host} ${publicUrl}`);
  }
});

t.test('host and port as in a URL', async (t) => {
  t.equal(hostAndPort('0.0.0.0', 1), '0.0.0.0:1');
  t.equal(hostAndPort('::', '1'), '[::]:1');
  t.equal(hostAndPort('[::1]', 1), '[::1]:1');
});
