import t from 'tap';
import { networkProblem } from '../../src/client/network-problem.ts';
import { vpError } from '../../src/errors/vp-error.ts';

const failed = (cause: unknown): Error => new TypeError('fetch failed', { cause });
const withCode = (code: string): Error => Object.assign(new Error(code), { code });

t.test('the innermost reason is told in words', async (t) => {
  const cases: [unknown, string][] = [
    [failed(withCode('ECONNREFUSED')), 'nothing listens there'],
    [failed(new AggregateError([withCode('ECONNREFUSED'), withCode('EHOSTUNREACH')])), 'nothing listens there'],
    [withCode('ENOTFOUND'), 'the name is not known'],
    [failed(withCode('DEPTH_ZERO_SELF_SIGNED_CERT')), 'its certificate is signed by itself; name it with --ca'],
    [failed(withCode('ERR_TLS_CERT_ALTNAME_INVALID')), 'its certificate is for another name'],
    [failed(withCode('ESOMETHING')), 'ESOMETHING'],
    [new TypeError('Failed to fetch'), 'the connection failed'],
    ['a text', 'the connection failed'],
  ];
  for (const [thrown, problem] of cases) {
    const error = networkProblem(thrown, 'http://cp');
    t.match(error, { code: 'CONTROL_PLANE_UNREACHABLE', values: { url: 'http://cp', problem } });
    t.equal(error.detail, String(thrown), 'and kept for the log');
  }
});

t.test('what has words already keeps them', async (t) => {
  const error = vpError('RUN_UNKNOWN', { run: 'r' });
  t.equal(networkProblem(error, 'http://cp'), error);
});
