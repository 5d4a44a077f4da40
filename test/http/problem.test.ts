import t from 'tap';
import { Problem } from '../../src/contract/words.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { problemOf, problemResponse, publicError } from '../../src/http/problem.ts';
import { validatorOf } from '../../src/http/validator.ts';

t.test('a problem has the members of RFC 9457 and ours, as the contract says', async (t) => {
  const error = vpError('HOST_REFUSED', { host: 'evil.example' }, { diagnostics: [{ where: 'here' }] });
  const problem = problemOf(error);
  t.same(problem, {
    type: 'urn:vp:problem:host-refused',
    title: 'Host refused',
    status: 421,
    code: 'HOST_REFUSED',
    detail: 'this listener does not answer for the host evil.example',
    cure: 'use the address printed at start, or name the host with --public-url',
    values: { host: 'evil.example' },
    diagnostics: [{ where: 'here' }],
  });
  t.ok(validatorOf(Problem).accepts(problem));
});

t.test('members that say nothing are left out', async (t) => {
  t.notOk('values' in problemOf(vpError('BODY_NOT_JSON', {})));
  t.notOk('diagnostics' in problemOf(vpError('BODY_NOT_JSON', {})));
});

t.test('the response has the media type, and the headers that its status demands', async (t) => {
  const refused = problemResponse(vpError('CREDENTIAL_INSUFFICIENT', { action: 'GET /x' }));
  t.equal(refused.status, 403);
  t.equal(refused.headers.get('content-type'), 'application/problem+json');
  t.equal(refused.headers.get('www-authenticate'), 'Bearer realm="vp", error="insufficient_scope"');
  t.equal(problemResponse(vpError('SHUTTING_DOWN', {})).headers.get('retry-after'), '2');
});

t.test('what is not ours becomes INTERNAL without a word of its own', async (t) => {
  const error = publicError(new Error('password=hunter2'));
  t.equal(error.code, 'INTERNAL');
  t.notMatch(JSON.stringify(problemOf(error)), /hunter2/);
  t.equal(error.detail, undefined);
});
