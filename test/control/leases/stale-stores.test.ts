/** An older copy of a store, on either side, is noticed by what the other side was told, and nothing is sent twice. */
import { cpSync, rmSync } from 'node:fs';
import t, { type Test } from 'tap';
import type { Lease } from '../../../src/contract/executor-api.ts';
import { openTestControl, openTestControlWithApp } from '../control-fixture.ts';
import { completeRun, greet, journalOf, requestTestRun } from './lease-fixture.ts';

const poll = { in_hand: null, wait_ms: 0 } as const;

t.test('an executor whose folder is an older copy', async (t) => {
  await t.test('of an earlier start: it is told, and the run in progress counts as started', async (t) => {
    const { control } = await openTestControlWithApp(t);
    const port = control.executorPort('app');
    const first = await greet(control, 'start-one');
    const copy = journalOf(first.welcome, { seq: 2 });
    const { welcome } = await greet(control, 'start-two', { journal: copy });
    t.equal(welcome.stale_store, undefined, 'an ordinary restart');
    const runId = await requestTestRun(control);
    const journal = journalOf(welcome, { seq: 4 });
    t.match(await port.poll({ epoch: welcome.epoch, ...poll, journal }), { lease: { run_id: runId } });
    t.equal((await greet(control, 'start-three', { journal: copy })).welcome.stale_store, 'executor');
    t.match(await control.runs.get(runId), { failure_kind: 'executor_lost', failure_message: /older copy/ });
    t.match(await control.instances.get('app'), { stale_store: { store: 'executor' } });
    t.match(control.gauges.totals(), { staleStores: { executor: 1, 'control plane': 0 } });
  });
  await t.test('of the same start: its sequence shows it, also after a restart of the control plane', async (t) => {
    const { control, folder } = await openTestControlWithApp(t);
    const { welcome } = await greet(control, 'start-one');
    await requestTestRun(control);
    const copy = journalOf(welcome, { seq: 5 });
    await control.executorPort('app').poll({ epoch: welcome.epoch, ...poll, journal: { ...copy, seq: 6 } });
    await control.close();
    const { control: again } = await openTestControl(t, { folder });
    t.equal((await greet(again, 'start-two', { journal: copy })).welcome.stale_store, 'executor');
  });
  await t.test(
    'of the same run: how far it has come is committed with a run in hand, and a late message is behind',
    async (t) => {
      const { control, folder } = await openTestControlWithApp(t);
      const { welcome } = await greet(control, 'start-one');
      const runId = await requestTestRun(control);
      const copy = journalOf(welcome, { seq: 5 });
      const port = control.executorPort('app');
      const { epoch } = welcome;
      t.match(await port.poll({ epoch, ...poll, journal: copy }), { lease: { run_id: runId } });
      for (const seq of [7, 6])
        t.same((await port.poll({ epoch, ...poll, in_hand: runId, journal: { ...copy, seq } })).lease, null);
      await control.close();
      const { control: again } = await openTestControl(t, { folder });
      const journal = { ...copy, seq: 6 };
      t.equal((await greet(again, 'start-two', { journal })).welcome.stale_store, 'executor');
    },
  );
  await t.test('made while it waited for work: nothing shows it, and the run is not sent again either', async (t) => {
    const { control } = await openTestControlWithApp(t);
    const { welcome } = await greet(control, 'start-one');
    const journal = journalOf(welcome);
    const runId = await requestTestRun(control);
    await control.executorPort('app').poll({ epoch: welcome.epoch, ...poll, journal });
    const { welcome: next } = await greet(control, 'start-two', { journal });
    t.match(await control.runs.get(runId), { state: 'failed', failure_kind: 'executor_lost' });
    t.same((await control.executorPort('app').poll({ epoch: next.epoch, ...poll })).lease, null);
  });
  await t.test('an ordinary restart, a new folder and a new registration are not told', async (t) => {
    const { control } = await openTestControlWithApp(t);
    const { welcome } = await greet(control, 'start-one');
    const journal = journalOf(welcome, { seq: 9 });
    await control.executorPort('app').poll({ epoch: welcome.epoch, ...poll, journal });
    const restarted = await greet(control, 'start-two', { journal: { ...journal, seq: 10 } });
    t.equal(restarted.welcome.stale_store, undefined);
    const fresh = await greet(control, 'start-three', { store_id: 'store-two' });
    t.equal(fresh.welcome.stale_store, undefined);
    t.match(await control.instances.get('app'), { stale_store: null });
  });
});

