/** Every client that registration accepts is accepted by the OAuth server too. */
import fc from 'fast-check';
import t from 'tap';
import { findRedirectProblem } from '../../../src/identity/oauth/clients/client-urls.ts';
import { createOAuthClient, registerClient, startHubControlPlane } from './hub-client.ts';

const schemes = fc.constantFrom(
  'https:',
  'http:',
  'HTTP:',
  'cursor:',
  'com.example.app:',
  'a+b-c.d:',
  'javascript:',
  'data:',
);
const hosts = fc.constantFrom(
  'app.example',
  'localhost',
  'LOCALHOST',
  '127.0.0.1',
  '[::1]',
  '127.1',
  'xn--e1afmkfd.example',
  '10.0.0.1',
  '',
);
const ports = fc.constantFrom('', ':1', ':8443', ':0', ':65535', ':65536', ':');
const paths = fc.constantFrom('', '/', '/cb', '/a/../cb', '/%63b', '/cb?x=1&y', '/cb;x', '/cb#', '/c b', '/~x', '//cb');
const redirects = fc.tuple(schemes, fc.constantFrom('//', '/', ''), hosts, ports, paths).map((parts) => parts.join(''));

t.test('only registered redirect URIs are accepted', async (t) => {
  const { plane, ana } = await startHubControlPlane(t, { maxRegistrations: 10_000 });
  const knownIds = { acceptedIds: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(redirects, async (redirect) => {
      const answered = await registerClient(plane, { client_name: 'Probe', redirect_uris: [redirect] });
      const problem = findRedirectProblem(redirect);
      if (answered.status !== 201) {
        knownIds.refused += 1;
        return problem !== undefined && (await answered.json()).error === 'invalid_redirect_uri';
      }
      knownIds.acceptedIds += 1;
      const { client_id: id } = await answered.json();
      const authorization = createOAuthClient(plane, id).ask(`${plane.url}/hub/acme`, { redirect_uri: redirect });
      const { status, headers } = await ana.navigate(authorization.url);
      return problem === undefined && status === 303 && headers.get('location')?.startsWith('/interaction/') === true;
    }),
    { numRuns: 80, seed: 7 },
  );
  t.ok(knownIds.acceptedIds > 10 && knownIds.refused > 10, JSON.stringify(knownIds));
});

t.test('every registration request is accepted or refused with a reason', async (t) => {
  const { plane } = await startHubControlPlane(t, { maxRegistrations: 10_000 });
  const member = fc.constantFrom('client_name', 'redirect_uris', 'grant_types', 'response_types', 'client_uri', 'x');
  const metadata = fc.dictionary(member, fc.jsonValue({ maxDepth: 2 }));
  await fc.assert(
    fc.asyncProperty(fc.oneof(metadata, fc.jsonValue()), async (value) => {
      const answered = await registerClient(plane, Object(value));
      const body = await answered.json();
      return answered.status === 201
        ? typeof body.client_id === 'string'
        : answered.status === 400 && body.error_description.length > 5;
    }),
    { numRuns: 80, seed: 7 },
  );
  t.notOk(plane.lines.some(({ err }) => err !== undefined));
});
