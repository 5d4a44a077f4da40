import { request } from 'node:http';
import t from 'tap';
import { openLoopback } from '../../../src/commands/login/loopback.ts';

t.test('only the visit with the right state, path and host counts', async (t) => {
  const loopback = await openLoopback('right');
  t.teardown(() => loopback.close());
  t.match(loopback.redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  let visited = false;
  void loopback.visit.then(() => {
    visited = true;
  });
  const { origin, host } = new URL(loopback.redirectUri);
  const visit = (path: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
    new Promise((resolve) => {
      request(`${origin}${path}`, { headers: { host, ...headers } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).end();
    });
  t.equal(await visit('/callback?code=evil&state=wrong'), 404);
  t.equal(await visit('/callback'), 404);
  t.equal(await visit('/elsewhere?state=right'), 404);
  t.equal(await visit('/callback?state=right', { host: 'evil.example' }), 404);
  t.equal(visited, false);
  t.equal(await visit('/callback?code=good&state=right'), 200);
  t.equal((await loopback.visit).searchParams.get('code'), 'good');
});