/** A control plane whose store goes back to before `later`. */
async function goBack(t: Test, later: (env: Awaited<ReturnType<typeof openTestControlWithApp>>) => Promise<void>) {
  const first = await openTestControlWithApp(t);
  const { folder } = first;
  await first.control.close();
  const copy = `${folder}-copy`;
  t.teardown(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(folder, copy, { recursive: true });
  const { control, clock } = await openTestControl(t, { folder });
  await later({ control, clock, folder });
  await control.close();
  return openTestControl(t, { folder: copy });
}

t.test('a control plane whose store is an older copy', async (t) => {
  await t.test('an executor that was told a later start greets again; epochs jump ahead', async (t) => {
    let journal = journalOf({ epoch: 0 } as never);
    const { control } = await goBack(t, async ({ control }) => {
      journal = journalOf((await greet(control, 'start-one')).welcome);
    });
    const port = control.executorPort('app');
    const queued = await requestTestRun(control);
    await t.rejects(port.poll({ epoch: journal.epoch, ...poll, journal }), { code: 'CONTROL_STORE_STALE' });
    t.match(await control.runs.get(queued), { state: 'queued' }, 'nothing is leased before that');
    const { welcome } = await greet(control, 'start-two', { journal });
    t.match(welcome, { stale_store: 'control plane' });
    t.ok(welcome.epoch > journal.epoch + 1000);
    t.match(await control.runs.get(queued), { state: 'cancelled' }, 'it may have run since');
    t.match(await control.instances.get('app'), { stale_store: { store: 'control plane' } });
    const next = await requestTestRun(control);
    const offer = await port.poll({ epoch: welcome.epoch, ...poll, journal: journalOf(welcome) });
    t.match(offer, { lease: { run_id: next } }, 'and work goes on');
    t.ok((offer.lease?.fence ?? 0) > 1000);
  });
  await t.test('acknowledged reports are missing: the number of finished runs shows it', async (t) => {
    const { control, folder } = await openTestControlWithApp(t);
    const { welcome } = await greet(control, 'start-one');
    const runId = await requestTestRun(control);
    const journal = journalOf(welcome, { seq: 2 });
    const { lease } = await control.executorPort('app').poll({ epoch: welcome.epoch, ...poll, journal });
    await control.close();
    const copy = `${folder}-copy`;
    t.teardown(() => rmSync(copy, { recursive: true, force: true }));
    cpSync(folder, copy, { recursive: true });
    const { control: later } = await openTestControl(t, { folder });
    const acknowledged = await completeRun(later, welcome.epoch, lease as Lease, journal);
    t.equal(acknowledged.run_totals?.passed, 1);
    await later.close();
    const { control: older } = await openTestControl(t, { folder: copy });
    const known = { ...journal, fence: (lease as Lease).fence, finished_runs: 1 };
    const refused = older.executorPort('app').poll({ epoch: welcome.epoch, ...poll, journal: known });
    await t.rejects(refused, { code: 'CONTROL_STORE_STALE', message: /finished runs 1, not 0/ });
    const again = await greet(older, 'start-two', { journal: known });
    t.equal(again.welcome.stale_store, 'control plane');
    t.match(await older.runs.get(runId), { state: 'failed', failure_message: /older copy/ }, 'not leased again');
  });
  await t.test('what was told before a restore, or about another registration, says nothing', async (t) => {
    const { control } = await openTestControlWithApp(t);
    const journal = { seq: 4, registered_at_ms: 1, epoch: 70, fence: 90, finished_runs: 40 };
    t.equal((await greet(control, 'start-one', { journal })).welcome.stale_store, undefined);
  });
});
