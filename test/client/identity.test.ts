import t from 'tap';
import { createIdentityClient } from '../../src/client/identity.ts';
import { createTransport } from '../../src/client/transport/transport.ts';

type SentRequest = { readonly method: string; readonly path: string; readonly body: unknown };

/** A client whose calls all return `value`, with the sent requests. */
function createAnsweringClient(value: unknown, status = 200) {
  const requests: SentRequest[] = [];
  const transport = createTransport({
    baseUrl: 'http://vp.test',
    token: undefined,
    fetch: async (url, { method, body }) => {
      requests.push({
        method,
        path: url.slice('http://vp.test'.length),
        body: body === undefined ? undefined : JSON.parse(body),
      });
      return new Response(status === 204 ? null : JSON.stringify(value), { status });
    },
  });
  return { identity: createIdentityClient(transport), sent: requests };
}

t.test('secrets of links are sent in bodies, never in URLs', async (t) => {
  const { identity, sent: requests } = createAnsweringClient({ role: 'viewer', email: null, invited_by: 'Ana' });
  await identity.lookUpInvitation('a-secret-of-twenty-characters');
  t.same(requests, [
    { method: 'POST', path: '/api/v1/invitations/look-up', body: { secret: 'a-secret-of-twenty-characters' } },
  ]);
});

t.test('lists are unwrapped from their page', async (t) => {
  const { identity, sent: requests } = createAnsweringClient({ items: [{ person_id: 'p1' }], next_cursor: null });
  t.match(await identity.listPeople(), [{ person_id: 'p1' }]);
  await identity.listSessions();
  await identity.listInvitations();
  await identity.listApiKeys();
  t.same(
    requests.map(({ path }) => path),
    ['/api/v1/people', '/api/v1/sessions', '/api/v1/invitations', '/api/v1/api-keys'],
  );
});

t.test('ids are escaped, and empty responses are accepted', async (t) => {
  const { identity, sent: requests } = createAnsweringClient(undefined, 204);
  await identity.removePerson('a/b');
  await identity.revokeSession('s');
  await identity.revokeApiKey('k');
  await identity.revokeInvitation('i');
  await identity.signOut();
  await identity.changePassword({ current: 'old', next: 'new' });
  await identity.decideDevice({ user_code: 'ABCD', allow: false });
  t.same(
    requests.map(({ method, path }) => `${method} ${path}`),
    [
      'DELETE /api/v1/people/a%2Fb',
      'DELETE /api/v1/sessions/s',
      'DELETE /api/v1/api-keys/k',
      'DELETE /api/v1/invitations/i',
      'DELETE /api/v1/session',
      'PUT /api/v1/session/password',
      'POST /api/v1/device',
    ],
  );
});

t.test('a response with missing members is refused', async (t) => {
  const { identity } = createAnsweringClient({ person: null });
  await t.rejects(identity.signIn({ email: 'a@b', password: 'x' }), { code: 'CONTROL_PLANE_ANSWER_UNEXPECTED' });
});
