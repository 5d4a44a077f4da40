import t from 'tap';
import { vpError } from '../../src/errors/vp-error.ts';
import { headerIn } from '../targets/http-target.ts';
import { hang, house, slow } from './house.ts';
import { scenarioText } from './project.ts';
import { until } from './started.ts';

const text = scenarioText('GET ${INGESTION_URL}/api/v2/document', ['status=200', 'body has count']);

t.test('runs are taken in order, each with one request, the answer to a report bringing the next', async (t) => {
  const { control, target, started } = await house(t);
  const runs = [1, 2, 3, 4].map(() => control.request(text));
  await until(() => control.completed.length === 4);
  t.strictSame(
    control.completed.map(({ run_id }) => run_id),
    runs,
  );
  t.ok(control.completed.every(({ report }) => report.result === 'passed' && report.origin === 'queue'));
  t.strictSame(
    target.arrived.map((one) => headerIn(one, 'x-correlation-id')),
    runs.map((run) => `tr-${run}-x`),
  );
  t.equal(control.count('poll') <= 2, true, 'one poll brought the first, completes the others');
  await until(async () => (await started.executor.status()).waiting === 0);
  t.match(await started.executor.status(), { state: 'idle', instance: 'shop', epoch: 1, problem: undefined });
});

t.test('a greeting tells target, version and the names scenarios may use', async (t) => {
  const { control, target } = await house(t);
  await until(() => control.hellos.length === 1);
  t.match(control.hellos[0], {
    protocol: 1,
    executor_version: '0.4.0',
    target: target.origin,
    started: [],
    finished: [],
  });
  t.match(control.hellos[0]?.store_id, /^[\w-]{20,}$/);
});

t.test('lost calls and lost answers of every kind cost no run and send nothing twice', async (t) => {
  const { control, target } = await house(t, (double) => {
    double.lose('hello', 'call', 'answer');
    double.lose('poll', 'call', 'answer', 'answer');
    double.lose('complete', 'call', 'answer', 'answer');
  });
  const runs = [1, 2, 3].map(() => control.request(text));
  await until(() => control.completed.length === 3);
  t.strictSame(
    control.completed.map(({ run_id }) => run_id),
    runs,
  );
  t.equal(target.arrived.length, 3);
});

t.test('a control plane that is away is told once and found again', async (t) => {
  const { control, started } = await house(t, (double) => double.lose('hello', 'call', 'call'));
  await until(async () => (await started.executor.status()).problem === 'fetch failed');
  t.equal((await started.executor.status()).state, 'starting');
  await until(() => control.hellos.length === 1);
  await until(() => started.logged.includes('the control plane answers again'));
  t.equal(started.logged.filter((line) => line.includes('does not answer')).length, 1);
});

for (const refusal of [
  vpError('CREDENTIAL_MISSING', {}),
  vpError('CREDENTIAL_INVALID', {}),
  vpError('CREDENTIAL_INSUFFICIENT', { action: 'hello' }),
  vpError('INSTANCE_UNKNOWN', { instance: 'shop', known: '' }),
  vpError('EXECUTOR_PROTOCOL_UNKNOWN', { found: 1, known: 2, version: '9' }),
]) {
  t.test(`a greeting refused with ${refusal.code} ends the executor with its words`, async (t) => {
    const { control, started } = await house(t, (double) => double.refusals.set('hello', refusal));
    await t.rejects(started.executor.ended, refusal);
    t.match(await started.executor.status(), { state: 'stopped', problem: refusal.message });
    await t.rejects(started.executor.runDirect(text), { code: 'SHUTTING_DOWN' });
    t.equal(control.count('hello'), 1);
    t.ok(started.logged.includes('the executor ended by itself'));
  });
}

t.test('a key that is refused later is tried again, and told', async (t) => {
  const { control, started } = await house(t);
  await started.welcomed();
  control.refusals.set('complete', vpError('CREDENTIAL_INVALID', {}));
  control.request(text);
  await until(() => started.logged.includes('the control plane refuses the key; trying again'));
  control.refusals.clear();
  await until(() => control.completed.length === 1);
  t.equal((await started.executor.status()).problem, undefined);
});

