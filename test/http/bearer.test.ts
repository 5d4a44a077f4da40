import t from 'tap';
import { authenticateBearer, readBearerToken } from '../../src/http/bearer.ts';

const headersWith = (authorization: string): Headers => new Headers({ authorization });

t.test('the token follows Bearer', async (t) => {
  t.equal(readBearerToken(headersWith('Bearer vpo_a-b_c.d~e+f/g==')), 'vpo_a-b_c.d~e+f/g==');
  t.equal(readBearerToken(headersWith('bearer   abc')), 'abc');
});

t.test('malformed headers have no token', async (t) => {
  for (const header of ['Basic abc', 'Bearer', 'Bearer a b', 'Bearer a,b', 'Bearer =', `Bearer ${'x'.repeat(1025)}`]) {
    t.equal(readBearerToken(headersWith(header)), undefined, header);
  }
});

t.test('without the header the credential is missing, with an unknown token it is invalid', async (t) => {
  await t.rejects(
    authenticateBearer(new Headers(), async () => 'someone'),
    { code: 'CREDENTIAL_MISSING' },
  );
  await t.rejects(
    authenticateBearer(headersWith('Bearer abc'), async () => undefined),
    { code: 'CREDENTIAL_INVALID' },
  );
  t.equal(await authenticateBearer(headersWith('Bearer abc'), async (token) => `caller of ${token}`), 'caller of abc');
});
