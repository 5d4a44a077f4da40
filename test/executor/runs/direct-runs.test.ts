import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { vpError } from '../../../src/errors/vp-error.ts';
import { parseRunId } from '../../../src/run/run-id.ts';
import { openDatabase } from '../../../src/store/engine.ts';
import { outboxStoreKind } from '../../../src/store/outbox/outbox-schema.ts';
import { finishRunInSlot, startDirectRun } from '../../../src/store/outbox/slot.ts';
import { eventually } from '../../eventually.ts';
import { getHeader } from '../../targets/http-target.ts';
import { createExecutorSetup, delayResponses, holdResponses, neverRespond } from '../executor-setup.ts';
import { scenarioText } from '../test-project.ts';

const text = scenarioText('GET ${INGESTION_URL}/api/v2/document', ['status=200', 'body has count']);

t.test('a direct run returns its report and is handed in with its text', async (t) => {
  const { control, target, testExecutor } = await createExecutorSetup(t);
  await testExecutor.waitForWelcome();
  const report = await testExecutor.executor.runDirect(text);
  t.match(report, {
    result: 'passed',
    origin: 'direct',
    instance: 'shop',
    scenario: { id: 'RT-document', revision: null },
  });
  t.match(report.correlation_id, new RegExp(`^tr-${report.run_id}-.{8}$`));
  t.equal(
    target.arrived.map((arrivedRequest) => getHeader(arrivedRequest, 'x-correlation-id'))[0],
    report.correlation_id,
  );
  await eventually(() => control.direct.length === 1);
  t.match(control.direct[0], { scenario_text: text, report: { run_id: report.run_id } });
  await eventually(async () => (await testExecutor.executor.status()).waiting === 0);
});

t.test('ids of direct runs never repeat, even within a millisecond', async (t) => {
  const { testExecutor } = await createExecutorSetup(t);
  await testExecutor.waitForWelcome();
  const startMs = Date.now();
  const ids: string[] = [];
  for (let round = 0; round < 5; round += 1) ids.push((await testExecutor.executor.runDirect(text)).run_id);
  t.strictSame(ids, [...new Set(ids)].sort());
  const idMs = parseRunId(ids[0] ?? '') ?? 0;
  t.ok(idMs >= startMs && idMs <= Date.now() + ids.length, 'the time of the request');
});

t.test('a queued run with the id of a direct run is executed independently', async (t) => {
  const { control, target, testExecutor } = await createExecutorSetup(t);
  control.refusals.set('directRun', new TypeError('fetch failed'));
  await testExecutor.waitForWelcome();
  const direct = await testExecutor.executor.runDirect(text);
  control.offerAgain(direct.run_id, text, 'queued');
  await eventually(() => control.completed.length === 1);
  const correlation_id = `tr-${direct.run_id}-queued`;
  t.match(control.completed[0]?.report, { run_id: direct.run_id, origin: 'queue', correlation_id, result: 'passed' });
  t.strictSame(
    target.arrived.map((arrivedRequest) => getHeader(arrivedRequest, 'x-correlation-id')),
    [direct.correlation_id, correlation_id],
  );
  control.refusals.clear();
  await eventually(() => control.direct.length === 1);
  t.match(control.direct[0]?.report, { origin: 'direct', correlation_id: direct.correlation_id });
  await eventually(async () => (await testExecutor.executor.status()).waiting === 0);
});

t.test('a direct run is refused while another run uses the executor', async (t) => {
  const { control, target, testExecutor } = await createExecutorSetup(t);
  const releaseQueued = holdResponses(target);
  const run = control.request(text);
  await eventually(() => target.arrived.length === 1);
  await t.rejects(testExecutor.executor.runDirect(text), { code: 'EXECUTOR_BUSY', message: new RegExp(run) });
  releaseQueued();
  await eventually(() => control.completed.length === 1);
  const releaseDirect = holdResponses(target);
  const first = testExecutor.executor.runDirect(text);
  await t.rejects(testExecutor.executor.runDirect(text), { code: 'EXECUTOR_BUSY' });
  releaseDirect();
  t.equal((await first).result, 'passed');
  t.equal(target.arrived.length, 2);
});

t.test('a lease waits for a direct run while heartbeats extend it', async (t) => {
  const { control, target, testExecutor } = await createExecutorSetup(t);
  control.leaseMs = 300;
  await testExecutor.waitForWelcome();
  const release = holdResponses(target);
  const direct = testExecutor.executor.runDirect(text);
  await eventually(() => target.arrived.length === 1);
  const run = control.request(text);
  await eventually(() => control.leased === run);
  t.equal((await testExecutor.executor.status()).directRun, true);
  // More than fit into one lease.
  await eventually(() => control.count('heartbeat') > 25);
  t.equal(control.leased, run);
  release();
  await direct;
  t.equal(control.completed.length, 0);
  await eventually(() => control.completed.length === 1);
  t.equal(control.completed[0]?.report.result, 'passed');
  t.strictSame(control.returnedRuns, []);
});

t.test('a run cancelled while it waits for a direct run ends at once without being sent', async (t) => {
  const { control, target, testExecutor } = await createExecutorSetup(t);
  await testExecutor.waitForWelcome();
  const release = holdResponses(target);
  const direct = testExecutor.executor.runDirect(text);
  await eventually(() => target.arrived.length === 1);
  const run = control.request(text);
  await eventually(() => control.leased === run);
  control.cancel(run);
  await eventually(() => control.completed.length === 1);
  t.equal(control.completed[0]?.report.result, null);
  release();
  t.equal((await direct).result, 'passed');
  t.equal(target.arrived.length, 1);
});

