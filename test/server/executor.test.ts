import t from 'tap';
import { aReport, aScenario } from '../control/a-report.ts';
import { aHello, hello, register, type Served, served } from './served.ts';

async function withQueue(api: Served, runs: number): Promise<string> {
  const { executor_key } = await register(api);
  await api.ask('PUT', '/api/v1/instances/sign-dev/scenarios/RT-GET-document', { text: aScenario() });
  const scenarios = Array.from({ length: runs }, () => ({ id: 'RT-GET-document' }));
  await api.ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios });
  return executor_key;
}

t.test(
  'an executor greets, takes a run, keeps it and hands in its report with the next run in the answer',
  async (t) => {
    const api = await served(t);
    const executor = await hello(api, await withQueue(api, 2));
    const first = await executor.poll();
    t.match(first, { scenario_text: aScenario(), fence: 1, cancel_requested: false });
    const { epoch } = executor;
    const pulse = await executor.say('heartbeat', { epoch, run_id: first.run_id, fence: first.fence });
    t.match(await pulse.json(), { cancel_requested: false, lease_ms: 30_000 });
    const offer = await executor.complete(first, aReport(first, 'sign-dev'), true);
    const { lease: second } = await offer.json();
    t.not(second.run_id, first.run_id);
    const back = await executor.say('give-back', { epoch, run_id: second.run_id, fence: second.fence });
    t.equal(back.status, 204);
    t.equal((await executor.poll()).run_id, second.run_id);
  },
);

t.test('an executor speaks for its own instance only', async (t) => {
  const api = await served(t);
  await withQueue(api, 1);
  const { executor_key: other } = await register(api, 'other');
  const executor = await hello(api, other);
  const nothing = await executor.say('poll', { epoch: executor.epoch, in_hand: null, wait_ms: 0 });
  t.same(await nothing.json(), { lease: null });
});

t.test('an older start is told that it was superseded', async (t) => {
  const api = await served(t);
  const key = await withQueue(api, 1);
  const older = await hello(api, key);
  await hello(api, key);
  const refused = await older.say('poll', { epoch: older.epoch, in_hand: null, wait_ms: 0 });
  t.match(await refused.json(), { code: 'EXECUTOR_SUPERSEDED', status: 409 });
});

t.test('a direct run is kept with its origin', async (t) => {
  const api = await served(t);
  const executor = await hello(api, await withQueue(api, 0));
  const run = {
    run_id: '20261120T143012345',
    correlation_id: 'tr-20261120T143012345-abc',
    scenario_id: 'RT-GET-document',
  };
  const report = { ...aReport(run, 'sign-dev'), origin: 'direct' };
  const kept = await executor.say('direct-run', { epoch: executor.epoch, scenario_text: aScenario(), report });
  t.equal(kept.status, 204);
  const { items } = await (await api.ask('GET', '/api/v1/runs')).json();
  t.match(items, [{ origin: 'direct', state: 'passed' }]);
});

t.test('messages of the wrong shape are refused with the place', async (t) => {
  const api = await served(t);
  const executor = await hello(api, await withQueue(api, 1));
  const lease = await executor.poll();
  const report = {
    ...aReport(lease, 'sign-dev'),
    timings: { queued_ms: -1 },
    exchange: { request: null, response: 1 },
  };
  const refused = await executor.say('complete', { epoch: 1, run_id: lease.run_id, fence: 0, more: false, report });
  t.equal(refused.status, 400);
  const { diagnostics } = await refused.json();
  const places = diagnostics.map(({ where }: { where: string }) => where);
  t.match(places, ['body.fence', 'body.report.exchange.response', 'body.report.timings'], 'each place is named');
  const unspoken = await api.ask('POST', '/api/v1/executor/hello', { ...aHello, store_id: 1 }, api.owner);
  t.equal(unspoken.status, 403, 'who may call comes before what is said');
});

t.test('a report of 12 MB is read, a larger one refused', async (t) => {
  const api = await served(t);
  const executor = await hello(api, await withQueue(api, 1));
  const lease = await executor.poll();
  const report = aReport(lease, 'sign-dev');
  const withBody = (size: number) => ({
    ...report,
    exchange: {
      request: null,
      response: { status: 200, headers: [], body: { text: 'x'.repeat(size), size_bytes: size, truncated: false } },
    },
  });
  const huge = await executor.complete(lease, withBody(13_000_000));
  t.match(await huge.json(), { code: 'BODY_TOO_LARGE', values: { limit_bytes: 12_582_912 } });
  t.equal((await executor.complete(lease, withBody(12_000_000))).status, 200);
});
