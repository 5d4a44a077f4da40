/** What containers reach: the routes of executors and agents, metrics and health, and nothing of a person. */
import t, { type Test } from 'tap';
import { isAction } from '../../src/identity/authorization.ts';
import { doorRoutes, executorDoor } from '../../src/server/executor-door.ts';
import { serverRoutes } from '../../src/server/routes.ts';
import { agentToken, setUp } from './browser.ts';
import { aHello, register, requestOf, type Served, served } from './served.ts';

async function behindDoor(t: Test) {
  const api = await served(t);
  const door = executorDoor(api.fetch, '0.4.0');
  const ask = async (method: string, path: string, key: string | null, body?: object) =>
    door(requestOf(method, path, body, key), {});
  return { api, ask };
}

async function codeOf(answer: Response): Promise<string> {
  return (await answer.json()).code;
}

t.test('routes that need no credential, and those of people alone, are not behind the door', async (t) => {
  const behind = serverRoutes.filter(({ method, path }) => doorRoutes.includes(`${method} ${path}`));
  t.same(
    behind.filter(({ action }) => !isAction(action)),
    [],
  );
  for (const absent of ['POST /api/v1/session', 'POST /api/v1/instances', 'GET /api/v1/events', 'GET /api/v1/people'])
    t.notOk(doorRoutes.includes(absent), absent);
  for (const present of ['POST /api/v1/executor/poll', 'GET /api/v1/agent', 'GET /metrics'])
    t.ok(doorRoutes.includes(present), present);
});

t.test('executors, agents and Prometheus come in', async (t) => {
  const { api, ask } = await behindDoor(t);
  const { executor_key } = await register(api, 'shop');
  t.equal((await ask('POST', '/api/v1/executor/hello', executor_key, aHello)).status, 200);
  const agent = await agentToken(api, 'shop', 'test');
  t.match(await (await ask('GET', '/api/v1/agent', agent)).json(), { instance: 'shop', role: 'test' });
  t.equal((await ask('GET', '/api/v1/instances/shop/runs?limit=1', agent)).status, 200);
  t.equal((await ask('GET', '/metrics', api.scrape)).status, 200);
  t.same(await (await ask('GET', '/healthz', null)).json(), { status: 'ok', version: '0.4.0' });
});

async function personsTry(api: Served, ask: (method: string, path: string, key: string | null) => Promise<Response>) {
  const opened = { owner: await ask('GET', '/api/v1/instances', api.owner) };
  return { ...opened, none: await ask('GET', '/api/v1/instances', null) };
}

t.test('a person’s credential opens nothing there, and neither does a browser', async (t) => {
  const { api, ask } = await behindDoor(t);
  const tried = await personsTry(api, ask);
  t.equal(tried.owner.status, 403);
  t.equal(await codeOf(tried.owner), 'EXECUTOR_DOOR_CLOSED');
  t.equal(await codeOf(tried.none), 'CREDENTIAL_MISSING');
  await setUp(api);
  for (const path of ['/', '/api/v1/setup', '/oauth/token', '/.well-known/oauth-authorization-server', '/readyz'])
    t.equal((await ask('GET', path, null)).status, 404, path);
  t.equal(await codeOf(await ask('POST', '/api/v1/session', null)), 'ROUTE_UNKNOWN');
  t.equal((await ask('GET', '/api/v1/runs/a/../../people', api.scrape)).status, 404);
});

t.test('what only looks like a key of an executor is refused by the app itself', async (t) => {
  const { ask } = await behindDoor(t);
  t.equal(await codeOf(await ask('GET', '/api/v1/agent', `vpe_${'x'.repeat(43)}`)), 'CREDENTIAL_INVALID');
});
