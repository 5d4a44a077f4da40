import t from 'tap';
import { identityOf } from '../../src/client/identity.ts';
import { createTransport } from '../../src/client/transport.ts';

type Sent = { readonly method: string; readonly path: string; readonly body: unknown };

/** Calls that are answered with `value`, and what was sent. */
function answering(value: unknown, status = 200) {
  const sent: Sent[] = [];
  const transport = createTransport({
    baseUrl: 'http://vp.test',
    token: undefined,
    fetch: async (url, { method, body }) => {
      sent.push({
        method,
        path: url.slice('http://vp.test'.length),
        body: body === undefined ? undefined : JSON.parse(body),
      });
      return new Response(status === 204 ? null : JSON.stringify(value), { status });
    },
  });
  return { identity: identityOf(transport), sent };
}

t.test('secrets of links go into bodies, never into addresses', async (t) => {
  const { identity, sent } = answering({ role: 'viewer', email: null, invited_by: 'Ana' });
  await identity.lookUpInvitation('a-secret-of-twenty-characters');
  t.same(sent, [
    { method: 'POST', path: '/api/v1/invitations/look-up', body: { secret: 'a-secret-of-twenty-characters' } },
  ]);
});

t.test('lists are taken out of their page', async (t) => {
  const { identity, sent } = answering({ items: [{ person_id: 'p1' }], next_cursor: null });
  t.match(await identity.people(), [{ person_id: 'p1' }]);
  await identity.sessions();
  await identity.invitations();
  await identity.apiKeys();
  t.same(
    sent.map(({ path }) => path),
    ['/api/v1/people', '/api/v1/sessions', '/api/v1/invitations', '/api/v1/api-keys'],
  );
});

t.test('ids are escaped, and what has no answer needs none', async (t) => {
  const { identity, sent } = answering(undefined, 204);
  await identity.removePerson('a/b');
  await identity.endSession('s');
  await identity.endApiKey('k');
  await identity.withdrawInvitation('i');
  await identity.signOut();
  await identity.changePassword({ current: 'old', next: 'new' });
  await identity.decideDevice({ user_code: 'ABCD', allow: false });
  t.same(
    sent.map(({ method, path }) => `${method} ${path}`),
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

t.test('an answer of another shape is refused', async (t) => {
  const { identity } = answering({ person: null });
  await t.rejects(identity.signIn({ email: 'a@b', password: 'x' }), { code: 'CONTROL_PLANE_ANSWER_UNEXPECTED' });
});
