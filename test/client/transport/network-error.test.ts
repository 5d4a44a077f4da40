import t from 'tap';
import { createNetworkError } from '../../../src/client/transport/network-error.ts';
import { vpError } from '../../../src/errors/vp-error.ts';

const fetchFailed = (cause: unknown): Error => new TypeError('fetch failed', { cause });
const withCode = (code: string): Error => Object.assign(new Error(code), { code });

t.test('the innermost error code is explained', async (t) => {
  const cases: [unknown, string][] = [
    [fetchFailed(withCode('ECONNREFUSED')), 'nothing is listening there'],
    [
      fetchFailed(new AggregateError([withCode('ECONNREFUSED'), withCode('EHOSTUNREACH')])),
      'nothing is listening there',
    ],
    [withCode('ENOTFOUND'), 'the host name is unknown'],
    [fetchFailed(withCode('DEPTH_ZERO_SELF_SIGNED_CERT')), 'its certificate is self-signed; pass it with --ca'],
    [fetchFailed(withCode('ERR_TLS_CERT_ALTNAME_INVALID')), 'its certificate is for another host name'],
    [fetchFailed(withCode('ESOMETHING')), 'ESOMETHING'],
    [new TypeError('Failed to fetch'), 'the connection failed'],
    ['a text', 'the connection failed'],
  ];
  for (const [thrown, problem] of cases) {
    const error = createNetworkError(thrown, 'http://cp');
    t.match(error, { code: 'CONTROL_PLANE_UNREACHABLE', values: { url: 'http://cp', problem } });
    t.equal(error.detail, String(thrown), 'and kept for the log');
  }
});

t.test('a VpError is returned unchanged', async (t) => {
  const error = vpError('RUN_UNKNOWN', { run: 'r' });
  t.equal(createNetworkError(error, 'http://cp'), error);
});
