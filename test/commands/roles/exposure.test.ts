import t from 'tap';
import { findExposedAddress, formatHostAndPort } from '../../../src/commands/roles/exposure.ts';

t.test('exposed without TLS: the listener or the public URL', async (t) => {
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
    t.equal(findExposedAddress(host, url), exposed, `${host} ${publicUrl}`);
  }
});

t.test('host and port as in a URL', async (t) => {
  t.equal(formatHostAndPort('0.0.0.0', 1), '0.0.0.0:1');
  t.equal(formatHostAndPort('::', '1'), '[::]:1');
  t.equal(formatHostAndPort('[::1]', 1), '[::1]:1');
});
