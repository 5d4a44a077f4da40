import { request } from 'node:http';
import t from 'tap';
import { openLoopbackListener } from '../../../src/commands/login/loopback.ts';

t.test('only a request with the right state, path and host is accepted', async (t) => {
  const loopback = await openLoopbackListener('right');
  t.teardown(() => loopback.close());
  t.match(loopback.redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  let hasResolved = false;
  void loopback.callbackUrl.then(() => {
    hasResolved = true;
  });
  const { origin, host } = new URL(loopback.redirectUri);
  const visit = (path: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
    new Promise((resolve) => {
      request(`${origin}${path}`, { headers: { host, ...headers } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
  t.equal(await visit('/callback?code=evil&state=wrong'), 404);
  t.equal(await visit('/callback'), 404);
  t.equal(await visit('/elsewhere?state=right'), 404);
  t.equal(await visit('/callback?state=right', { host: 'evil.example' }), 404);
  t.equal(hasResolved, false);
  t.equal(await visit('/callback?code=good&state=right'), 200);
  t.equal((await loopback.callbackUrl).searchParams.get('code'), 'good');
});
