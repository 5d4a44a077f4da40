import t, { type Test } from 'tap';
import type { Lease } from '../../src/contract/executor-api.ts';
import type { OpenControl } from '../../src/control/open.ts';
import { wordsOf } from '../../src/errors/vp-error.ts';
import { aReport, aScenario } from './a-report.ts';
import { opened, openedWithApp } from './opened.ts';

const greeting = { protocol: 1, executor_version: '0.4.0', store_id: 'store-one', target: 'http://app:3100' };

async function hello(
  control: OpenControl,
  journal: { started?: string[]; finished?: string[]; store_id?: string } = {},
) {
  const port = control.executorOf('app');
  return { port, ...(await port.hello({ ...greeting, started: [], finished: [], ...journal })) };
}

async function requestOne(control: OpenControl): Promise<string> {
  const [run] = await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'ana' });
  return run?.run_id ?? '';
}

/** Registered, greeted, one run leased. */
async function leased(t: Test) {
  const all = await openedWithApp(t);
  const runId = await requestOne(all.control);
  const executor = await hello(all.control);
  const { lease } = await executor.port.poll({ epoch: executor.epoch, in_hand: null, wait_ms: 0 });
  return { ...all, ...executor, runId, lease: lease as Lease };
}

const stateOf = async (control: OpenControl, runId: string): Promise<string> => (await control.runs.get(runId)).state;

t.test('a lease carries the text and revision of the moment of the request', async (t) => {
  const { control, port, epoch } = await leased(t);
  await requestOne(control);
  const text = aScenario('RT-GET-document', 'body has count');
  await control.catalogue.write('app', 'RT-GET-document', { text }, { name: 'ana' });
  const first = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  await port.complete({
    ...{ epoch, run_id: first.lease?.run_id ?? '', fence: first.lease?.fence ?? 0, more: false },
    report: aReport(first.lease as Lease, 'app'),
  });
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  t.match(lease, { revision: 1, scenario_text: aScenario() });
});

t.test('a lease whose answer was lost is offered again to the same start, with the same fence', async (t) => {
  const { port, epoch, lease } = await leased(t);
  const again = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  t.match(again.lease, { run_id: lease.run_id, fence: lease.fence });
  t.same(await port.poll({ epoch, in_hand: lease.run_id, wait_ms: 0 }), { lease: null });
});

t.test('a waiting poll is answered as soon as a run is requested', async (t) => {
  const { control } = await openedWithApp(t);
  const { port, epoch } = await hello(control);
  const offer = port.poll({ epoch, in_hand: null, wait_ms: 60_000 });
  await new Promise((resolve) => setImmediate(resolve));
  const runId = await requestOne(control);
  t.equal((await offer).lease?.run_id, runId);
});

t.test('the waiting counts towards the lease that the executor sees, because its clock counts it too', async (t) => {
  const { control, clock } = await openedWithApp(t);
  const { port, epoch, lease_ms } = await hello(control);
  const offer = port.poll({ epoch, in_hand: null, wait_ms: 60_000 });
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(20_000);
  await requestOne(control);
  t.equal((await offer).lease?.lease_ms, lease_ms + 20_000);
});

t.test('complete hands out the next lease in the same answer', async (t) => {
  const { control, port, epoch, lease } = await leased(t);
  const next = await requestOne(control);
  const { run_id, fence } = lease;
  const offer = await port.complete({ epoch, run_id, fence, more: true, report: aReport(lease, 'app') });
  t.equal(offer.lease?.run_id, next);
  t.ok((offer.lease?.fence ?? 0) > fence);
});

t.test('a repeated report changes nothing and gives the lease of the lost answer again', async (t) => {
  const { control, port, epoch, lease } = await leased(t);
  const next = await requestOne(control);
  const { run_id, fence } = lease;
  const message = { epoch, run_id, fence, more: true, report: aReport(lease, 'app') };
  await port.complete(message);
  const again = await port.complete({ ...message, report: aReport(lease, 'app', 'failed') });
  t.equal(again.lease?.run_id, next);
  t.match(await control.runs.get(run_id), { state: 'passed', report: { result: 'passed' }, late_report: null });
});