t.test('stop waits for a direct run and gives back the waiting lease', async (t) => {
  const { control, target, testExecutor } = await createExecutorSetup(t);
  await testExecutor.waitForWelcome();
  const release = holdResponses(target);
  const direct = testExecutor.executor.runDirect(text);
  await eventually(() => target.arrived.length === 1);
  const run = control.request(text);
  await eventually(() => control.leased === run);
  let isStopped = false;
  const stopped = testExecutor.executor.stop().then(() => {
    isStopped = true;
  });
  await setTimeout(20);
  t.notOk(isStopped);
  release();
  await stopped;
  t.equal((await direct).result, 'passed');
  t.equal(control.direct.length, 1);
  t.strictSame(control.returnedRuns, [run]);
  await t.rejects(testExecutor.executor.runDirect(text), { code: 'SHUTTING_DOWN' });
});

t.test('direct runs without a control plane are handed in later, oldest first', async (t) => {
  const { control, testExecutor, restart } = await createExecutorSetup(t);
  await testExecutor.waitForWelcome();
  control.refusals.set('directRun', new TypeError('fetch failed'));
  control.refusals.set('poll', new TypeError('fetch failed'));
  const ids = [
    (await testExecutor.executor.runDirect(text)).run_id,
    (await testExecutor.executor.runDirect(text)).run_id,
  ];
  await testExecutor.stop();
  control.refusals.clear();
  await restart();
  await eventually(() => control.direct.length === 2);
  t.strictSame(
    control.direct.map(({ report }) => report.run_id),
    ids,
  );
  t.strictSame(control.hellos[1]?.finished, [], 'the control plane has not heard of them');
});

t.test('after lost responses a direct run is handed in repeatedly and stored once', async (t) => {
  const { control, testExecutor } = await createExecutorSetup(t);
  await testExecutor.waitForWelcome();
  control.loseCalls('directRun', 'answer', 'call', 'answer');
  await testExecutor.executor.runDirect(text);
  await eventually(async () => (await testExecutor.executor.status()).waiting === 0);
  t.equal(control.direct.length, 1);
  t.equal(control.count('directRun'), 4);
});

t.test('a direct run whose report is refused is set aside, and the next continues', async (t) => {
  const { control, testExecutor } = await createExecutorSetup(t);
  await testExecutor.waitForWelcome();
  control.refusals.set('directRun', vpError('REQUEST_INVALID', { where: 'body', problem: 'is wrong' }));
  await testExecutor.executor.runDirect(text);
  await eventually(async () => (await testExecutor.executor.status()).refused === 1);
  control.refusals.clear();
  await testExecutor.executor.runDirect(text);
  await eventually(() => control.direct.length === 1);
  t.match(await testExecutor.executor.status(), { refused: 1 });
});

t.test('an invalid scenario is refused with all diagnostics', async (t) => {
  const { target, testExecutor } = await createExecutorSetup(t);
  await testExecutor.waitForWelcome();
  const wrong = text.replace('status=200', 'staus=200');
  const error = await testExecutor.executor.runDirect(wrong).catch((thrown: unknown) => thrown);
  t.match(error, { code: 'EXECUTOR_SCENARIO_INVALID', message: /has an error in line \d+/ });
  t.match(error, { diagnostics: [{ severity: 'warning' }, { code: 'SCENARIO_CHECK_UNKNOWN', severity: 'error' }] });
  t.equal(target.arrived.length, 0);
});

t.test('before the first registration the instance is unknown; after a restart it is known', async (t) => {
  const { control, testExecutor, restart } = await createExecutorSetup(t, (double) =>
    double.refusals.set('hello', new TypeError('fetch failed')),
  );
  await t.rejects(testExecutor.executor.runDirect(text), { code: 'EXECUTOR_INSTANCE_UNKNOWN' });
  control.refusals.clear();
  await eventually(() => control.count('hello') > 1 && control.hellos.length === 1);
  await eventually(async () => (await testExecutor.executor.status()).instance === 'shop');
  await testExecutor.stop();
  control.refusals.set('hello', new TypeError('fetch failed'));
  const { executor } = await restart();
  t.equal((await executor.runDirect(text)).instance, 'shop');
});

t.test('killed during a direct run: the slot is free again, nothing is handed in', async (t) => {
  const { control, target, testExecutor, restart } = await createExecutorSetup(t);
  await testExecutor.waitForWelcome();
  neverRespond(target);
  testExecutor.executor.runDirect(text).catch(() => {});
  await eventually(() => target.arrived.length === 1);
  await testExecutor.kill();
  delayResponses(target, 0);
  const { executor } = await restart();
  await eventually(() => control.hellos.length === 2);
  t.strictSame(control.hellos[1]?.started, []);
  t.equal((await executor.runDirect(text)).result, 'passed');
});

t.test('with ten thousand waiting reports no direct run is started', async (t) => {
  const { control, target, folder, testExecutor, restart } = await createExecutorSetup(t);
  await testExecutor.waitForWelcome();
  await testExecutor.stop();
  const database = openDatabase({ file: join(folder, 'executor.db'), createKind: outboxStoreKind });
  await database.write((sql) => {
    for (let n = 0; n < 10_000; n += 1) {
      const { runId } = startDirectRun(sql, n);
      finishRunInSlot(sql, runId, '{}', text);
    }
  });
  await database.close();
  control.refusals.set('hello', new TypeError('fetch failed'));
  const { executor } = await restart();
  await t.rejects(executor.runDirect(text), { code: 'EXECUTOR_OUTBOX_FULL' });
  t.equal(target.arrived.length, 0);
});
