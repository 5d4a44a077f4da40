import t from 'tap';
import { createClient } from '../../src/client/client.ts';
import { executorPort } from '../../src/client/executor-port.ts';
import { aScenario } from '../control/a-report.ts';
import { listening } from '../http/listening.ts';
import { aHello, register, served } from '../server/served.ts';

t.test('an executor takes a run over a socket, and an older start is told so', async (t) => {
  const api = await served(t);
  const { executor_key: token } = await register(api);
  const { url } = await listening(t, (request, env) => api.fetch(request, env));
  const port = executorPort(createClient({ baseUrl: url, token, fetch }));
  const { epoch, instance } = await port.hello(aHello);
  t.equal(instance, 'sign-dev');
  const polling = port.poll({ epoch, in_hand: null, wait_ms: 60_000 });
  await api.ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios: [{ text: aScenario() }] });
  t.match(await polling, { lease: { scenario_id: 'RT-GET-document' } });
  await port.hello(aHello);
  await t.rejects(port.poll({ epoch, in_hand: null, wait_ms: 0 }), { code: 'EXECUTOR_SUPERSEDED' });
});

t.test('a poll that is given up is given up on the other side', async (t) => {
  const api = await served(t);
  const { executor_key: token } = await register(api);
  const { url } = await listening(t, (request, env) => api.fetch(request, env));
  const port = executorPort(createClient({ baseUrl: url, token, fetch }));
  const { epoch } = await port.hello(aHello);
  const leaving = new AbortController();
  const polling = port.poll({ epoch, in_hand: null, wait_ms: 60_000 }, leaving.signal);
  setTimeout(() => leaving.abort(new Error('stopping')), 30);
  await t.rejects(polling, { message: 'stopping' });
  await new Promise((resolve) => setTimeout(resolve, 30));
  await api.ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios: [{ text: aScenario() }] });
  t.match(await (await api.ask('GET', '/api/v1/runs')).json(), { items: [{ state: 'queued' }] });
});

t.test('a newer protocol is refused with the version to use', async (t) => {
  const api = await served(t);
  const { executor_key: token } = await register(api);
  const { url } = await listening(t, (request, env) => api.fetch(request, env));
  const port = executorPort(createClient({ baseUrl: url, token, fetch }));
  await t.rejects(port.hello({ ...aHello, protocol: 99 }), { code: 'EXECUTOR_PROTOCOL_UNKNOWN', cure: /0\.4\.0/ });
});