t.test('a lease without a sign of life ends the run as executor_lost, and the queue goes on', async (t) => {
  const { control, clock, port, epoch, lease } = await leased(t);
  const next = await requestOne(control);
  clock.advance(29_000);
  t.match(await port.heartbeat({ epoch, run_id: lease.run_id, fence: lease.fence }), { lease_ms: 30_000 });
  clock.advance(29_000);
  t.equal(await stateOf(control, lease.run_id), 'in_progress', 'the heartbeat renewed it');
  clock.advance(1_001);
  const ended = await control.runs.wait(lease.run_id, 0);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  t.match(await control.runs.get(lease.run_id), { state: 'failed', failure_kind: 'executor_lost' }, ended.state);
  const { message, cure } = wordsOf('RUN_EXECUTOR_LOST', { instance: 'app', reason: 'lease ended' });
  t.match((await control.runs.report(lease.run_id)).failure, { kind: 'executor_lost', message, cure });
  t.match(await port.heartbeat({ epoch, run_id: lease.run_id, fence: lease.fence }), { lease_ms: 0 });
  t.equal((await port.poll({ epoch, in_hand: null, wait_ms: 0 })).lease?.run_id, next);
});

t.test('a report that comes after its run was given up is kept beside it', async (t) => {
  const { control, clock, port, epoch, lease } = await leased(t);
  clock.advance(30_001);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const { run_id, fence } = lease;
  await port.complete({ epoch, run_id, fence, more: false, report: aReport(lease, 'app') });
  t.match(await control.runs.get(run_id), {
    ...{
      state: 'failed',
      failure_kind: 'executor_lost',
      report: { failure: { kind: 'executor_lost' }, checks: [{ outcome: 'not_judged' }, {}] },
    },
    late_report: { result: 'passed' },
  });
});

t.test('a new start supersedes the older one', async (t) => {
  const { control, port, epoch, lease } = await leased(t);
  await hello(control);
  const { run_id, fence } = lease;
  const superseded = { code: 'EXECUTOR_SUPERSEDED' };
  await t.rejects(port.poll({ epoch, in_hand: null, wait_ms: 0 }), superseded);
  await t.rejects(port.heartbeat({ epoch, run_id, fence }), superseded);
  await t.rejects(port.giveBack({ epoch, run_id, fence }), superseded);
  await t.rejects(port.complete({ epoch, run_id, fence, more: false, report: aReport(lease, 'app') }), superseded);
});

t.test('a poll that waits is ended when another start takes over', async (t) => {
  const { control } = await openedWithApp(t);
  const { port, epoch } = await hello(control);
  const waiting = port.poll({ epoch, in_hand: null, wait_ms: 60_000 });
  await new Promise((resolve) => setImmediate(resolve));
  const refused = t.rejects(waiting, { code: 'EXECUTOR_SUPERSEDED' });
  await hello(control);
  await refused;
});

t.test('after a restart of the executor', async (t) => {
  await t.test('a run that had started is lost and never sent again', async (t) => {
    const { control, runId } = await leased(t);
    await hello(control, { started: [runId] });
    t.match(await control.runs.get(runId), {
      state: 'failed',
      failure_kind: 'executor_lost',
      failure_message: /restarted/,
    });
  });
  await t.test('a run that had not started is leased again', async (t) => {
    const { control, runId, lease } = await leased(t);
    const { port, epoch } = await hello(control);
    const again = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
    t.equal(again.lease?.run_id, runId);
    t.ok((again.lease?.fence ?? 0) > lease.fence);
  });
  await t.test('a run whose report waits in the outbox is kept for it', async (t) => {
    const { control, runId, lease } = await leased(t);
    const { port, epoch } = await hello(control, { finished: [runId] });
    t.equal(await stateOf(control, runId), 'in_progress');
    await port.complete({ epoch, run_id: runId, fence: lease.fence, more: false, report: aReport(lease, 'app') });
    t.equal(await stateOf(control, runId), 'passed');
  });
  await t.test('a run whose journal is gone counts as started', async (t) => {
    const { control, runId } = await leased(t);
    await hello(control, { store_id: 'store-two' });
    t.match(await control.runs.get(runId), { failure_kind: 'executor_lost', failure_message: /store replaced/ });
  });
});

