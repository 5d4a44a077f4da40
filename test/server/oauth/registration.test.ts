/** Limits of dynamic client registration, and the removal of unused clients. */
import t from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { defaultIdentitySettings } from '../../../src/identity/settings.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { origin, startTestServer, type TestServer } from '../test-server.ts';
import { authorizeClient, createRegisteredClient, registerClient, startHubControlPlane } from './hub-client.ts';
import { postForm } from './oauth-control-plane.ts';

const { oauth } = defaultIdentitySettings;
const metadata = { client_name: 'Probe', redirect_uris: ['http://127.0.0.1:1/callback'] };

function register(api: TestServer, address: string, body: unknown = metadata): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const request = new Request(`${origin}/oauth/register`, { method: 'POST', headers, body: JSON.stringify(body) });
  return api.fetch(request, { address, requestId: systemRandom.token(6) });
}

function clients(api: TestServer): Promise<number> {
  return api.control.database.read((sql) => sql.all("SELECT hash FROM oauth_records WHERE kind = 'Client'").length);
}

t.test('registrations are limited per network, without affecting others', async (t) => {
  const clock = fakeClock();
  const api = await startTestServer(t, { clock, settings: { oauth: { ...oauth, maxRegistrations: 2 } } });
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

t.test('clients without consent are removed, the oldest first when there are too many', async (t) => {
  const clock = fakeClock();
  const api = await startTestServer(t, {
    clock,
    settings: { oauth: { ...oauth, maxRegistrations: 1000, maxClients: 60 } },
  });
  for (let round = 0; round < 61; round += 1) t.equal((await register(api, '192.0.2.1')).status, 201);
  t.equal(await clients(api), 11);
  clock.advance((oauth.unusedClientSeconds + 1) * 1000);
  await api.identity.deleteExpired();
  t.equal(await clients(api), 0);
});

t.test('when all clients have consent, no more are accepted until one is removed', async (t) => {
  const { plane, ana } = await startHubControlPlane(t, { maxClients: 1 });
  await authorizeClient(plane, ana, await createRegisteredClient(plane), `${plane.url}/hub/acme`);
  const refused = await registerClient(plane, metadata);
  t.equal(refused.status, 503);
  t.match(await refused.json(), { error: 'temporarily_unavailable' });
  t.ok(plane.lines.some(({ security }) => security === 'oauth_registrations_full'));
});

t.test('a client with a secret authenticates with it', async (t) => {
  const { plane } = await startHubControlPlane(t);
  const answered = await registerClient(plane, { ...metadata, token_endpoint_auth_method: 'client_secret_post' });
  t.equal(answered.headers.get('cache-control'), 'no-store');
  const { client_secret: secret, ...client } = await answered.json();
  t.match(client, { token_endpoint_auth_method: 'client_secret_post', client_secret_expires_at: 0 });
  t.match(secret, /^[\w-]{43}$/);
  const fields = { grant_type: 'refresh_token', refresh_token: 'x', client_id: client.client_id };
  t.equal((await postForm(plane, 'token', fields)).body.error, 'invalid_client');
  t.equal((await postForm(plane, 'token', { ...fields, client_secret: 'wrong' })).body.error, 'invalid_client');
  t.equal((await postForm(plane, 'token', { ...fields, client_secret: secret })).body.error, 'invalid_grant');
});

t.test('a body that is too large, or not JSON, is refused', async (t) => {
  const api = await startTestServer(t);
  const large = await register(api, '192.0.2.1', { ...metadata, filler: 'x'.repeat(17 * 1024) });
  t.equal(large.status, 413);
  t.match(await large.json(), { error: 'invalid_client_metadata' });
  const request = new Request(`${origin}/oauth/register`, { method: 'POST', body: 'a=b' });
  t.equal((await api.fetch(request)).status, 415);
});
