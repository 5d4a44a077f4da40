import t from 'tap';
import { apiToken, startTestExample } from './test-example.ts';

t.test('everything under /api/v2 requires the bearer token', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  const paths = ['document', 'envelope', 'folder', 'template', 'document/document-0001', 'nothing', ''];
  for (const path of paths) {
    const { status, headers, body } = await ask('GET', `/api/v2/${path}`, { token: null });
    t.equal(status, 401, path);
    t.equal(headers.get('www-authenticate'), 'Bearer');
    t.match(body, { error: 'unauthorized', message: 'a bearer token is needed', requestId: String });
  }
  t.equal((await ask('GET', '/api/v2', { token: null })).status, 401);
  t.equal((await ask('POST', '/api/v2/folder', { token: null, body: { name: 'a' } })).status, 401);
  t.equal((await ask('POST', '/api/v2/envelope/envelope-0003/send', { token: null })).status, 401);
  t.equal((await ask('DELETE', '/api/v2/folder', { token: null })).status, 401);
  t.match((await ask('GET', '/api/v2/folder')).body, { count: 3 }, 'and nothing was changed');
});

t.test('a wrong token is answered with 401 and reported as such', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  for (const token of ['wrong', `${apiToken}x`, apiToken.slice(1), apiToken.toUpperCase()]) {
    const { status, headers, body } = await ask('GET', '/api/v2/document', { token });
    t.equal(status, 401);
    t.equal(headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    t.match(body, { message: 'the bearer token is not valid' });
  }
});

t.test('only the Authorization header and only the Bearer scheme count', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  const authorizations = ['', apiToken, `Basic ${apiToken}`, 'Bearer', `Bearer ${apiToken} more`, `Token ${apiToken}`];
  for (const Authorization of authorizations) {
    t.equal((await ask('GET', '/api/v2/document', { token: null, headers: { Authorization } })).status, 401);
  }
  t.equal((await ask('GET', `/api/v2/document?token=${apiToken}`, { token: null })).status, 401);
  const lowercase = { Authorization: `bearer ${apiToken}` };
  t.equal((await ask('GET', '/api/v2/document', { token: null, headers: lowercase })).status, 200);
});

t.test('health requires no token', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  t.equal((await ask('GET', '/api/health', { token: null })).status, 200);
});

t.test('an example without a token does not start', async (t) => {
  await t.rejects(startTestExample(t, { apiToken: '' }), { message: /every caller would be let in/ });
});
