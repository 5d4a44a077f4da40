import t from 'tap';
import { signInEndOf } from '../../../src/console/hub/sign-in-end.ts';

const sign = { needed: false, by: 'shared', signed_in: true, expires_at: null } as const;
const connections = [
  { name: 'files', sign_in: sign },
  { name: 'mail', sign_in: { ...sign, needed: true, signed_in: false } },
  { name: 'weather', sign_in: null },
];
const endOf = (search: string) => signInEndOf(new URLSearchParams(search), connections);

t.test('a sign-in that succeeded is told where the connection says so too', async (t) => {
  t.same(endOf('signed_in=files'), { signedIn: 'files' });
  for (const name of ['mail', 'weather', 'other', 'Call 555 0100 to unlock your account', ''])
    t.equal(endOf(`signed_in=${encodeURIComponent(name)}`), undefined, name);
  t.equal(endOf(''), undefined);
});

t.test('a sign-in that failed is told in our words, about a connection that there is', async (t) => {
  const refused = endOf('problem=CONNECTION_SIGN_IN_REFUSED&connection=mail');
  t.match(refused, { connection: 'mail', code: 'CONNECTION_SIGN_IN_REFUSED', why: /refused/, cure: /again/ });
  t.match(endOf('problem=UPSTREAM_ANSWER_INVALID&connection=any sentence'), {
    connection: undefined,
    why: 'it broke off',
  });
});

t.test('what is no code of ours tells nothing, whatever objects inherit', async (t) => {
  for (const code of ['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty', 'any sentence', ''])
    t.equal(endOf(`problem=${encodeURIComponent(code)}&connection=files`), undefined, code);
});
