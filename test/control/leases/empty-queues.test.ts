/** The poll behind a report that found the queue empty waits without a look; what happened in between, it notices all the same. */
import t, { type Test } from 'tap';
import { executorFeatures } from '../../../src/contract/executor-api.ts';
import { createEmptyQueues } from '../../../src/control/leases/empty-queues.ts';
import { openTestControlWithApp } from '../control-fixture.ts';
import { createTestReport } from '../report-fixture.ts';
import { greet, journalOf, requestTestRun } from './lease-fixture.ts';

/** A run has ended, and its report brought no lease. */
async function endRun(t: Test) {
  const { control } = await openTestControlWithApp(t);
  const { welcome } = await greet(control, 'start-one');
  const port = control.executorPort('app');
  const caller = { epoch: welcome.epoch, journal: journalOf(welcome), features: executorFeatures };
  const poll = { ...caller, in_hand: null, wait_ms: 60_000 } as const;
  const run_id = await requestTestRun(control);
  const { lease } = await port.poll({ ...poll, wait_ms: 0 });
  if (!lease) throw new Error('no run was leased');
  const report = createTestReport(lease, 'app');
  t.equal((await port.complete({ ...caller, run_id, fence: lease.fence, more: true, report })).lease, null);
  return { control, port, poll };
}

t.test('a run that is requested before the poll is leased to it', async (t) => {
  const { control, port, poll } = await endRun(t);
  const run_id = await requestTestRun(control);
  t.match((await port.poll(poll)).lease, { run_id });
});

t.test('one that is requested while the poll waits is leased to it', async (t) => {
  const { control, port, poll } = await endRun(t);
  const offer = port.poll(poll);
  const run_id = await requestTestRun(control);
  t.match((await offer).lease, { run_id });
});

t.test('a poll that does not wait gets no lease, and the one behind it looks again', async (t) => {
  const { control, port, poll } = await endRun(t);
  t.match(await port.poll({ ...poll, wait_ms: 0 }), { lease: null, run_totals: { passed: 1 } });
  const run_id = await requestTestRun(control);
  t.match((await port.poll(poll)).lease, { run_id });
});

t.test('an executor that was superseded hears it at once', async (t) => {
  const { control, port, poll } = await endRun(t);
  await greet(control, 'start-two');
  await t.rejects(port.poll(poll), { code: 'EXECUTOR_SUPERSEDED' });
});

t.test('so does one whose instance was removed', async (t) => {
  const { control, port, poll } = await endRun(t);
  await control.instances.remove('app');
  await t.rejects(port.poll(poll), { code: 'INSTANCE_REMOVED' });
});

t.test('a note counts for the next poll of its start, unless something came in between', (t) => {
  const queues = createEmptyQueues();
  t.equal(queues.take('app', 1), false);
  queues.begin('app').note(1);
  t.equal(queues.take('app', 2), false, 'another start');
  queues.begin('app').note(1);
  t.equal(queues.take('app', 1), true);
  t.equal(queues.take('app', 1), false, 'once');
  const look = queues.begin('app');
  queues.forget('app');
  look.note(1);
  t.equal(queues.take('app', 1), false, 'a run was queued during the transaction');
  t.end();
});
