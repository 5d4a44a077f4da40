/** A grant that is revoked while a token is issued on it leaves nothing behind. */
import t from 'tap';
import type { IdentityContext } from '../../../src/identity/context.ts';
import { createAdapterFactory } from '../../../src/identity/oauth/adapter.ts';
import { createOAuth } from '../../../src/identity/oauth/oauth.ts';
import { hashOAuthValue } from '../../../src/identity/oauth/records.ts';
import { insertPerson } from '../../../src/store/control/identity/people.ts';
import { deleteOAuthRecord } from '../../../src/store/control/oauth/oauth-records.ts';
import { createTestContext } from './identity-context.ts';

const issuer = 'https://plane.example';
const address = '192.0.2.1';
const errors = {
  slowDown: () => new Error('slow down'),
  alreadyUsed: () => new Error('already used'),
  grantEnded: () => new Error('ended'),
  invalidTarget: () => new Error('target'),
};

/** A person with a grant, and a function that issues an access token on it. */
async function createGrant(context: IdentityContext) {
  const person = {
    id: 'ana',
    name: 'Ana',
    email: 'ana@example.com',
    role: 'owner',
    password: '',
    created_at_ms: 1,
  } as const;
  await context.database.write((sql) => insertPerson(sql, person));
  const createAdapter = createAdapterFactory(context, errors);
  const token = context.random.token(32);
  const payload = { grantId: 'the-grant', accountId: 'ana', clientId: 'vp-cli', scope: 'api', aud: `${issuer}/api/v1` };
  const issueToken = (): Promise<unknown> => Promise.resolve(createAdapter('AccessToken').upsert(token, payload, 60));
  await createAdapter('Grant').upsert('the-grant', { accountId: 'ana', clientId: 'vp-cli' }, 60);
  const oauth = createOAuth(context, { issuer: () => issuer, onError: () => undefined });
  t.teardown(() => oauth.close());
  return {
    kinds: createAdapter,
    token,
    payload,
    give: issueToken,
    authenticate: () => oauth.authenticate(token, address),
  };
}

t.test('a token that is issued after its grant was revoked is not stored', async (t) => {
  const context = await createTestContext(t);
  const { kinds: createAdapter, payload, give: issueToken, authenticate } = await createGrant(context);
  await issueToken();
  t.match(await authenticate(), { personId: 'ana', via: 'grant' });
  await createAdapter('Grant').revokeByGrantId('the-grant');
  await t.rejects(issueToken(), { message: 'ended' });
  await t.rejects(Promise.resolve(createAdapter('RefreshToken').upsert('r', payload, 60)), { message: 'ended' });
  t.equal(await createAdapter('RefreshToken').find('r'), undefined);
  t.equal(await authenticate(), undefined);
});

t.test('a token without its grant is invalid', async (t) => {
  const context = await createTestContext(t);
  const { give: issueToken, authenticate } = await createGrant(context);
  await issueToken();
  await context.database.write((sql) => deleteOAuthRecord(sql, 'Grant', hashOAuthValue(context, 'id', 'the-grant')));
  t.equal(await authenticate(), undefined);
});
