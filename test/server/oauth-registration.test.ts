/** How many programs may register themselves, and how long they are kept. */
import t from 'tap';
import { systemRandom } from '../../src/environment/random.ts';
import { defaultIdentitySettings } from '../../src/identity/settings.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { clientOf, letIn, opened, registering } from './hub-program.ts';
import { form } from './oauth-plane.ts';
import { origin, type Served, served } from './served.ts';

const { oauth } = defaultIdentitySettings;
const metadata = { client_name: 'Probe', redirect_uris: ['http://127.0.0.1:1/callback'] };

function register(api: Served, address: string, body: unknown = metadata): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const request = new Request(`${origin}/oauth/register`, { method: 'POST', headers, body: JSON.stringify(body) });
  return api.fetch(request, { address, requestId: systemRandom.token(6) });
}

function clients(api: Served): Promise<number> {
  return api.control.database.read(
    (sql) => sql.prepare("SELECT hash FROM oauth_records WHERE kind = 'Client'").all().length,
  );
}

t.test('from one network few are taken in a while, and nobody else is held up', async (t) => {
  const clock = fakeClock();
  const api = await served(t, { clock, settings: { oauth: { ...oauth, registrations: 2 } } });
  const statuses = async (address: string) => (await register(api, address)).status;
  t.same([await statuses('192.0.2.1'), await statuses('192.0.2.1'), await statuses('192.0.2.1')], [201, 201, 429]);
  t.equal((await register(api, '192.0.2.1')).headers.get('retry-after'), '600');
  t.equal(await statuses('192.0.2.2'), 201);
  t.same(
    [await statuses('2001:db8::1'), await statuses('2001:db8::2'), await statuses('2001:db8::3')],
    [201, 201, 429],
    'neighbours are one network',
  );
  clock.advance(600_000);
  t.equal(await statuses('192.0.2.1'), 201);
  t.ok(api.security.some(({ event }) => event === 'oauth_registrations_limited'));
});

t.test('those that nobody lets in are forgotten, the oldest first where there are too many', async (t) => {
  const clock = fakeClock();
  const api = await served(t, { clock, settings: { oauth: { ...oauth, registrations: 1000, mostClients: 60 } } });
  for (let round = 0; round < 61; round += 1) t.equal((await register(api, '192.0.2.1')).status, 201);
  t.equal(await clients(api), 11);
  clock.advance((oauth.unusedClientSeconds + 1) * 1000);
  await api.identity.clean();
  t.equal(await clients(api), 0);
});

t.test('where all have been let in, no more are taken until one is forgotten', async (t) => {
  const { plane, ana } = await opened(t, { mostClients: 1 });
  await letIn(plane, ana, await clientOf(plane), `${plane.url}/hub/acme`);
  const refused = await registering(plane, metadata);
  t.equal(refused.status, 503);
  t.match(await refused.json(), { error: 'temporarily_unavailable' });
  t.ok(plane.lines.some(({ security }) => security === 'oauth_registrations_full'));
});

t.test('a program with a secret proves itself with it', async (t) => {
  const { plane } = await opened(t);
  const answered = await registering(plane, { ...metadata, token_endpoint_auth_method: 'client_secret_post' });
  t.equal(answered.headers.get('cache-control'), 'no-store');
  const { client_secret: secret, ...client } = await answered.json();
  t.match(client, { token_endpoint_auth_method: 'client_secret_post', client_secret_expires_at: 0 });
  t.match(secret, /^[\w-]{43}$/);
  const fields = { grant_type: 'refresh_token', refresh_token: 'x', client_id: client.client_id };
  t.equal((await form(plane, 'token', fields)).body.error, 'invalid_client');
  t.equal((await form(plane, 'token', { ...fields, client_secret: 'wrong' })).body.error, 'invalid_client');
  t.equal((await form(plane, 'token', { ...fields, client_secret: secret })).body.error, 'invalid_grant');
});

t.test('a body that is too large, or no JSON, is refused unread', async (t) => {
  const api = await served(t);
  const large = await register(api, '192.0.2.1', { ...metadata, filler: 'x'.repeat(17 * 1024) });
  t.equal(large.status, 413);
  t.match(await large.json(), { error: 'invalid_client_metadata' });
  const request = new Request(`${origin}/oauth/register`, { method: 'POST', body: 'a=b' });
  t.equal((await api.fetch(request)).status, 415);
});
