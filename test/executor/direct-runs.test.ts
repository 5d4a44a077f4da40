import { join } from 'node:path';
import t from 'tap';
import { vpError } from '../../src/errors/vp-error.ts';
import { epochMsOfRunId } from '../../src/run/run-id.ts';
import { openDatabase } from '../../src/store/database.ts';
import { outboxStoreKind } from '../../src/store/outbox/schema.ts';
import { finishRun, startDirect } from '../../src/store/outbox/slot.ts';
import { headerIn } from '../targets/http-target.ts';
import { hang, house, slow } from './house.ts';
import { scenarioText } from './project.ts';
import { until } from './started.ts';

const text = scenarioText('GET ${INGESTION_URL}/api/v2/document', ['status=200', 'body has count']);

t.test('a direct run answers with its report and is handed in with its text', async (t) => {
  const { control, target, started } = await house(t);
  await started.welcomed();
  const report = await started.executor.runDirect(text);
  t.match(report, {
    result: 'passed',
    origin: 'direct',
    instance: 'shop',
    scenario: { id: 'RT-document', revision: null },
  });
  t.match(report.correlation_id, new RegExp(`^tr-${report.run_id}-.{8}$`));
  t.equal(target.arrived.map((one) => headerIn(one, 'x-correlation-id'))[0], report.correlation_id);
  await until(() => control.direct.length === 1);
  t.match(control.direct[0], { scenario_text: text, report: { run_id: report.run_id } });
  await until(async () => (await started.executor.status()).waiting === 0);
});

t.test('ids of direct runs never repeat, even within a millisecond', async (t) => {
  const { started } = await house(t);
  await started.welcomed();
  const ids: string[] = [];
  for (let round = 0; round < 5; round += 1) ids.push((await started.executor.runDirect(text)).run_id);
  t.strictSame(ids, [...new Set(ids)].sort());
  t.ok(Math.abs((epochMsOfRunId(ids[0] ?? '') ?? 0) - Date.now()) < 10_000);
});

t.test('a queued run with the id of a direct one is run for itself', async (t) => {
  const { control, target, started } = await house(t);
  control.refusals.set('directRun', new TypeError('fetch failed'));
  await started.welcomed();
  const direct = await started.executor.runDirect(text);
  control.offerAgain(direct.run_id, text, 'queued');
  await until(() => control.completed.length === 1);
  const correlation_id = `tr-${direct.run_id}-queued`;
  t.match(control.completed[0]?.report, { run_id: direct.run_id, origin: 'queue', correlation_id, result: 'passed' });
  t.strictSame(
    target.arrived.map((one) => headerIn(one, 'x-correlation-id')),
    [direct.correlation_id, correlation_id],
  );
  control.refusals.clear();
  await until(() => control.direct.length === 1);
  t.match(control.direct[0]?.report, { origin: 'direct', correlation_id: direct.correlation_id });
  await until(async () => (await started.executor.status()).waiting === 0);
});

t.test('a direct run is refused while another run has the executor', async (t) => {
  const { control, target, started } = await house(t);
  slow(target, 60);
  const run = control.request(text);
  await until(() => target.arrived.length === 1);
  await t.rejects(started.executor.runDirect(text), { code: 'EXECUTOR_BUSY', message: new RegExp(run) });
  await until(() => control.completed.length === 1);
  const [one, other] = await Promise.allSettled([started.executor.runDirect(text), started.executor.runDirect(text)]);
  t.equal(one?.status, 'fulfilled');
  t.match(other, { status: 'rejected', reason: { code: 'EXECUTOR_BUSY' } });
  t.equal(target.arrived.length, 2);
});

t.test('a lease waits for a direct run, kept by heartbeats', async (t) => {
  const { control, target, started } = await house(t);
  control.leaseMs = 60;
  await started.welcomed();
  slow(target, 150);
  const direct = started.executor.runDirect(text);
  await until(() => target.arrived.length === 1);
  const run = control.request(text);
  await until(() => control.leased === run);
  t.equal((await started.executor.status()).directRun, true);
  await direct;
  t.equal(control.completed.length, 0);
  await until(() => control.completed.length === 1);
  t.equal(control.completed[0]?.report.result, 'passed');
  t.ok(control.count('heartbeat') > 2);
});

t.test('a run cancelled while it waits for a direct one ends at once, unsent', async (t) => {
  const { control, target, started } = await house(t);
  await started.welcomed();
  slow(target, 300);
  const direct = started.executor.runDirect(text);
  await until(() => target.arrived.length === 1);
  const run = control.request(text);
  await until(() => control.leased === run);
  control.cancel(run);
  await until(() => control.completed.length === 1);
  t.equal(control.completed[0]?.report.result, null);
  t.equal((await direct).result, 'passed');
  t.equal(target.arrived.length, 1);
});