t.test('a run given back stands first in the queue again', async (t) => {
  const { control, port, epoch, lease } = await leased(t);
  await requestOne(control);
  await port.giveBack({ epoch, run_id: lease.run_id, fence: lease.fence });
  t.equal(await stateOf(control, lease.run_id), 'queued');
  t.equal((await port.poll({ epoch, in_hand: null, wait_ms: 0 })).lease?.run_id, lease.run_id);
});

t.test('cancelling a leased run asks its executor; what it reports stands', async (t) => {
  const { control, port, epoch, lease } = await leased(t);
  const { run_id, fence } = lease;
  t.match(await control.runs.cancel(run_id), { state: 'in_progress', cancel_requested: true });
  t.match(await port.heartbeat({ epoch, run_id, fence }), { cancel_requested: true });
  await port.complete({ epoch, run_id, fence, more: false, report: aReport(lease, 'app', null) });
  t.match(await control.runs.get(run_id), { state: 'cancelled', result: null });
  await t.rejects(control.runs.cancel(run_id), { code: 'RUN_FINAL' });
});

t.test('a cancelled run that is given back ends as cancelled', async (t) => {
  const { control, port, epoch, lease } = await leased(t);
  await control.runs.cancel(lease.run_id);
  await port.giveBack({ epoch, run_id: lease.run_id, fence: lease.fence });
  t.equal(await stateOf(control, lease.run_id), 'cancelled');
});

t.test('a restart of the control plane or a jump of the clock ends no lease', async (t) => {
  const { control, clock, folder, lease, epoch } = await leased(t);
  clock.jump(86_400_000);
  clock.advance(29_000);
  await control.close();
  const { control: again } = await opened(t, { folder, clock });
  clock.advance(29_000);
  t.equal(await stateOf(again, lease.run_id), 'in_progress', 'the full length counts from the restart');
  const { run_id, fence } = lease;
  await again.executorOf('app').complete({ epoch, run_id, fence, more: false, report: aReport(lease, 'app') });
  t.equal(await stateOf(again, run_id), 'passed');
});

t.test('an unknown protocol is refused, the one before is served', async (t) => {
  const { control } = await openedWithApp(t);
  const port = control.executorOf('app');
  const message = { ...greeting, started: [], finished: [] };
  await t.rejects(port.hello({ ...message, protocol: 2 }), { code: 'EXECUTOR_PROTOCOL_UNKNOWN' });
  await t.resolves(port.hello({ ...message, protocol: 0 }));
});

t.test('a report of another run or instance is refused', async (t) => {
  const { port, epoch, lease } = await leased(t);
  const { run_id, fence } = lease;
  const mismatch = { code: 'REPORT_MISMATCH' };
  await t.rejects(port.complete({ epoch, run_id, fence, more: false, report: aReport(lease, 'other') }), mismatch);
  const foreign = aReport({ ...lease, run_id: '20200101T000000000' }, 'app');
  await t.rejects(port.complete({ epoch, run_id, fence, more: false, report: foreign }), mismatch);
});

