/** What is left of a grant that has ended while something was being given out on it: nothing. */
import t from 'tap';
import type { IdentityContext } from '../../../src/identity/context.ts';
import { adapterFactory } from '../../../src/identity/oauth/adapter.ts';
import { oauthOf } from '../../../src/identity/oauth/oauth.ts';
import { oauthHash } from '../../../src/identity/oauth/records.ts';
import { deleteOAuthRecord } from '../../../src/store/control/identity-oauth.ts';
import { insertPerson } from '../../../src/store/control/people.ts';
import { oauthContext } from './oauth-context.ts';

const issuer = 'https://plane.example';
const address = '192.0.2.1';
const refusals = {
  slowDown: () => new Error('slow down'),
  alreadyUsed: () => new Error('already used'),
  ended: () => new Error('ended'),
  target: () => new Error('target'),
};

/** A person with a grant, and an access token given out on it. */
async function granted(context: IdentityContext) {
  const person = {
    id: 'ana',
    name: 'Ana',
    email: 'ana@example.com',
    role: 'owner',
    password: '',
    created_at_ms: 1,
  } as const;
  await context.database.write((sql) => insertPerson(sql, person));
  const kinds = adapterFactory(context, refusals);
  const token = context.random.token(32);
  const payload = { grantId: 'the-grant', accountId: 'ana', clientId: 'vp-cli', scope: 'api', aud: `${issuer}/api/v1` };
  const give = (): Promise<unknown> => Promise.resolve(kinds('AccessToken').upsert(token, payload, 60));
  await kinds('Grant').upsert('the-grant', { accountId: 'ana', clientId: 'vp-cli' }, 60);
  const oauth = oauthOf(context, { issuer: () => issuer, onFault: () => undefined });
  t.teardown(() => oauth.close());
  return { kinds, token, payload, give, use: () => oauth.use(token, address) };
}

t.test('a token that is given out after its grant has ended is not kept', async (t) => {
  const context = await oauthContext(t);
  const { kinds, payload, give, use } = await granted(context);
  await give();
  t.match(await use(), { personId: 'ana', via: 'grant' });
  await kinds('Grant').revokeByGrantId('the-grant');
  await t.rejects(give(), { message: 'ended' });
  await t.rejects(Promise.resolve(kinds('RefreshToken').upsert('r', payload, 60)), { message: 'ended' });
  t.equal(await kinds('RefreshToken').find('r'), undefined);
  t.equal(await use(), undefined);
});

t.test('a token without its grant opens nothing', async (t) => {
  const context = await oauthContext(t);
  const { give, use } = await granted(context);
  await give();
  await context.database.write((sql) => deleteOAuthRecord(sql, 'Grant', oauthHash(context, 'id', 'the-grant')));
  t.equal(await use(), undefined);
});