t.test('stop waits for a direct run and gives back the lease that waits behind it', async (t) => {
  const { control, target, started } = await house(t);
  await started.welcomed();
  slow(target, 60);
  const direct = started.executor.runDirect(text);
  await until(() => target.arrived.length === 1);
  const run = control.request(text);
  await until(() => control.leased === run);
  await started.executor.stop();
  t.equal((await direct).result, 'passed');
  t.equal(control.direct.length, 1);
  t.strictSame(control.givenBack, [run]);
  await t.rejects(started.executor.runDirect(text), { code: 'SHUTTING_DOWN' });
});

t.test('direct runs of a time without control plane are handed in later, oldest first', async (t) => {
  const { control, started, again } = await house(t);
  await started.welcomed();
  control.refusals.set('directRun', new TypeError('fetch failed'));
  control.refusals.set('poll', new TypeError('fetch failed'));
  const ids = [(await started.executor.runDirect(text)).run_id, (await started.executor.runDirect(text)).run_id];
  await started.stop();
  control.refusals.clear();
  await again();
  await until(() => control.direct.length === 2);
  t.strictSame(
    control.direct.map(({ report }) => report.run_id),
    ids,
  );
  t.strictSame(control.hellos[1]?.finished, [], 'the control plane has not heard of them');
});

t.test('lost answers hand in a direct run more than once, and it is taken once', async (t) => {
  const { control, started } = await house(t);
  await started.welcomed();
  control.lose('directRun', 'answer', 'call', 'answer');
  await started.executor.runDirect(text);
  await until(async () => (await started.executor.status()).waiting === 0);
  t.equal(control.direct.length, 1);
  t.equal(control.count('directRun'), 4);
});

t.test('a direct run whose report is refused is kept aside, the next goes on', async (t) => {
  const { control, started } = await house(t);
  await started.welcomed();
  control.refusals.set('directRun', vpError('REQUEST_INVALID', { where: 'body', problem: 'is wrong' }));
  await started.executor.runDirect(text);
  await until(async () => (await started.executor.status()).refused === 1);
  control.refusals.clear();
  await started.executor.runDirect(text);
  await until(() => control.direct.length === 1);
  t.match(await started.executor.status(), { refused: 1 });
});

t.test('a text with an error is refused with everything that is wrong', async (t) => {
  const { target, started } = await house(t);
  await started.welcomed();
  const wrong = text.replace('status=200', 'staus=200');
  const error = await started.executor.runDirect(wrong).catch((thrown: unknown) => thrown);
  t.match(error, { code: 'EXECUTOR_SCENARIO_INVALID', message: /has an error in line \d+/ });
  t.match(error, { diagnostics: [{ severity: 'warning' }, { code: 'SCENARIO_CHECK_UNKNOWN', severity: 'error' }] });
  t.equal(target.arrived.length, 0);
});

t.test('before the first welcome there is no instance to run for; after a restart it is known', async (t) => {
  const { control, started, again } = await house(t, (double) =>
    double.refusals.set('hello', new TypeError('fetch failed')),
  );
  await t.rejects(started.executor.runDirect(text), { code: 'EXECUTOR_INSTANCE_UNKNOWN' });
  control.refusals.clear();
  await until(() => control.count('hello') > 1 && control.hellos.length === 1);
  await until(async () => (await started.executor.status()).instance === 'shop');
  await started.stop();
  control.refusals.set('hello', new TypeError('fetch failed'));
  const { executor } = await again();
  t.equal((await executor.runDirect(text)).instance, 'shop');
});

t.test('killed during a direct run: the slot is free again, nobody is told', async (t) => {
  const { control, target, started, again } = await house(t);
  await started.welcomed();
  hang(target);
  started.executor.runDirect(text).catch(() => {});
  await until(() => target.arrived.length === 1);
  await started.kill();
  slow(target, 0);
  const { executor } = await again();
  await until(() => control.hellos.length === 2);
  t.strictSame(control.hellos[1]?.started, []);
  t.equal((await executor.runDirect(text)).result, 'passed');
});

t.test('with ten thousand reports that nobody took, no direct run is started', async (t) => {
  const { control, target, folder, started, again } = await house(t);
  await started.welcomed();
  await started.stop();
  const database = openDatabase({ file: join(folder, 'executor.db'), kind: outboxStoreKind });
  await database.write((sql) => {
    for (let n = 0; n < 10_000; n += 1) {
      const { runId } = startDirect(sql, n);
      finishRun(sql, runId, '{}', text);
    }
  });
  await database.close();
  control.refusals.set('hello', new TypeError('fetch failed'));
  const { executor } = await again();
  await t.rejects(executor.runDirect(text), { code: 'EXECUTOR_OUTBOX_FULL' });
  t.equal(target.arrived.length, 0);
});
