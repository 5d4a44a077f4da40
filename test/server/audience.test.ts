import t from 'tap';
import { createApp } from '../../src/http/app.ts';
import { serverRoutes } from '../../src/server/routes.ts';
import { keptLog } from '../http/kept-log.ts';
import { register, served } from './served.ts';

/** Routes that need no credential: the whole list (ARCHITECTURE.md, credentials). */
const open = ['GET /healthz', 'GET /readyz'];

t.test('every route says who may call it, and only the health checks are open', async (t) => {
  const withoutCredential = serverRoutes.filter(({ audience }) => audience === 'anyone');
  t.same(
    withoutCredential.map(({ method, path }) => `${method} ${path}`),
    open,
  );
});

t.test('every route refuses every credential it is not for, and none at all', async (t) => {
  const api = await served(t);
  const { executor_key: executor } = await register(api);
  const credentials: Record<string, string> = { owner: api.owner, scrape: api.scrape, executor };
  for (const { method, path, audience } of serverRoutes) {
    const url = path.replaceAll(/\{\w+\}/g, 'nothing');
    const status = async (key: string | null) => {
      const response = await api.ask(method, url, undefined, key);
      await response.body?.cancel();
      return response.status;
    };
    const without = await status(null);
    t.equal(without === 401, audience !== 'anyone', `${method} ${path} without a credential: ${without}`);
    for (const [kind, key] of Object.entries(credentials)) {
      const answered = await status(key);
      const meant = audience === 'anyone' || audience.some((one) => one === kind);
      t.equal(answered !== 403 && answered !== 401, meant, `${method} ${path} as ${kind}: ${answered}`);
    }
  }
});

t.test('what only looks like a credential opens nothing', async (t) => {
  const api = await served(t);
  const tries = [
    `Basic ${btoa(`x:${api.owner}`)}`,
    api.owner,
    `Bearer ${api.owner}x`,
    'Bearer',
    `Bearer ${'x'.repeat(5000)}`,
  ];
  for (const authorization of tries) {
    const response = await api.ask('GET', '/api/v1/runs', undefined, null, { authorization });
    t.equal(response.status, 401);
    t.match(response.headers.get('www-authenticate'), /^Bearer realm="vp", error="invalid_token"/);
    t.equal((await response.json()).code, 'CREDENTIAL_INVALID');
  }
  const inQuery = await api.ask('GET', `/api/v1/runs?access_token=${api.owner}`, undefined, null);
  t.equal((await inQuery.json()).code, 'CREDENTIAL_MISSING');
});

t.test('a refused caller learns nothing of what is behind', async (t) => {
  const api = await served(t);
  const { executor_key } = await register(api);
  const known = await (await api.ask('GET', '/api/v1/instances/sign-dev', undefined, executor_key)).json();
  const unknown = await (await api.ask('GET', '/api/v1/instances/nothing', undefined, executor_key)).json();
  t.same(known, unknown);
  t.equal(known.code, 'CREDENTIAL_INSUFFICIENT');
});

t.test('a route without an audience, and two routes for one path, stop the app from being made', async (t) => {
  const { log } = keptLog();
  const clock = { monotonicMs: () => 0 };
  const [route] = serverRoutes;
  if (!route) throw new Error('there are routes');
  const make = (routes: typeof serverRoutes) => () =>
    createApp({ routes, services: Object.create(null), authenticate: async () => undefined, clock, log });
  t.throws(make([{ ...route, audience: [] }]), /does not say who may call it/);
  t.throws(make([route, route]), /is listed twice/);
});
