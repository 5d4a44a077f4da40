import t from 'tap';
import { createNetworkError, isConnectionRefused } from '../../../src/client/transport/network-error.ts';
import { vpError } from '../../../src/errors/vp-error.ts';

const fetchFailed = (cause: unknown): Error => new TypeError('fetch failed', { cause });
const withCode = (code: string): Error => Object.assign(new Error(code), { code });

t.test('the innermost error code is explained', async (t) => {
  const cases: [unknown, string][] = [
    [fetchFailed(withCode('ECONNREFUSED')), 'nothing listens there (ECONNREFUSED)'],
    [
      fetchFailed(new AggregateError([withCode('ECONNREFUSED'), withCode('EHOSTUNREACH')])),
      'nothing listens there (ECONNREFUSED)',
    ],
    [withCode('ENOTFOUND'), 'the host name is unknown (ENOTFOUND)'],
    [
      fetchFailed(withCode('DEPTH_ZERO_SELF_SIGNED_CERT')),
      'its certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    ],
    [
      fetchFailed(withCode('ERR_TLS_CERT_ALTNAME_INVALID')),
      'its certificate is for another host name (ERR_TLS_CERT_ALTNAME_INVALID)',
    ],
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

t.test('the fix is that of the reason, where it has one', async (t) => {
  t.match(createNetworkError(withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'https://cp').cure, /^pass .* --ca <file\.pem>$/);
  t.match(createNetworkError(withCode('ECONNREFUSED'), 'http://cp').cure, /^start it with `vp serve`/);
});

t.test('a refused connection is recognized by its code', async (t) => {
  t.ok(isConnectionRefused(createNetworkError(fetchFailed(withCode('ECONNREFUSED')), 'http://cp')));
  t.notOk(isConnectionRefused(createNetworkError(fetchFailed(withCode('ECONNRESET')), 'http://cp')));
  t.notOk(isConnectionRefused(vpError('RUN_UNKNOWN', { run: 'r' })));
});

t.test('a VpError is returned unchanged', async (t) => {
  const error = vpError('RUN_UNKNOWN', { run: 'r' });
  t.equal(createNetworkError(error, 'http://cp'), error);
});
