import t from 'tap';
import { parseConnectionSignInResult } from '../../../../src/console/hub/sign-in/sign-in-result.ts';

const signInState = { needed: false, by: 'shared', signed_in: true, expires_at: null } as const;
const connections = [
  { name: 'files', sign_in: signInState },
  { name: 'mail', sign_in: { ...signInState, needed: true, signed_in: false } },
  { name: 'weather', sign_in: null },
];
const parseResult = (search: string) => parseConnectionSignInResult(new URLSearchParams(search), connections);

t.test('a successful sign-in is reported only if the connection confirms it', async (t) => {
  t.same(parseResult('signed_in=files'), { signedInTo: 'files' });
  for (const name of ['mail', 'weather', 'other', 'Call 555 0100 to unlock your account', ''])
    t.equal(parseResult(`signed_in=${encodeURIComponent(name)}`), undefined, name);
  t.equal(parseResult(''), undefined);
});

t.test('a failed sign-in is reported with our own text and an existing connection', async (t) => {
  const refused = parseResult('problem=CONNECTION_SIGN_IN_REFUSED&connection=mail');
  t.match(refused, { connection: 'mail', code: 'CONNECTION_SIGN_IN_REFUSED', reason: /denied/, cure: /again/ });
  const unanswered = parseResult('problem=CONNECTION_SIGN_IN_UNANSWERED&connection=mail');
  t.match(unanswered, { connection: 'mail', reason: /cannot sign anyone in now/, cure: /Check that it runs/ });
  t.match(parseResult('problem=CONNECTION_UNKNOWN&connection=gone'), { reason: /removed/ });
  t.match(parseResult('problem=UPSTREAM_ANSWER_INVALID&connection=any sentence'), {
    connection: undefined,
    reason: 'an unexpected error occurred',
  });
});

t.test('unknown codes and inherited property names give no result', async (t) => {
  for (const code of ['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty', 'any sentence', ''])
    t.equal(parseResult(`problem=${encodeURIComponent(code)}&connection=files`), undefined, code);
});
