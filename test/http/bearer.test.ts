import t from 'tap';
import { bearerOf, callerOf } from '../../src/http/bearer.ts';

const of = (authorization: string): Headers => new Headers({ authorization });

t.test('a token is what stands behind Bearer', async (t) => {
  t.equal(bearerOf(of('Bearer vpo_a-b_c.d~e+f/g==')), 'vpo_a-b_c.d~e+f/g==');
  t.equal(bearerOf(of('bearer   abc')), 'abc');
});

t.test('anything else is no token', async (t) => {
  for (const header of ['Basic abc', 'Bearer', 'Bearer a b', 'Bearer a,b', 'Bearer =', `Bearer ${'x'.repeat(1025)}`]) {
    t.equal(bearerOf(of(header)), undefined, header);
  }
});

t.test('without the header the credential is missing, with an unknown one invalid', async (t) => {
  await t.rejects(
    callerOf(new Headers(), async () => 'someone'),
    { code: 'CREDENTIAL_MISSING' },
  );
  await t.rejects(
    callerOf(of('Bearer abc'), async () => undefined),
    { code: 'CREDENTIAL_INVALID' },
  );
  t.equal(await callerOf(of('Bearer abc'), async (token) => `caller of ${token}`), 'caller of abc');
});
