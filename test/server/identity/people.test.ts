import t, { type Test } from 'tap';
import type { Person } from '../../../src/contract/identity-api.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import {
  createApiKey,
  createBrowser,
  inviteMember,
  password,
  readLinkSecret,
  setUpOwner,
  type TestBrowser,
} from '../test-browser.ts';
import { startTestServer } from '../test-server.ts';

const dayMs = 86_400_000;

async function readErrorCode(response: Response): Promise<string> {
  return (await response.json()).code;
}

async function findPerson(browser: TestBrowser, name: string): Promise<Person> {
  const { items }: { items: Person[] } = await (await browser.ask('GET', '/api/v1/people')).json();
  const person = items.find((person) => person.name === name);
  if (!person) throw new Error(`${name} is not there`);
  return person;
}

async function started(t: Test) {
  const clock = fakeClock();
  const api = await startTestServer(t, { clock });
  return { api, clock, ana: await setUpOwner(api) };
}

t.test('an invitation creates one account with its role, once', async (t) => {
  const { api, ana } = await started(t);
  const created = await ana.ask('POST', '/api/v1/invitations', { role: 'member', email: 'max@example.com' });
  t.equal(created.status, 201);
  const { invitation, url } = await created.json();
  t.match(invitation, { role: 'member', email: 'max@example.com', created_by: 'Ana' });
  t.match(url, /^http:\/\/localhost:7700\/invitation#[\w-]{43}$/, 'the secret stands where no server sees it');
  const secret = readLinkSecret(url);
  const listed = await (await ana.ask('GET', '/api/v1/invitations')).text();
  t.notMatch(listed, secret);
  t.same(JSON.parse(listed).items, [invitation]);
  const browser = createBrowser(api);
  const offer = await browser.ask('POST', '/api/v1/invitations/look-up', { secret });
  t.same(await offer.json(), { role: 'member', email: 'max@example.com', invited_by: 'Ana' });
  const input = { secret, name: 'Max', email: 'MAX@example.com', password };
  t.equal(
    await readErrorCode(await browser.signIn('/api/v1/invitations/accept', { ...input, email: 'eve@example.com' })),
    'INVITATION_EMAIL_DIFFERS',
  );
  t.equal(
    await readErrorCode(await browser.signIn('/api/v1/invitations/accept', { ...input, password: 'maxmaxmaxmax' })),
    'PASSWORD_WEAK',
  );
  const accepted = await browser.signIn('/api/v1/invitations/accept', input);
  t.equal(accepted.status, 201);
  t.match(await (await browser.ask('GET', '/api/v1/session')).json(), { person: { name: 'Max' }, role: 'member' });
  t.equal(await readErrorCode(await createBrowser(api).signIn('/api/v1/invitations/accept', input)), 'LINK_ENDED');
  t.equal(await readErrorCode(await browser.ask('POST', '/api/v1/invitations/look-up', { secret })), 'LINK_ENDED');
  t.equal((await browser.ask('POST', '/api/v1/invitations', { role: 'viewer' })).status, 403, 'members invite nobody');
});

t.test('two people with one link create one account', async (t) => {
  const { api, ana } = await started(t);
  const { url } = await (await ana.ask('POST', '/api/v1/invitations', { role: 'viewer' })).json();
  const accept = (name: string) =>
    createBrowser(api).signIn('/api/v1/invitations/accept', {
      secret: readLinkSecret(url),
      name,
      email: `${name}@example.com`,
      password,
    });
  const statuses = (await Promise.all([accept('max'), accept('eve')])).map(({ status }) => status);
  t.same(statuses.sort(), [201, 410]);
});

t.test('an invitation expires, can be revoked, and ends with its creator', async (t) => {
  const { api, ana, clock } = await started(t);
  const make = async (browser: TestBrowser) =>
    (await browser.ask('POST', '/api/v1/invitations', { role: 'viewer' })).json();
  const lookUp = async (url: string) =>
    readErrorCode(await createBrowser(api).ask('POST', '/api/v1/invitations/look-up', { secret: readLinkSecret(url) }));
  const revokedInvitation = await make(ana);
  t.equal((await ana.ask('DELETE', `/api/v1/invitations/${revokedInvitation.invitation.invitation_id}`)).status, 204);
  t.equal(await lookUp(revokedInvitation.url), 'LINK_ENDED');
  t.equal(
    await readErrorCode(await ana.ask('DELETE', `/api/v1/invitations/${revokedInvitation.invitation.invitation_id}`)),
    'INVITATION_UNKNOWN',
  );
  const max = await inviteMember(api, ana, 'Max', 'owner');
  const ofMax = await make(max);
  const { person_id: id } = await findPerson(ana, 'Max');
  await ana.ask('PUT', `/api/v1/people/${id}`, { role: 'member' });
  t.equal(await lookUp(ofMax.url), 'LINK_ENDED', 'who is no owner any more invites nobody');
  const late = await make(ana);
  clock.advance(7 * dayMs);
  t.equal(await lookUp(late.url), 'LINK_ENDED');
  await api.identity.deleteExpired();
});

t.test('an email belongs to one account', async (t) => {
  const { api, ana } = await started(t);
  const { url } = await (await ana.ask('POST', '/api/v1/invitations', { role: 'viewer' })).json();
  const again = { secret: readLinkSecret(url), name: 'Ana again', email: 'ana@EXAMPLE.com', password };
  t.equal(await readErrorCode(await createBrowser(api).signIn('/api/v1/invitations/accept', again)), 'EMAIL_TAKEN');
});

t.test('a new role applies at once, also to existing credentials', async (t) => {
  const { api, ana } = await started(t);
  const max = await inviteMember(api, ana, 'Max', 'member');
  const key = await createApiKey(max, 'member');
  const create = (id: string) => api.ask('POST', '/api/v1/instances', { instance_id: id }, key);
  t.equal((await create('a')).status, 201);
  const { person_id: id } = await findPerson(ana, 'Max');
  t.match(await (await ana.ask('PUT', `/api/v1/people/${id}`, { role: 'viewer' })).json(), { role: 'viewer' });
  t.equal((await create('b')).status, 403);
  t.equal((await max.ask('POST', '/api/v1/instances', { instance_id: 'c' })).status, 403);
  t.equal((await max.ask('GET', '/api/v1/instances')).status, 200);
  t.equal((await max.ask('PUT', `/api/v1/people/${id}`, { role: 'owner' })).status, 403);
  t.equal(await readErrorCode(await ana.ask('PUT', '/api/v1/people/nobody', { role: 'owner' })), 'PERSON_UNKNOWN');
  t.ok(api.security.some(({ event, role }) => event === 'role_changed' && role === 'viewer'));
});

t.test('the last owner can be neither demoted nor removed', async (t) => {
  const { api, ana } = await started(t);
  const { person_id: id } = await findPerson(ana, 'Ana');
  t.equal(await readErrorCode(await ana.ask('PUT', `/api/v1/people/${id}`, { role: 'member' })), 'OWNER_LAST');
  t.equal(await readErrorCode(await ana.ask('DELETE', `/api/v1/people/${id}`)), 'OWNER_LAST');
  const max = await inviteMember(api, ana, 'Max', 'owner');
  const { person_id: other } = await findPerson(ana, 'Max');
  const both = await Promise.all([
    ana.ask('PUT', `/api/v1/people/${other}`, { role: 'member' }),
    max.ask('PUT', `/api/v1/people/${id}`, { role: 'member' }),
  ]);
  const [first, second] = both.map(({ status }) => status).sort();
  t.equal(first, 200);
  // Who asks later is not an owner any more, or would leave none.
  t.ok(second === 403 || second === 409, `not even when two do it to each other: ${second}`);
});

t.test('a removed person loses sessions, keys and the sign-in at once', async (t) => {
  const { api, ana } = await started(t);
  const max = await inviteMember(api, ana, 'Max', 'member');
  const key = await createApiKey(max, 'member');
  const { person_id: id } = await findPerson(ana, 'Max');
  t.equal((await ana.ask('DELETE', `/api/v1/people/${id}`)).status, 204);
  t.equal((await max.ask('GET', '/api/v1/runs')).status, 401);
  t.equal((await api.ask('GET', '/api/v1/runs', undefined, key)).status, 401);
  t.equal((await createBrowser(api).signIn('/api/v1/session', { email: 'max@example.com', password })).status, 403);
  t.equal(await readErrorCode(await ana.ask('DELETE', `/api/v1/people/${id}`)), 'PERSON_UNKNOWN');
});

t.test('a key acts for its person with at most its own role, and is returned once', async (t) => {
  const { api, ana } = await started(t);
  const created = await ana.ask('POST', '/api/v1/api-keys', { name: 'ci', role: 'viewer' });
  t.equal(created.status, 201);
  const { api_key, key } = await created.json();
  t.match(key, /^vpk_[\w-]{43}$/);
  t.match(api_key, { name: 'ci', role: 'viewer', expires_at: null, last_used_at: null });
  t.notMatch(await (await ana.ask('GET', '/api/v1/api-keys')).text(), key);
  t.match(await (await api.ask('GET', '/api/v1/session', undefined, key)).json(), {
    person: { name: 'Ana', role: 'owner' },
    via: 'api_key',
    role: 'viewer',
  });
  t.equal((await api.ask('POST', '/api/v1/instances', { instance_id: 'a' }, key)).status, 403);
  const { items } = await (await ana.ask('GET', '/api/v1/api-keys')).json();
  t.type(items[0].last_used_at, 'string');
  for (const [method, path] of [
    ['POST', '/api/v1/api-keys'],
    ['GET', '/api/v1/sessions'],
    ['POST', '/api/v1/invitations'],
    ['PUT', '/api/v1/session/password'],
  ] as const)
    t.equal(
      (await api.ask(method, path, undefined, await createApiKey(ana, 'owner'))).status,
      403,
      `${method} ${path}`,
    );
  const max = await inviteMember(api, ana, 'Max', 'member');
  t.equal(
    await readErrorCode(await max.ask('POST', '/api/v1/api-keys', { name: 'x', role: 'owner' })),
    'API_KEY_ROLE_EXCEEDED',
  );
  t.equal(await readErrorCode(await max.ask('DELETE', `/api/v1/api-keys/${api_key.key_id}`)), 'API_KEY_UNKNOWN');
});

t.test('a key that was used a moment ago has at once what its person has now', async (t) => {
  const { api, ana } = await started(t);
  const max = await inviteMember(api, ana, 'Max', 'member');
  const key = await createApiKey(max, 'member');
  const create = async (id: string) => (await api.ask('POST', '/api/v1/instances', { instance_id: id }, key)).status;
  t.equal(await create('one'), 201);
  const { person_id: id } = await findPerson(ana, 'Max');
  t.equal((await ana.ask('PUT', `/api/v1/people/${id}`, { role: 'viewer' })).status, 200);
  t.equal(await create('two'), 403);
  t.equal((await ana.ask('PUT', `/api/v1/people/${id}`, { role: 'member' })).status, 200);
  t.equal(await create('two'), 201);
  t.equal((await ana.ask('DELETE', `/api/v1/people/${id}`)).status, 204);
  t.equal(await create('three'), 401);
});

t.test('a revoked or expired key is refused, and its use is logged', async (t) => {
  const { api, ana, clock } = await started(t);
  const key = await createApiKey(ana, 'member', { expires_in_days: 1 });
  clock.advance(dayMs - 1);
  t.equal((await api.ask('GET', '/api/v1/runs', undefined, key)).status, 200);
  clock.advance(1);
  t.equal((await api.ask('GET', '/api/v1/runs', undefined, key)).status, 401);
  t.match(api.security.at(-1), { event: 'api_key_used_after_end', level: 'warn' });
  const other = await createApiKey(ana, 'member');
  const { items } = await (await ana.ask('GET', '/api/v1/api-keys')).json();
  const { key_id: id } = items.find(({ expires_at: end }: { expires_at: string | null }) => end === null);
  t.equal((await ana.ask('DELETE', `/api/v1/api-keys/${id}`)).status, 204);
  t.equal((await api.ask('GET', '/api/v1/runs', undefined, other)).status, 401);
  t.notMatch(JSON.stringify(api.security), other);
});
