import t from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import type { Executor, LocalExecutorStatus } from '../../src/executor/executor.ts';
import { createKeyAuthenticator, createLocalApi } from '../../src/executor/local-api.ts';
import { openMetrics } from '../../src/metrics/metrics.ts';
import { createMemoryLog } from '../http/memory-log.ts';
import { createExecutorSetup } from './executor-setup.ts';
import { scenarioText } from './test-project.ts';

const key = 'vpd_0123456789';
const text = scenarioText('GET ${INGESTION_URL}/a', ['status=200', 'body has count']);
const idle: LocalExecutorStatus = {
  state: 'idle',
  instance: undefined,
  epoch: undefined,
  run: undefined,
  directRun: false,
  problem: 'fetch failed',
  waiting: 2,
  refused: 0,
};

const neverRuns = () => Promise.reject(new Error('it ran'));
const idleExecutor = { runDirect: neverRuns, probe: neverRuns, status: async () => idle };

/** Returns a function that sends requests to the app; a null `token` sends none. */
function createRequester(executor: Pick<Executor, 'runDirect' | 'probe' | 'status'>) {
  const { log } = createMemoryLog();
  const app = createLocalApi({
    executor,
    version: '0.4.0',
    authenticate: createKeyAuthenticator(key),
    clock: systemClock,
    log,
  });
  return async (method: string, path: string, body?: unknown, token: string | null = key) => {
    const headers = new Headers(body === undefined ? {} : { 'content-type': 'application/json' });
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await app.fetch(new Request(`http://127.0.0.1:8765${path}`, init));
    return { status: response.status, body: await response.json() };
  };
}

t.test('health is open, everything else needs the key', async (t) => {
  const ask = createRequester(idleExecutor);
  t.match(await ask('GET', '/healthz', undefined, null), { status: 200, body: { status: 'ok' } });
  for (const [method, path, body] of [
    ['GET', '/v1/status', undefined],
    ['POST', '/v1/runs', { text }],
    ['POST', '/v1/probes', { text }],
  ] as const) {
    t.match(await ask(method, path, body, null), { status: 401, body: { code: 'CREDENTIAL_MISSING' } });
    t.match(await ask(method, path, body, 'vpd_other'), { status: 401, body: { code: 'CREDENTIAL_INVALID' } });
  }
});

t.test('a probe returns a report and is not recorded as a run', async (t) => {
  const { testExecutor } = await createExecutorSetup(t);
  await testExecutor.waitForWelcome();
  const ask = createRequester(testExecutor.executor);
  t.match(await ask('POST', '/v1/probes', { text }), { status: 200, body: { result: 'passed', origin: 'local' } });
  t.match(await ask('GET', '/v1/status'), { body: { reports_waiting: 0, run: null } });
});

t.test('a scenario is run and its report returned', async (t) => {
  const { testExecutor } = await createExecutorSetup(t);
  await testExecutor.waitForWelcome();
  const ask = createRequester(testExecutor.executor);
  t.match(await ask('POST', '/v1/runs', { text }), { status: 200, body: { result: 'passed', origin: 'direct' } });
  t.match(await ask('GET', '/v1/status'), {
    status: 200,
    body: { state: 'idle', instance: 'shop', version: '0.4.0', problem: null },
  });
});

t.test('the status says why the control plane is unreachable', async (t) => {
  const ask = createRequester({
    ...idleExecutor,
    runDirect: () => Promise.reject(new Error('unused')),
    status: async () => idle,
  });
  t.match((await ask('GET', '/v1/status')).body, {
    instance: null,
    run: null,
    direct_run: false,
    problem: 'fetch failed',
    reports_waiting: 2,
  });
});

t.test('errors keep their code: busy, full, not a scenario', async (t) => {
  const errors = [
    vpError('EXECUTOR_BUSY', { run: '20261120T143012345' }),
    vpError('EXECUTOR_OUTBOX_FULL', { count: 10_000 }),
    vpError('EXECUTOR_INSTANCE_UNKNOWN', {}),
    vpError(
      'EXECUTOR_SCENARIO_INVALID',
      { first: 'no title', line: 1 },
      { diagnostics: [{ code: 'SCENARIO_TITLE_MISSING' }] },
    ),
  ];
  const left = [...errors];
  const runDirect: Executor['runDirect'] = () => Promise.reject(left.shift());
  const ask = createRequester({ ...idleExecutor, runDirect, status: async () => idle });
  for (const { code, row } of errors)
    t.match(await ask('POST', '/v1/runs', { text }), { status: row.status, body: { code } });
});

t.test('an invalid body is refused', async (t) => {
  const ask = createRequester({
    ...idleExecutor,
    runDirect: () => Promise.reject(new Error('it ran')),
    status: async () => idle,
  });
  for (const body of [{}, { text: '' }, { text: 'x'.repeat(1_048_577) }, { text: 7 }, []]) {
    t.match(await ask('POST', '/v1/runs', body), { status: 400, body: { code: 'REQUEST_INVALID' } });
  }
});

t.test('the entire key is compared', async (t) => {
  const check = createKeyAuthenticator(key);
  t.strictSame(await check(key), { kind: 'executor' });
  for (const other of ['', key.slice(0, -1), `${key}x`, key.toUpperCase()])
    t.equal(await check(other), undefined, other);
});

t.test('metrics require the scrape key, which is valid for nothing else', async (t) => {
  const { log } = createMemoryLog();
  const executor = idleExecutor;
  const metrics = await openMetrics();
  metrics.counter({ name: 'vp_some_total', help: 'Some.', labels: [] }).add({});
  const authenticate = createKeyAuthenticator(key, 'vps_key');
  const app = createLocalApi({ executor, version: '0.4.0', authenticate, clock: systemClock, log, metrics });
  const ask = (path: string, token: string) =>
    app.fetch(new Request(`http://127.0.0.1:8765${path}`, { headers: { authorization: `Bearer ${token}` } }));
  t.match(await (await ask('/metrics', 'vps_key')).text(), /^vp_some_total 1$/m);
  t.equal((await ask('/metrics', key)).status, 403);
  t.equal((await ask('/v1/status', 'vps_key')).status, 403);
});
