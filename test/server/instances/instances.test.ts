import t from 'tap';
import { registerInstance, startTestServer } from '../test-server.ts';

t.test('an instance is registered, listed, read and removed', async (t) => {
  const api = await startTestServer(t);
  const created = await api.ask('POST', '/api/v1/instances', { instance_id: 'sign-dev', executor_port: 8765 });
  t.equal(created.status, 201);
  const { instance, executor_key } = await created.json();
  t.equal(instance.executor_project, 'platform-inst-sign-dev');
  t.match(executor_key, /^vpe_/);
  t.same((await (await api.ask('GET', '/api/v1/instances')).json()).items, [instance]);
  t.same(await (await api.ask('GET', '/api/v1/instances/sign-dev')).json(), instance);
  const removed = await api.ask('DELETE', '/api/v1/instances/sign-dev');
  t.equal(removed.status, 204);
  t.equal(await removed.text(), '');
  t.equal((await api.ask('GET', '/api/v1/instances/sign-dev')).status, 404);
});

t.test('a taken id is refused with an alternative', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  const conflictResponse = await api.ask('POST', '/api/v1/instances', { instance_id: 'sign-dev' });
  t.equal(conflictResponse.status, 409);
  t.match(await conflictResponse.json(), { code: 'INSTANCE_ID_TAKEN', values: { proposal: 'sign-dev-v1' } });
});

t.test('an invalid instance id is explained without a pattern', async (t) => {
  const api = await startTestServer(t);
  const refused = await api.ask('POST', '/api/v1/instances', { instance_id: 'Sign_Dev' });
  t.equal(refused.status, 422);
  t.match(await refused.json(), { code: 'INSTANCE_ID_INVALID', cure: /lowercase/ });
});

t.test('an unknown member, or a port outside the range, is refused', async (t) => {
  const api = await startTestServer(t);
  const refused = await api.ask('POST', '/api/v1/instances', { instance_id: 'a', executor_port: 80, tiers: 'compose' });
  t.equal(refused.status, 400);
  t.match(await refused.json(), {
    code: 'REQUEST_INVALID',
    diagnostics: [
      { where: 'body', problem: 'does not know `tiers`' },
      { where: 'body.executor_port', problem: 'must be >= 8765' },
    ],
  });
});

t.test('an unknown instance is refused with the existing ones', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api, 'one');
  const unknown = await api.ask('GET', '/api/v1/instances/two');
  t.equal(unknown.status, 404);
  t.match(await unknown.json(), { code: 'INSTANCE_UNKNOWN', detail: /there are: one/ });
});

t.test('a new executor key revokes the old one', async (t) => {
  const api = await startTestServer(t);
  const { executor_key: old } = await registerInstance(api);
  const rotated = await api.ask('POST', '/api/v1/instances/sign-dev/executor-key');
  t.equal(rotated.status, 201);
  const { executor_key: next } = await rotated.json();
  t.equal((await api.ask('GET', '/api/openapi.json', undefined, old)).status, 401);
  t.equal((await api.ask('GET', '/api/openapi.json', undefined, next)).status, 200);
});