t.test('a direct run is stored once, under its own id or the next free one', async (t) => {
  const { control, port, epoch, runId } = await leased(t);
  const direct = { run_id: runId, correlation_id: 'tr-direct-1', scenario_id: 'RT-GET-document' };
  const report = { ...aReport(direct, 'app'), origin: 'direct' as const };
  await port.directRun({ epoch, scenario_text: aScenario(), report });
  await port.directRun({ epoch, scenario_text: aScenario(), report });
  const { items } = await control.runs.list({ instance: 'app' }, { limit: 10 });
  t.equal(items.length, 2);
  t.match(items[0], { origin: 'direct', state: 'passed', correlation_id: 'tr-direct-1' });
  t.not(items[0]?.run_id, runId, 'the id was taken by a queued run');
});

t.test('a report of a direct run, or of another scenario, is never taken for a queued run', async (t) => {
  const { control, port, epoch, lease } = await leased(t);
  const { run_id, fence } = lease;
  const wrong = [
    aReport({ ...lease, correlation_id: 'tr-another' }, 'app'),
    aReport({ ...lease, scenario_id: 'RT-GET-other' }, 'app'),
  ];
  for (const report of wrong)
    await t.rejects(port.complete({ epoch, run_id, fence, more: false, report }), { code: 'REPORT_MISMATCH' });
  t.equal(await stateOf(control, run_id), 'in_progress');
  const direct = { run_id: '20261120T143012111', correlation_id: 'tr-direct-2', scenario_id: 'RT-GET-document' };
  const report = { ...aReport(direct, 'app'), origin: 'direct' as const };
  await port.directRun({ epoch, scenario_text: aScenario(), report });
  await t.rejects(port.complete({ epoch, run_id: direct.run_id, fence, more: false, report }), {
    code: 'REPORT_MISMATCH',
  });
});

t.test("an executor can say nothing about another instance's run", async (t) => {
  const { control, lease } = await leased(t);
  await control.instances.create({ instance_id: 'other' }, { name: 'owner' });
  const other = control.executorOf('other');
  const { epoch } = await other.hello({ ...greeting, store_id: 'store-other', started: [], finished: [] });
  const { run_id, fence } = lease;
  const report = aReport(lease, 'other');
  await t.rejects(other.complete({ epoch, run_id, fence, more: false, report }), { code: 'RUN_UNKNOWN' });
  t.match(await control.runs.get(run_id), { state: 'in_progress', late_report: null });
});

t.test('a report with an id ahead of the clock is refused, and ids go on as before', async (t) => {
  const { control, clock, folder, port, epoch, lease } = await leased(t);
  const far = { run_id: '99991231T235959999', correlation_id: 'tr-far', scenario_id: 'RT-GET-document' };
  const message = { epoch, run_id: far.run_id, fence: lease.fence, more: false, report: aReport(far, 'app') };
  await t.rejects(port.complete(message), { code: 'RUN_UNKNOWN' });
  await control.close();
  const { control: again } = await opened(t, { folder, clock });
  t.match(await requestOne(again), /^20261120T/);
});

t.test('moments that are none are refused, not kept', async (t) => {
  const { port, epoch, lease } = await leased(t);
  const report = { ...aReport(lease, 'app'), started_at: '2026-12-31T23:59:60Z' };
  await t.rejects(port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report }), {
    code: 'REQUEST_INVALID',
    message: /report\.started_at/,
  });
});

t.test('a repeated direct run is counted once', async (t) => {
  const { control, port, epoch } = await leased(t);
  const direct = { run_id: '20261120T143012111', correlation_id: 'tr-direct-3', scenario_id: 'RT-GET-document' };
  const report = { ...aReport(direct, 'app'), origin: 'direct' as const };
  const before = control.gauges.totals().passed;
  for (let time = 0; time < 2; time += 1) await port.directRun({ epoch, scenario_text: aScenario(), report });
  t.equal(control.gauges.totals().passed, before + 1);
});

t.test('the report of a lost run says how long it waited and how long it was held', async (t) => {
  const { control, clock, lease } = await leased(t);
  clock.advance(30_001);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  t.match((await control.runs.report(lease.run_id)).timings, { queued_ms: 0, total_ms: 30_001 });
});
