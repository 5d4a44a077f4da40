import t from 'tap';
import { DirectRoutes } from '../../src/http/direct-routes.ts';

const direct = new DirectRoutes<string>();
direct.add('GET', '/open', async ({ url }, name) => new Response(`${name} ${url}`));
direct.add('POST', '/things/{id}', async () => new Response(''));

async function call(method: string, path: string): Promise<string | undefined> {
  const request = new Request(`http://localhost:81${path}`, { method });
  return (await direct.find(request)?.(request, 'a'))?.text();
}

t.test('a path without parameters is found as it was sent', async (t) => {
  t.equal(await call('GET', '/open'), 'a http://localhost:81/open');
  t.equal(await call('GET', '/open?path=/other'), 'a http://localhost:81/open?path=/other');
  t.equal(await call('GET', '/open#/other'), 'a http://localhost:81/open#/other');
});

t.test('everything else is left to the router', async (t) => {
  for (const path of ['/open/', '/Open', '/other?/open', '/op%65n', '', '/'])
    t.equal(await call('GET', path), undefined, path);
  for (const method of ['PUT', 'HEAD', 'OPTIONS']) t.equal(await call(method, '/open'), undefined, method);
  for (const path of ['/things/1', '/things/{id}']) t.equal(await call('POST', path), undefined, path);
});