t.test('a run whose lease says so proves its scenario, and no other', async (t) => {
  const { control } = await house(t);
  control.request(text, { prove: true });
  control.request(text, { prove: false });
  control.request(text);
  await until(() => control.completed.length === 3);
  t.match(
    control.completed.map(({ report }) => report.proof),
    [{}, null, null],
  );
});

t.test('a long run is kept by heartbeats', async (t) => {
  const { control, target } = await house(t);
  control.leaseMs = 60;
  slow(target, 150);
  control.request(text);
  await until(() => control.completed.length === 1);
  t.ok(control.count('heartbeat') >= 3);
  t.equal(control.completed[0]?.report.result, 'passed');
});

t.test('a run that is cancelled while it waits ends without a result', async (t) => {
  const { control, target } = await house(t);
  hang(target);
  const run = control.request(text);
  await until(() => target.arrived.length === 1);
  control.cancel(run);
  await until(() => control.completed.length === 1);
  t.match(control.completed[0]?.report, { run_id: run, result: null, failure: null });
});

t.test('a run that was cancelled before its lease is never sent', async (t) => {
  const { control, target } = await house(t);
  control.cancel(control.request(text));
  await until(() => control.completed.length === 1);
  t.equal(control.completed[0]?.report.result, null);
  t.equal(target.arrived.length, 0);
});

t.test('a lease that is over when it arrives is given back, not started', async (t) => {
  const { control, target } = await house(t, (double) => {
    double.leaseMs = 0;
  });
  const run = control.request(text);
  await until(() => control.givenBack.length > 0);
  t.equal(target.arrived.length, 0);
  control.leaseMs = 5000;
  await until(() => control.completed.length === 1);
  t.equal(control.completed[0]?.run_id, run, 'and is run when it comes with time');
  t.equal(target.arrived.length, 1);
});

t.test('a lease lost during a run changes nothing: the report is handed in once', async (t) => {
  const { control, target } = await house(t);
  slow(target, 80);
  control.request(text);
  await until(() => target.arrived.length === 1);
  control.pulse = { lease_ms: 0, cancel_requested: false };
  await until(() => control.completed.length === 1);
  t.equal(control.completed[0]?.report.result, 'passed');
  t.equal(target.arrived.length, 1);
});

t.test('another start takes over: the loop ends, its report stays in the store', async (t) => {
  const { control, target, started, again } = await house(t);
  slow(target, 60);
  const run = control.request(text);
  await until(() => target.arrived.length === 1);
  control.supersede();
  t.equal(await started.executor.ended, 'superseded');
  t.match(await started.executor.status(), { state: 'superseded', waiting: 1 });
  await t.rejects(started.executor.runDirect(text), { code: 'SHUTTING_DOWN' });
  await started.stop();
  await again();
  await until(() => control.completed.length === 1);
  t.equal(control.completed[0]?.run_id, run);
  t.strictSame(control.hellos.at(-1)?.finished, [run]);
  t.equal(target.arrived.length, 1);
});

t.test('another start takes over while the loop is idle', async (t) => {
  const { control, started } = await house(t);
  await until(() => control.count('hello') === 1);
  control.supersede();
  t.equal(await started.executor.ended, 'superseded');
});

t.test('stop gives back a lease whose answer was lost with the poll', async (t) => {
  const { control, started } = await house(t);
  await until(() => control.count('hello') === 1);
  control.lose('poll', 'answer');
  const run = control.request(text);
  await until(() => control.leased === run);
  await started.executor.stop();
  t.strictSame(control.givenBack, [run]);
  t.equal(control.completed.length, 0);
  t.equal((await started.executor.status()).state, 'stopped');
});

t.test('stop finishes a run that has started and hands it in', async (t) => {
  const { control, target, started } = await house(t);
  slow(target, 60);
  control.request(text);
  control.request(text);
  await until(() => target.arrived.length === 1);
  await started.executor.stop();
  t.equal(control.completed.length, 1);
  t.equal(control.completed[0]?.more, false, 'and asks for no more');
  t.equal(control.leased, undefined);
  t.equal(target.arrived.length, 1);
});

