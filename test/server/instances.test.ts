import t from 'tap';
import { register, served } from './served.ts';

t.test('an instance is registered, listed, read and removed', async (t) => {
  const api = await served(t);
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

t.test('a taken id is answered with the id to use instead', async (t) => {
  const api = await served(t);
  await register(api);
  const taken = await api.ask('POST', '/api/v1/instances', { instance_id: 'sign-dev' });
  t.equal(taken.status, 409);
  t.match(await taken.json(), { code: 'INSTANCE_ID_TAKEN', values: { proposal: 'sign-dev-v1' } });
});

t.test('what is no instance id is answered in words, not with a pattern', async (t) => {
  const api = await served(t);
  const refused = await api.ask('POST', '/api/v1/instances', { instance_id: 'Sign_Dev' });
  t.equal(refused.status, 422);
  t.match(await refused.json(), { code: 'INSTANCE_ID_INVALID', cure: /lowercase/ });
});

t.test('a member that is not known, or a port outside the range, is refused', async (t) => {
  const api = await served(t);
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

t.test('an unknown instance is answered with those there are', async (t) => {
  const api = await served(t);
  await register(api, 'one');
  const unknown = await api.ask('GET', '/api/v1/instances/two');
  t.equal(unknown.status, 404);
  t.match(await unknown.json(), { code: 'INSTANCE_UNKNOWN', detail: /there are: one/ });
});

t.test('a new executor key ends the old one', async (t) => {
  const api = await served(t);
  const { executor_key: old } = await register(api);
  const rotated = await api.ask('POST', '/api/v1/instances/sign-dev/executor-key');
  t.equal(rotated.status, 201);
  const { executor_key: next } = await rotated.json();
  t.equal((await api.ask('GET', '/api/openapi.json', undefined, old)).status, 401);
  t.equal((await api.ask('GET', '/api/openapi.json', undefined, next)).status, 200);
});
