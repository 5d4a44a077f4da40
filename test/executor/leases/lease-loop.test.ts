import t from 'tap';
import { vpError } from '../../../src/errors/vp-error.ts';
import { eventually } from '../../eventually.ts';
import { getHeader } from '../../targets/http-target.ts';
import { createExecutorSetup, delayResponses, neverRespond } from '../executor-setup.ts';
import { scenarioText } from '../test-project.ts';

const text = scenarioText('GET ${INGESTION_URL}/api/v2/document', ['status=200', 'body has count']);

t.test('runs are executed in order with one request each; the response to a report brings the next', async (t) => {
  const { control, target, testExecutor } = await createExecutorSetup(t);
  const runs = [1, 2, 3, 4].map(() => control.request(text));
  await eventually(() => control.completed.length === 4);
  t.strictSame(
    control.completed.map(({ run_id }) => run_id),
    runs,
  );
  t.ok(control.completed.every(({ report }) => report.result === 'passed' && report.origin === 'queue'));
  t.strictSame(
    target.arrived.map((arrivedRequest) => getHeader(arrivedRequest, 'x-correlation-id')),
    runs.map((run) => `tr-${run}-x`),
  );
  t.equal(control.count('poll') <= 2, true, 'one poll brought the first, completes the others');
  await eventually(async () => (await testExecutor.executor.status()).waiting === 0);
  t.match(await testExecutor.executor.status(), { state: 'idle', instance: 'shop', epoch: 1, problem: undefined });
});

t.test('the hello contains target, version and the variables of scenarios', async (t) => {
  const { control, target } = await createExecutorSetup(t);
  await eventually(() => control.hellos.length === 1);
  t.match(control.hellos[0], {
    protocol: 1,
    executor_version: '0.4.0',
    target: target.origin,
    started: [],
    finished: [],
  });
  t.match(control.hellos[0]?.store_id, /^[\w-]{20,}$/);
});

t.test('lost calls and lost responses of every kind lose no run and send nothing twice', async (t) => {
  const { control, target } = await createExecutorSetup(t, (double) => {
    double.loseCalls('hello', 'call', 'answer');
    double.loseCalls('poll', 'call', 'answer', 'answer');
    double.loseCalls('complete', 'call', 'answer', 'answer');
  });
  const runs = [1, 2, 3].map(() => control.request(text));
  await eventually(() => control.completed.length === 3);
  t.strictSame(
    control.completed.map(({ run_id }) => run_id),
    runs,
  );
  t.equal(target.arrived.length, 3);
});

t.test('an unreachable control plane is logged once, and its return is noticed', async (t) => {
  const { control, testExecutor } = await createExecutorSetup(t, (double) => double.loseCalls('hello', 'call', 'call'));
  await eventually(async () => (await testExecutor.executor.status()).problem === 'fetch failed');
  t.equal((await testExecutor.executor.status()).state, 'starting');
  await eventually(() => control.hellos.length === 1);
  await eventually(() => testExecutor.logMessages.includes('the control plane answers again'));
  t.equal(testExecutor.logMessages.filter((line) => line.includes('does not answer')).length, 1);
});

for (const refusal of [
  vpError('CREDENTIAL_MISSING', {}),
  vpError('CREDENTIAL_INVALID', {}),
  vpError('CREDENTIAL_INSUFFICIENT', { action: 'hello' }),
  vpError('INSTANCE_UNKNOWN', { instance: 'shop', known: '' }),
  vpError('EXECUTOR_PROTOCOL_UNKNOWN', { found: 1, known: 2, version: '9' }),
]) {
  t.test(`a greeting refused with ${refusal.code} ends the executor with its words`, async (t) => {
    const { control, testExecutor } = await createExecutorSetup(t, (double) => double.refusals.set('hello', refusal));
    await t.rejects(testExecutor.executor.completion, refusal);
    t.match(await testExecutor.executor.status(), { state: 'stopped', problem: refusal.message });
    await t.rejects(testExecutor.executor.runDirect(text), { code: 'SHUTTING_DOWN' });
    t.equal(control.count('hello'), 1);
    t.ok(testExecutor.logMessages.includes('the executor ended by itself'));
  });
}

t.test('a key that is refused later is retried and logged', async (t) => {
  const { control, testExecutor } = await createExecutorSetup(t);
  await testExecutor.waitForWelcome();
  control.refusals.set('complete', vpError('CREDENTIAL_INVALID', {}));
  control.request(text);
  await eventually(() => testExecutor.logMessages.includes('the control plane refuses the key; trying again'));
  control.refusals.clear();
  await eventually(() => control.completed.length === 1);
  t.equal((await testExecutor.executor.status()).problem, undefined);
});

t.test('only a run whose lease requests it proves its scenario', async (t) => {
  const { control } = await createExecutorSetup(t);
  control.request(text, { prove: true });
  control.request(text, { prove: false });
  control.request(text);
  await eventually(() => control.completed.length === 3);
  t.match(
    control.completed.map(({ report }) => report.proof),
    [{}, null, null],
  );
});