t.test('stop waits no longer than asked for a control plane that is away', async (t) => {
  const { control, target, started, again } = await house(t);
  control.refusals.set('complete', new TypeError('fetch failed'));
  const run = control.request(text);
  await until(() => target.arrived.length === 1);
  await started.executor.stop(50);
  t.match(await started.executor.status(), { waiting: 1 });
  await started.stop();
  control.refusals.clear();
  await again();
  await until(() => control.completed.length === 1);
  t.equal(control.completed[0]?.run_id, run, 'the next start hands it in');
});

t.test('stop before the control plane was ever reached', async (t) => {
  const { control, started } = await house(t, (double) => double.refusals.set('hello', new TypeError('fetch failed')));
  await until(() => control.count('hello') > 0);
  await started.executor.stop();
  t.equal(await started.executor.ended, 'stopped');
});

t.test('a report that is refused is kept aside, and the queue goes on', async (t) => {
  const { control, started, again } = await house(t);
  control.refusals.set('complete', vpError('REPORT_MISMATCH', { found: 'a', instance: 'b', expected: 'c' }));
  control.request(text);
  await until(async () => (await started.executor.status()).refused === 1);
  control.refusals.clear();
  await started.stop();
  await again();
  await until(() => control.completed.length === 1);
  t.pass('the next start tries once more');
});

t.test('killed while a run is under way: told as started, never sent again', async (t) => {
  const { control, target, started, again } = await house(t);
  hang(target);
  const run = control.request(text);
  await until(() => target.arrived.length === 1);
  await started.kill();
  await again();
  await until(() => control.hellos.length === 2);
  t.strictSame(control.hellos[1]?.started, [run]);
  t.equal(control.hellos[1]?.store_id, control.hellos[0]?.store_id);
  control.offerAgain(run, text);
  await until(() => control.completed.length === 1);
  t.match(control.completed[0]?.report, { run_id: run, result: 'failed', failure: { kind: 'executor_lost' } });
  t.equal(target.arrived.length, 1);
  await started.kill();
});

t.test('killed between lease and start: told as nothing, run after the restart', async (t) => {
  const { control, target, started, again } = await house(t);
  await until(() => control.count('hello') === 1);
  control.lose('poll', 'answer');
  const run = control.request(text);
  await until(() => control.leased === run);
  await started.kill();
  await again();
  await until(() => control.completed.length === 1);
  t.strictSame(control.hellos[1]?.started, []);
  t.equal(target.arrived.length, 1);
});

t.test('killed before a report was taken: handed in after the restart, not sent again', async (t) => {
  const { control, target, started, again } = await house(t);
  control.refusals.set('complete', new TypeError('fetch failed'));
  const run = control.request(text);
  await until(() => control.count('complete') > 0);
  await started.kill();
  control.refusals.clear();
  await again();
  await until(() => control.completed.length === 1);
  t.strictSame(control.hellos[1]?.finished, [run]);
  t.equal(target.arrived.length, 1);
});

t.test('killed after a report was taken and before that was noted: handed in twice, taken once', async (t) => {
  const { control, target, started, again } = await house(t);
  control.lose('complete', 'answer', 'answer', 'answer');
  control.request(text);
  await until(() => control.completed.length === 1);
  await started.kill();
  const other = (await again()).executor;
  await until(async () => (await other.status()).state === 'idle' && (await other.status()).waiting === 0);
  t.ok(control.count('complete') >= 2);
  t.equal(control.completed.length, 1);
  t.equal(target.arrived.length, 1);
});

t.test('a run that comes once more is answered with its fate and never sent again', async (t) => {
  const { control, target, started } = await house(t);
  const run = control.request(text);
  await until(() => control.completed.length === 1);
  control.offerAgain(run, text);
  await until(() => control.completed.length === 2);
  t.match(control.completed[1]?.report, { run_id: run, failure: { kind: 'executor_lost' } });
  t.equal(target.arrived.length, 1);
  t.ok(started.logged.some((line) => line.includes('had been started before')));
});

t.test('a text that this executor cannot read ends its run with the reason', async (t) => {
  const { control, target } = await house(t);
  control.request('# nothing');
  control.request(text);
  await until(() => control.completed.length === 2);
  t.match(control.completed[0]?.report, { result: 'failed', failure: { message: /cannot be used/ } });
  t.equal(control.completed[1]?.report.result, 'passed');
  t.equal(target.arrived.length, 1);
});
