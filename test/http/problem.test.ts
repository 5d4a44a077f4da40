import t from 'tap';
import { Problem } from '../../src/contract/schemas.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { createProblemResponse, toProblemBody, toPublicError } from '../../src/http/problem.ts';
import { createValidator } from '../../src/http/schema/validator.ts';

t.test('a problem has the members of RFC 9457 and of the contract', async (t) => {
  const error = vpError('HOST_REFUSED', { host: 'evil.example' }, { diagnostics: [{ where: 'here' }] });
  const problem = toProblemBody(error);
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
  t.ok(createValidator(Problem).isValid(problem));
});

t.test('empty members are omitted', async (t) => {
  t.notOk('values' in toProblemBody(vpError('BODY_NOT_JSON', {})));
  t.notOk('diagnostics' in toProblemBody(vpError('BODY_NOT_JSON', {})));
});

t.test('the response has the media type, and the headers that its status requires', async (t) => {
  const refused = createProblemResponse(vpError('CREDENTIAL_INSUFFICIENT', { action: 'GET /x' }));
  t.equal(refused.status, 403);
  t.equal(refused.headers.get('content-type'), 'application/problem+json');
  t.equal(refused.headers.get('www-authenticate'), 'Bearer realm="vp", error="insufficient_scope"');
  t.equal(createProblemResponse(vpError('SHUTTING_DOWN', {})).headers.get('retry-after'), '2');
});

t.test('an unknown error becomes INTERNAL without its message', async (t) => {
  const error = toPublicError(new Error('password=hunter2'));
  t.equal(error.code, 'INTERNAL');
  t.notMatch(JSON.stringify(toProblemBody(error)), /hunter2/);
  t.equal(error.detail, undefined);
});