t.test('heartbeats keep the lease of a long run', async (t) => {
  const { control, target } = await createExecutorSetup(t);
  control.leaseMs = 60;
  delayResponses(target, 150);
  control.request(text);
  await eventually(() => control.completed.length === 1);
  t.ok(control.count('heartbeat') >= 3);
  t.equal(control.completed[0]?.report.result, 'passed');
});

t.test('a run that is cancelled while it waits ends without a result', async (t) => {
  const { control, target } = await createExecutorSetup(t);
  neverRespond(target);
  const run = control.request(text);
  await eventually(() => target.arrived.length === 1);
  control.cancel(run);
  await eventually(() => control.completed.length === 1);
  t.match(control.completed[0]?.report, { run_id: run, result: null, failure: null });
});

t.test('a run that was cancelled before its lease is never sent', async (t) => {
  const { control, target } = await createExecutorSetup(t);
  control.cancel(control.request(text));
  await eventually(() => control.completed.length === 1);
  t.equal(control.completed[0]?.report.result, null);
  t.equal(target.arrived.length, 0);
});

t.test('a lease that has expired on arrival is given back, not started', async (t) => {
  const { control, target } = await createExecutorSetup(t, (double) => {
    double.leaseMs = 0;
  });
  const run = control.request(text);
  await eventually(() => control.returnedRuns.length > 0);
  t.equal(target.arrived.length, 0);
  control.leaseMs = 5000;
  await eventually(() => control.completed.length === 1);
  t.equal(control.completed[0]?.run_id, run, 'and is run when it comes with time');
  t.equal(target.arrived.length, 1);
});

t.test('a lease lost during a run changes nothing: the report is handed in once', async (t) => {
  const { control, target } = await createExecutorSetup(t);
  delayResponses(target, 80);
  control.request(text);
  await eventually(() => target.arrived.length === 1);
  control.heartbeatOverride = { lease_ms: 0, cancel_requested: false };
  await eventually(() => control.completed.length === 1);
  t.equal(control.completed[0]?.report.result, 'passed');
  t.equal(target.arrived.length, 1);
});

t.test('another start takes over: the loop ends, its report remains in the store', async (t) => {
  const { control, target, testExecutor, restart } = await createExecutorSetup(t);
  delayResponses(target, 60);
  const run = control.request(text);
  await eventually(() => target.arrived.length === 1);
  control.supersede();
  t.equal(await testExecutor.executor.completion, 'superseded');
  t.match(await testExecutor.executor.status(), { state: 'superseded', waiting: 1 });
  await t.rejects(testExecutor.executor.runDirect(text), { code: 'SHUTTING_DOWN' });
  await testExecutor.stop();
  await restart();
  await eventually(() => control.completed.length === 1);
  t.equal(control.completed[0]?.run_id, run);
  t.strictSame(control.hellos.at(-1)?.finished, [run]);
  t.equal(target.arrived.length, 1);
});

t.test('another start takes over while the loop is idle', async (t) => {
  const { control, testExecutor } = await createExecutorSetup(t);
  await eventually(() => control.count('hello') === 1);
  control.supersede();
  t.equal(await testExecutor.executor.completion, 'superseded');
});

t.test('stop gives back a lease whose poll response was lost', async (t) => {
  const { control, testExecutor } = await createExecutorSetup(t);
  await eventually(() => control.count('hello') === 1);
  control.loseCalls('poll', 'answer');
  const run = control.request(text);
  await eventually(() => control.leased === run);
  await testExecutor.executor.stop();
  t.strictSame(control.returnedRuns, [run]);
  t.equal(control.completed.length, 0);
  t.equal((await testExecutor.executor.status()).state, 'stopped');
});

t.test('stop finishes a run that has started and hands it in', async (t) => {
  const { control, target, testExecutor } = await createExecutorSetup(t);
  delayResponses(target, 60);
  control.request(text);
  control.request(text);
  await eventually(() => target.arrived.length === 1);
  await testExecutor.executor.stop();
  t.equal(control.completed.length, 1);
  t.equal(control.completed[0]?.more, false, 'and asks for no more');
  t.equal(control.leased, undefined);
  t.equal(target.arrived.length, 1);
});

t.test('stop waits no longer than its limit for an unreachable control plane', async (t) => {
  const { control, target, testExecutor, restart } = await createExecutorSetup(t);
  control.refusals.set('complete', new TypeError('fetch failed'));
  const run = control.request(text);
  await eventually(() => target.arrived.length === 1);
  await testExecutor.executor.stop(50);
  t.match(await testExecutor.executor.status(), { waiting: 1 });
  await testExecutor.stop();
  control.refusals.clear();
  await restart();
  await eventually(() => control.completed.length === 1);
  t.equal(control.completed[0]?.run_id, run, 'the next start hands it in');
});

t.test('stop before the control plane was reached for the first time', async (t) => {
  const { control, testExecutor } = await createExecutorSetup(t, (double) =>
    double.refusals.set('hello', new TypeError('fetch failed')),
  );
  await eventually(() => control.count('hello') > 0);
  await testExecutor.executor.stop();
  t.equal(await testExecutor.executor.completion, 'stopped');
});

