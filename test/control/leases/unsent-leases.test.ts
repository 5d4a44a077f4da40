/** A lease whose send was never announced is leased again; at most one announcement of a run is ever accepted. */
import t, { type Test } from 'tap';
import type { Lease } from '../../../src/contract/executor-api.ts';
import { eventually } from '../../eventually.ts';
import { openTestControl, openTestControlWithApp } from '../control-fixture.ts';
import { greet, journalOf, requestTestRun } from './lease-fixture.ts';

const poll = { in_hand: null, wait_ms: 0, announces_send: true } as const;

/** A run is leased to an executor that announces each send. */
async function startUnsentLease(t: Test) {
  const testControl = await openTestControlWithApp(t);
  const { control } = testControl;
  const { welcome } = await greet(control, 'start-one');
  const runId = await requestTestRun(control);
  const port = control.executorPort('app');
  const journal = journalOf(welcome);
  const { lease } = await port.poll({ epoch: welcome.epoch, ...poll, journal });
  if (!lease) throw new Error('no lease');
  const announce = (epoch: number, { run_id, fence }: Lease) =>
    port.heartbeat({ epoch, run_id, fence, before_send: true });
  return { ...testControl, port, journal, runId, lease, epoch: welcome.epoch, announce };
}

t.test('an executor restarts before it announced the send: the run is leased again', async (t) => {
  const { control, port, journal, runId, lease, epoch, announce } = await startUnsentLease(t);
  await requestTestRun(control);
  const { welcome } = await greet(control, 'start-two', { journal });
  const again = await port.poll({ epoch: welcome.epoch, ...poll });
  t.match(again.lease, { run_id: runId }, 'before those that were requested later');
  t.ok((again.lease?.fence ?? 0) > lease.fence);
  await t.rejects(announce(epoch, lease), { code: 'EXECUTOR_SUPERSEDED' }, 'the earlier start may not send any more');
  t.match(await announce(welcome.epoch, lease), { lease_ms: 0 }, 'nor may anybody with the earlier lease');
  t.match(await announce(welcome.epoch, again.lease as Lease), { lease_ms: 30_000 });
});

t.test('an executor restarts after it announced the send: the run is lost, whatever its journal says', async (t) => {
  const { control, port, journal, runId, lease, epoch, announce } = await startUnsentLease(t);
  t.match(await announce(epoch, lease), { lease_ms: 30_000, cancel_requested: false });
  const { welcome } = await greet(control, 'start-two', { journal });
  t.match(await control.runs.get(runId), { state: 'failed', failure_kind: 'executor_lost' });
  t.same((await port.poll({ epoch: welcome.epoch, ...poll })).lease, null);
});

t.test('a journal that knows the run would not send it again: it is lost', async (t) => {
  const { control, journal, runId } = await startUnsentLease(t);
  await greet(control, 'start-two', { journal, started: [runId] });
  t.match(await control.runs.get(runId), { state: 'failed', failure_kind: 'executor_lost' });
});

t.test('an executor of 0.4.0 announces nothing, and a lease that came with a report counts as sent', async (t) => {
  const { control, port, journal, runId, lease, epoch } = await startUnsentLease(t);
  await port.giveBack({ epoch, run_id: runId, fence: lease.fence });
  await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  await greet(control, 'start-two', { journal });
  t.match(await control.runs.get(runId), { state: 'failed', failure_kind: 'executor_lost' });
});

t.test('after a restart of the control plane a lease counts as sent', async (t) => {
  const { control, folder, journal, runId } = await startUnsentLease(t);
  await control.close();
  const { control: again } = await openTestControl(t, { folder });
  await greet(again, 'start-two', { journal });
  t.match(await again.runs.get(runId), { state: 'failed', failure_kind: 'executor_lost' });
});

t.test('a lease of an executor that never comes back returns to the queue when it ends', async (t) => {
  const { control, clock, port, runId, lease, epoch, announce } = await startUnsentLease(t);
  clock.advance(30_001);
  await eventually(async () => (await control.runs.get(runId)).state === 'queued');
  t.match(await announce(epoch, lease), { lease_ms: 0 }, 'the frozen executor wakes up, and may not send it');
  const { lease: next } = await port.poll({ epoch, ...poll });
  t.match(next, { run_id: runId, fence: lease.fence + 1 });
  t.match(await announce(epoch, next as Lease), { lease_ms: 30_000 });
  clock.advance(30_001);
  await eventually(async () => (await control.runs.get(runId)).state === 'failed');
  t.match(await control.runs.get(runId), { failure_kind: 'executor_lost' }, 'once announced it is lost');
});

t.test('a run that was cancelled meanwhile ends as cancelled, and whoever waits for it is answered', async (t) => {
  const { control, journal, runId } = await startUnsentLease(t);
  await control.runs.cancel(runId);
  const ended = control.runs.wait(runId, 60_000);
  await greet(control, 'start-two', { journal });
  t.match(await ended, { state: 'cancelled' });
});

t.test(
  'the connection of a poll breaks while its lease is committed: the next poll takes the run at once',
  async (t) => {
    const { control, port, runId, lease, epoch } = await startUnsentLease(t);
    await port.giveBack({ epoch, run_id: runId, fence: lease.fence });
    const connection = new AbortController();
    const dead = port.poll({ epoch, ...poll, wait_ms: 60_000 }, connection.signal);
    connection.abort();
    t.same((await dead).lease, null);
    t.match(await control.runs.get(runId), { state: 'queued' });
    t.match(await port.poll({ epoch, ...poll }), { lease: { run_id: runId, fence: lease.fence + 2 } });
  },
);
