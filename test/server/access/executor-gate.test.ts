/** The executor gate: routes of executors and agents, metrics and health, and nothing of people. */
import t, { type Test } from 'tap';
import { isAction } from '../../../src/identity/authorization.ts';
import { createExecutorGate, executorGateRoutes } from '../../../src/server/access/executor-gate.ts';
import { serverRoutes } from '../../../src/server/route-table.ts';
import { createAgentToken, setUpOwner } from '../test-browser.ts';
import { createRequest, helloMessage, registerInstance, startTestServer, type TestServer } from '../test-server.ts';

async function startGatedServer(t: Test) {
  const api = await startTestServer(t);
  const gate = createExecutorGate(api.fetch, '0.4.0');
  const ask = async (method: string, path: string, key: string | null, body?: object) =>
    gate(createRequest(method, path, body, key), {});
  return { api, ask };
}

async function readErrorCode(answer: Response): Promise<string> {
  return (await answer.json()).code;
}

t.test('open routes and routes of people are not behind the gate', async (t) => {
  const gateRoutes = serverRoutes.filter(({ method, path }) => executorGateRoutes.includes(`${method} ${path}`));
  t.same(
    gateRoutes.filter(({ action }) => !isAction(action)),
    [],
  );
  for (const absent of ['POST /api/v1/session', 'POST /api/v1/instances', 'GET /api/v1/events', 'GET /api/v1/people'])
    t.notOk(executorGateRoutes.includes(absent), absent);
  for (const present of ['POST /api/v1/executor/poll', 'GET /api/v1/agent', 'GET /metrics'])
    t.ok(executorGateRoutes.includes(present), present);
});

t.test('executors, agents and Prometheus are accepted', async (t) => {
  const { api, ask } = await startGatedServer(t);
  const { executor_key } = await registerInstance(api, 'shop');
  t.equal((await ask('POST', '/api/v1/executor/hello', executor_key, helloMessage)).status, 200);
  const agent = await createAgentToken(api, 'shop', 'test');
  t.match(await (await ask('GET', '/api/v1/agent', agent)).json(), { instance: 'shop', role: 'test' });
  t.equal((await ask('GET', '/api/v1/instances/shop/runs?limit=1', agent)).status, 200);
  t.equal((await ask('GET', '/metrics', api.scrape)).status, 200);
  t.same(await (await ask('GET', '/healthz', null)).json(), { status: 'ok', version: '0.4.0' });
});

async function callAsPerson(
  api: TestServer,
  ask: (method: string, path: string, key: string | null) => Promise<Response>,
) {
  const ownerResponse = { owner: await ask('GET', '/api/v1/instances', api.owner) };
  return { ...ownerResponse, none: await ask('GET', '/api/v1/instances', null) };
}

t.test('a person’s credential and a browser are refused', async (t) => {
  const { api, ask } = await startGatedServer(t);
  const responses = await callAsPerson(api, ask);
  t.equal(responses.owner.status, 403);
  t.equal(await readErrorCode(responses.owner), 'EXECUTOR_DOOR_CLOSED');
  t.equal(await readErrorCode(responses.none), 'CREDENTIAL_MISSING');
  await setUpOwner(api);
  for (const path of ['/', '/api/v1/setup', '/oauth/token', '/.well-known/oauth-authorization-server', '/readyz'])
    t.equal((await ask('GET', path, null)).status, 404, path);
  t.equal(await readErrorCode(await ask('POST', '/api/v1/session', null)), 'ROUTE_UNKNOWN');
  t.equal((await ask('GET', '/api/v1/runs/a/../../people', api.scrape)).status, 404);
});

t.test('an unknown executor key is refused by the app', async (t) => {
  const { ask } = await startGatedServer(t);
  t.equal(await readErrorCode(await ask('GET', '/api/v1/agent', `vpe_${'x'.repeat(43)}`)), 'CREDENTIAL_INVALID');
});