t.test('a refused report is set aside, and the queue continues', async (t) => {
  const { control, testExecutor, restart } = await createExecutorSetup(t);
  control.refusals.set('complete', vpError('REPORT_MISMATCH', { found: 'a', instance: 'b', expected: 'c' }));
  control.request(text);
  await eventually(async () => (await testExecutor.executor.status()).refused === 1);
  control.refusals.clear();
  await testExecutor.stop();
  await restart();
  await eventually(() => control.completed.length === 1);
  t.pass('the next start tries once more');
});

t.test('killed during a run: listed as started, never sent again', async (t) => {
  const { control, target, testExecutor, restart } = await createExecutorSetup(t);
  neverRespond(target);
  const run = control.request(text);
  await eventually(() => target.arrived.length === 1);
  await testExecutor.kill();
  await restart();
  await eventually(() => control.hellos.length === 2);
  t.strictSame(control.hellos[1]?.started, [run]);
  t.equal(control.hellos[1]?.store_id, control.hellos[0]?.store_id);
  control.offerAgain(run, text);
  await eventually(() => control.completed.length === 1);
  t.match(control.completed[0]?.report, { run_id: run, result: 'failed', failure: { kind: 'executor_lost' } });
  t.equal(target.arrived.length, 1);
  await testExecutor.kill();
});

t.test('killed between lease and start: not listed, executed after the restart', async (t) => {
  const { control, target, testExecutor, restart } = await createExecutorSetup(t);
  await eventually(() => control.count('hello') === 1);
  control.loseCalls('poll', 'answer');
  const run = control.request(text);
  await eventually(() => control.leased === run);
  await testExecutor.kill();
  await restart();
  await eventually(() => control.completed.length === 1);
  t.strictSame(control.hellos[1]?.started, []);
  t.equal(target.arrived.length, 1);
});

t.test('nothing is sent before the control plane knows that it is about to be', async (t) => {
  const { control, target } = await createExecutorSetup(t);
  control.refusals.set('heartbeat', new TypeError('fetch failed'));
  control.request(text);
  await eventually(() => control.count('heartbeat') > 1);
  t.equal(target.arrived.length, 0);
  control.refusals.clear();
  await eventually(() => control.completed.length === 1);
  t.match(control.completed[0]?.report, { result: 'passed' });
  t.equal(target.arrived.length, 1);
});

t.test(
  'an announcement is refused because the lease has ended: the run is not sent, and can be leased again',
  async (t) => {
    const { control, target } = await createExecutorSetup(t);
    control.heartbeatOverride = { lease_ms: 0, cancel_requested: false };
    const run = control.request(text);
    await eventually(() => control.returnedRuns.includes(run));
    t.equal(target.arrived.length, 0);
    control.heartbeatOverride = undefined;
    await eventually(() => control.completed.length === 1);
    t.match(control.completed[0]?.report, { run_id: run, result: 'passed' });
    t.equal(target.arrived.length, 1);
  },
);

t.test('killed before a report was accepted: handed in after the restart, not sent again', async (t) => {
  const { control, target, testExecutor, restart } = await createExecutorSetup(t);
  control.refusals.set('complete', new TypeError('fetch failed'));
  const run = control.request(text);
  await eventually(() => control.count('complete') > 0);
  await testExecutor.kill();
  control.refusals.clear();
  await restart();
  await eventually(() => control.completed.length === 1);
  t.strictSame(control.hellos[1]?.finished, [run]);
  t.equal(target.arrived.length, 1);
});

t.test(
  'killed after a report was accepted and before the acknowledgement was stored: handed in twice, stored once',
  async (t) => {
    const { control, target, testExecutor, restart } = await createExecutorSetup(t);
    control.loseCalls('complete', 'answer', 'answer', 'answer');
    control.request(text);
    await eventually(() => control.completed.length === 1);
    await testExecutor.kill();
    const successor = (await restart()).executor;
    await eventually(
      async () => (await successor.status()).state === 'idle' && (await successor.status()).waiting === 0,
    );
    t.ok(control.count('complete') >= 2);
    t.equal(control.completed.length, 1);
    t.equal(target.arrived.length, 1);
  },
);

t.test('a run that is offered again is answered with its report and never sent again', async (t) => {
  const { control, target, testExecutor } = await createExecutorSetup(t);
  const run = control.request(text);
  await eventually(() => control.completed.length === 1);
  control.offerAgain(run, text);
  await eventually(() => control.completed.length === 2);
  t.match(control.completed[1]?.report, { run_id: run, failure: { kind: 'executor_lost' } });
  t.equal(target.arrived.length, 1);
  t.ok(testExecutor.logMessages.some((line) => line.includes('had been started before')));
});

t.test('a scenario that this executor cannot parse ends its run with the reason', async (t) => {
  const { control, target } = await createExecutorSetup(t);
  control.request('# nothing');
  control.request(text);
  await eventually(() => control.completed.length === 2);
  t.match(control.completed[0]?.report, { result: 'failed', failure: { message: /cannot be used/ } });
  t.equal(control.completed[1]?.report.result, 'passed');
  t.equal(target.arrived.length, 1);
});
