import t from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import type { Executor, ExecutorStatus } from '../../src/executor/executor.ts';
import { createLocalApi, keyCheck } from '../../src/executor/local-api.ts';
import { openMetrics } from '../../src/metrics/metrics.ts';
import { keptLog } from '../http/kept-log.ts';
import { house } from './house.ts';
import { scenarioText } from './project.ts';

const key = 'vpd_0123456789';
const text = scenarioText('GET ${INGESTION_URL}/a', ['status=200', 'body has count']);
const idle: ExecutorStatus = {
  state: 'idle',
  instance: undefined,
  epoch: undefined,
  run: undefined,
  directRun: false,
  problem: 'fetch failed',
  waiting: 2,
  refused: 0,
};

/** Asks the app; `token` null sends none. */
function asking(executor: Pick<Executor, 'runDirect' | 'status'>) {
  const { log } = keptLog();
  const app = createLocalApi({ executor, version: '0.4.0', authenticate: keyCheck(key), clock: systemClock, log });
  return async (method: string, path: string, body?: unknown, token: string | null = key) => {
    const headers = new Headers(body === undefined ? {} : { 'content-type': 'application/json' });
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await app.fetch(new Request(`http://127.0.0.1:8765${path}`, init));
    return { status: response.status, body: await response.json() };
  };
}

t.test('health is open, everything else needs the key', async (t) => {
  const ask = asking({ runDirect: () => Promise.reject(new Error('it ran')), status: async () => idle });
  t.match(await ask('GET', '/healthz', undefined, null), { status: 200, body: { status: 'ok' } });
  for (const [method, path, body] of [
    ['GET', '/v1/status', undefined],
    ['POST', '/v1/runs', { text }],
  ] as const) {
    t.match(await ask(method, path, body, null), { status: 401, body: { code: 'CREDENTIAL_MISSING' } });
    t.match(await ask(method, path, body, 'vpd_other'), { status: 401, body: { code: 'CREDENTIAL_INVALID' } });
  }
});

t.test('a scenario is run and answered with its report', async (t) => {
  const { started } = await house(t);
  await started.welcomed();
  const ask = asking(started.executor);
  t.match(await ask('POST', '/v1/runs', { text }), { status: 200, body: { result: 'passed', origin: 'direct' } });
  t.match(await ask('GET', '/v1/status'), {
    status: 200,
    body: { state: 'idle', instance: 'shop', version: '0.4.0', problem: null },
  });
});

t.test('status tells why the control plane is not reached', async (t) => {
  const ask = asking({ runDirect: () => Promise.reject(new Error('unused')), status: async () => idle });
  t.match((await ask('GET', '/v1/status')).body, {
    instance: null,
    run: null,
    direct_run: false,
    problem: 'fetch failed',
    reports_waiting: 2,
  });
});

t.test('refusals keep their code: busy, full, not a scenario', async (t) => {
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
  const ask = asking({ runDirect, status: async () => idle });
  for (const { code, row } of errors)
    t.match(await ask('POST', '/v1/runs', { text }), { status: row.status, body: { code } });
});

t.test('a body that is no request is refused', async (t) => {
  const ask = asking({ runDirect: () => Promise.reject(new Error('it ran')), status: async () => idle });
  for (const body of [{}, { text: '' }, { text: 'x'.repeat(262_145) }, { text: 7 }, []]) {
    t.match(await ask('POST', '/v1/runs', body), { status: 400, body: { code: 'REQUEST_INVALID' } });
  }
});

t.test('a key is compared whole', async (t) => {
  const check = keyCheck(key);
  t.strictSame(await check(key), { kind: 'executor' });
  for (const other of ['', key.slice(0, -1), `${key}x`, key.toUpperCase()])
    t.equal(await check(other), undefined, other);
});

t.test('metrics are told to the scrape key, which opens nothing else', async (t) => {
  const { log } = keptLog();
  const executor = { runDirect: () => Promise.reject(new Error('it ran')), status: async () => idle };
  const metrics = await openMetrics();
  metrics.counter({ name: 'vp_some_total', help: 'Some.', labels: [] }).add({});
  const authenticate = keyCheck(key, 'vps_key');
  const app = createLocalApi({ executor, version: '0.4.0', authenticate, clock: systemClock, log, metrics });
  const ask = (path: string, token: string) =>
    app.fetch(new Request(`http://127.0.0.1:8765${path}`, { headers: { authorization: `Bearer ${token}` } }));
  t.match(await (await ask('/metrics', 'vps_key')).text(), /^vp_some_total 1$/m);
  t.equal((await ask('/metrics', key)).status, 403);
  t.equal((await ask('/v1/status', 'vps_key')).status, 403);
});
