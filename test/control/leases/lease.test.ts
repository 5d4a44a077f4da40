import t, { type Test } from 'tap';
import type { Lease } from '../../../src/contract/executor-api.ts';
import type { OpenControl } from '../../../src/control/open-control.ts';
import { formatError } from '../../../src/errors/vp-error.ts';
import { eventually } from '../../eventually.ts';
import { openTestControl, openTestControlWithApp } from '../control-fixture.ts';
import { createScenarioText, createTestReport } from '../report-fixture.ts';

const helloMessage = { protocol: 1, executor_version: '0.4.0', store_id: 'store-one', target: 'http://app:3100' };

async function hello(
  control: OpenControl,
  journal: { started?: string[]; finished?: string[]; store_id?: string } = {},
) {
  const port = control.executorPort('app');
  return { port, ...(await port.hello({ ...helloMessage, started: [], finished: [], ...journal })) };
}

async function requestRun(control: OpenControl): Promise<string> {
  const [run] = await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'ana' });
  return run?.run_id ?? '';
}

/** A control plane with an executor that has leased one run. */
async function startLeasedRun(t: Test) {
  const testControl = await openTestControlWithApp(t);
  const runId = await requestRun(testControl.control);
  const executor = await hello(testControl.control);
  const { lease } = await executor.port.poll({ epoch: executor.epoch, in_hand: null, wait_ms: 0 });
  return { ...testControl, ...executor, runId, lease: lease as Lease };
}

const getState = async (control: OpenControl, runId: string): Promise<string> => (await control.runs.get(runId)).state;

t.test('a lease has the text and revision at the time of the request', async (t) => {
  const { control, port, epoch } = await startLeasedRun(t);
  await requestRun(control);
  const text = createScenarioText('RT-GET-document', 'body has count');
  await control.catalogue.write('app', 'RT-GET-document', { text }, { name: 'ana' });
  const first = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  await port.complete({
    ...{ epoch, run_id: first.lease?.run_id ?? '', fence: first.lease?.fence ?? 0, more: false },
    report: createTestReport(first.lease as Lease, 'app'),
  });
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  t.match(lease, { revision: 1, scenario_text: createScenarioText() });
});

t.test('a lease whose response was lost is offered again to the same epoch, with the same fence', async (t) => {
  const { port, epoch, lease } = await startLeasedRun(t);
  const reopened = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  t.match(reopened.lease, { run_id: lease.run_id, fence: lease.fence });
  t.match(await port.poll({ epoch, in_hand: lease.run_id, wait_ms: 0 }), { lease: null });
});

t.test('a waiting poll returns as soon as a run is requested', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const { port, epoch } = await hello(control);
  const offer = port.poll({ epoch, in_hand: null, wait_ms: 60_000 });
  await new Promise((resolve) => setImmediate(resolve));
  const runId = await requestRun(control);
  t.equal((await offer).lease?.run_id, runId);
});

t.test('the time of waiting is added to the lease, because the executor counts from its request', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const { port, epoch, lease_ms } = await hello(control);
  const offer = port.poll({ epoch, in_hand: null, wait_ms: 60_000 });
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(20_000);
  await requestRun(control);
  t.equal((await offer).lease?.lease_ms, lease_ms + 20_000);
});

t.test('complete returns the next lease in its response', async (t) => {
  const { control, port, epoch, lease } = await startLeasedRun(t);
  const next = await requestRun(control);
  const { run_id, fence } = lease;
  const offer = await port.complete({ epoch, run_id, fence, more: true, report: createTestReport(lease, 'app') });
  t.equal(offer.lease?.run_id, next);
  t.ok((offer.lease?.fence ?? 0) > fence);
});

t.test('a repeated report changes nothing and returns the lease of the lost response again', async (t) => {
  const { control, port, epoch, lease } = await startLeasedRun(t);
  const next = await requestRun(control);
  const { run_id, fence } = lease;
  const message = { epoch, run_id, fence, more: true, report: createTestReport(lease, 'app') };
  await port.complete(message);
  const reopened = await port.complete({ ...message, report: createTestReport(lease, 'app', 'failed') });
  t.equal(reopened.lease?.run_id, next);
  t.match(await control.runs.get(run_id), { state: 'passed', report: { result: 'passed' }, late_report: null });
});

t.test('a lease without a heartbeat ends the run as executor_lost, and the queue continues', async (t) => {
  const { control, clock, port, epoch, lease } = await startLeasedRun(t);
  const next = await requestRun(control);
  clock.advance(29_000);
  t.match(await port.heartbeat({ epoch, run_id: lease.run_id, fence: lease.fence }), { lease_ms: 30_000 });
  clock.advance(29_000);
  t.equal(await getState(control, lease.run_id), 'in_progress', 'the heartbeat renewed it');
  clock.advance(1_001);
  await eventually(async () => (await getState(control, lease.run_id)) === 'failed');
  t.match(await control.runs.get(lease.run_id), { state: 'failed', failure_kind: 'executor_lost' });
  const { message, cure } = formatError('RUN_EXECUTOR_LOST', { instance: 'app', reason: 'lease ended' });
  t.match((await control.runs.report(lease.run_id)).failure, { kind: 'executor_lost', message, cure });
  t.match(await port.heartbeat({ epoch, run_id: lease.run_id, fence: lease.fence }), { lease_ms: 0 });
  t.equal((await port.poll({ epoch, in_hand: null, wait_ms: 0 })).lease?.run_id, next);
});

t.test('a report that arrives after its run was lost is stored as a late report', async (t) => {
  const { control, clock, port, epoch, lease } = await startLeasedRun(t);
  clock.advance(30_001);
  await eventually(async () => (await getState(control, lease.run_id)) === 'failed');
  const { run_id, fence } = lease;
  await port.complete({ epoch, run_id, fence, more: false, report: createTestReport(lease, 'app') });
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
  const { control, port, epoch, lease } = await startLeasedRun(t);
  await hello(control);
  const { run_id, fence } = lease;
  const superseded = { code: 'EXECUTOR_SUPERSEDED' };
  await t.rejects(port.poll({ epoch, in_hand: null, wait_ms: 0 }), superseded);
  await t.rejects(port.heartbeat({ epoch, run_id, fence }), superseded);
  await t.rejects(port.giveBack({ epoch, run_id, fence }), superseded);
  await t.rejects(
    port.complete({ epoch, run_id, fence, more: false, report: createTestReport(lease, 'app') }),
    superseded,
  );
});

t.test('a waiting poll ends when another start takes over', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const { port, epoch } = await hello(control);
  const waiting = port.poll({ epoch, in_hand: null, wait_ms: 60_000 });
  await new Promise((resolve) => setImmediate(resolve));
  const refused = t.rejects(waiting, { code: 'EXECUTOR_SUPERSEDED' });
  await hello(control);
  await refused;
});

t.test('a waiting poll ends with INSTANCE_REMOVED when the instance is removed', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const { port, epoch } = await hello(control);
  const waiting = port.poll({ epoch, in_hand: null, wait_ms: 60_000 });
  await new Promise((resolve) => setImmediate(resolve));
  const refused = t.rejects(waiting, { code: 'INSTANCE_REMOVED' });
  await control.instances.remove('app');
  await refused;
  await t.rejects(port.poll({ epoch, in_hand: null, wait_ms: 0 }), { code: 'INSTANCE_REMOVED' }, 'also afterwards');
});

t.test('closing the control plane ends open polls and waits, which do not hold it up', async (t) => {
  const { control, port, epoch, runId } = await startLeasedRun(t);
  const waiting = control.runs.wait(runId, 60_000);
  const polling = port.poll({ epoch, in_hand: runId, wait_ms: 60_000 });
  await new Promise((resolve) => setImmediate(resolve));
  await control.close();
  t.match(await polling, { lease: null });
  t.match(await waiting, { state: 'in_progress' });
});

t.test('after a restart of the executor', async (t) => {
  await t.test('a run that had started is lost and never sent again', async (t) => {
    const { control, runId } = await startLeasedRun(t);
    await hello(control, { started: [runId] });
    t.match(await control.runs.get(runId), {
      state: 'failed',
      failure_kind: 'executor_lost',
      failure_message: /restarted/,
    });
  });
  await t.test('a run that the journal does not know counts as started: its folder may be an older copy', async (t) => {
    const { control, runId } = await startLeasedRun(t);
    const { port, epoch } = await hello(control);
    t.match(await control.runs.get(runId), { state: 'failed', failure_kind: 'executor_lost' });
    t.same(await port.poll({ epoch, in_hand: null, wait_ms: 0 }).then(({ lease }) => lease), null);
  });
  await t.test('a run whose report is in the outbox stays leased for it', async (t) => {
    const { control, runId, lease } = await startLeasedRun(t);
    const { port, epoch } = await hello(control, { finished: [runId] });
    t.equal(await getState(control, runId), 'in_progress');
    await port.complete({
      epoch,
      run_id: runId,
      fence: lease.fence,
      more: false,
      report: createTestReport(lease, 'app'),
    });
    t.equal(await getState(control, runId), 'passed');
  });
  await t.test('a run whose journal was replaced counts as started', async (t) => {
    const { control, runId } = await startLeasedRun(t);
    await hello(control, { store_id: 'store-two' });
    t.match(await control.runs.get(runId), { failure_kind: 'executor_lost', failure_message: /store replaced/ });
  });
});

t.test('a returned run is first in the queue again', async (t) => {
  const { control, port, epoch, lease } = await startLeasedRun(t);
  await requestRun(control);
  await port.giveBack({ epoch, run_id: lease.run_id, fence: lease.fence });
  t.equal(await getState(control, lease.run_id), 'queued');
  t.equal((await port.poll({ epoch, in_hand: null, wait_ms: 0 })).lease?.run_id, lease.run_id);
});

t.test('cancelling a leased run asks its executor, whose report decides', async (t) => {
  const { control, port, epoch, lease } = await startLeasedRun(t);
  const { run_id, fence } = lease;
  t.match(await control.runs.cancel(run_id), { state: 'in_progress', cancel_requested: true });
  t.match(await port.heartbeat({ epoch, run_id, fence }), { cancel_requested: true });
  await port.complete({ epoch, run_id, fence, more: false, report: createTestReport(lease, 'app', null) });
  t.match(await control.runs.get(run_id), { state: 'cancelled', result: null });
  await t.rejects(control.runs.cancel(run_id), { code: 'RUN_FINAL' });
});

t.test('a cancelled run that is returned ends as cancelled', async (t) => {
  const { control, port, epoch, lease } = await startLeasedRun(t);
  await control.runs.cancel(lease.run_id);
  await port.giveBack({ epoch, run_id: lease.run_id, fence: lease.fence });
  t.equal(await getState(control, lease.run_id), 'cancelled');
});

t.test('a restart of the control plane or a jump of the clock ends no lease', async (t) => {
  const { control, clock, folder, lease, epoch } = await startLeasedRun(t);
  clock.jump(86_400_000);
  clock.advance(29_000);
  await control.close();
  const { control: reopened } = await openTestControl(t, { folder, clock });
  clock.advance(29_000);
  t.equal(await getState(reopened, lease.run_id), 'in_progress', 'the full length counts from the restart');
  const { run_id, fence } = lease;
  await reopened
    .executorPort('app')
    .complete({ epoch, run_id, fence, more: false, report: createTestReport(lease, 'app') });
  t.equal(await getState(reopened, run_id), 'passed');
});

t.test('an executor learns all finished runs of its instance, also those before its start', async (t) => {
  const { control, port, epoch, lease } = await startLeasedRun(t);
  const none = { passed: 0, failed: 0, not_judged: 0, cancelled: 0 };
  const { run_id, fence } = lease;
  const report = createTestReport(lease, 'app');
  const first = await port.complete({ epoch, run_id, fence, more: false, report });
  t.match(first.run_totals, { ...none, passed: 1 });
  t.match((await port.complete({ epoch, run_id, fence, more: false, report })).run_totals, { ...none, passed: 1 });
  for (const kind of ['body_mismatch', 'connect', 'status_mismatch', 'evidence_mismatch', undefined] as const) {
    await requestRun(control);
    const next = (await port.poll({ epoch, in_hand: null, wait_ms: 0 })).lease as Lease;
    const report = createTestReport(next, 'app', kind ? 'failed' : null);
    if (kind && report.failure) report.failure = { ...report.failure, kind };
    const answer = await port.complete({ epoch, run_id: next.run_id, fence: next.fence, more: false, report });
    const { run_totals: stored } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
    t.same(answer.run_totals, stored, `as the store counts a run that failed with ${kind}`);
  }
  await control.runs.cancel(await requestRun(control));
  const totals = { passed: 1, failed: 3, not_judged: 1, cancelled: 2 };
  t.match((await port.poll({ epoch, in_hand: null, wait_ms: 0 })).run_totals, totals, 'each once');
  const restarted = await hello(control, { store_id: 'store-two' });
  t.match(restarted.run_totals, totals);
  t.ok((restarted.run_totals?.registered_at_ms ?? 0) > 0);
});

t.test('an unknown protocol is refused, the previous one is supported', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const port = control.executorPort('app');
  const message = { ...helloMessage, started: [], finished: [] };
  await t.rejects(port.hello({ ...message, protocol: 2 }), { code: 'EXECUTOR_PROTOCOL_UNKNOWN' });
  await t.resolves(port.hello({ ...message, protocol: 0 }));
});

t.test('a report of another run or instance is refused', async (t) => {
  const { port, epoch, lease } = await startLeasedRun(t);
  const { run_id, fence } = lease;
  const mismatch = { code: 'REPORT_MISMATCH' };
  await t.rejects(
    port.complete({ epoch, run_id, fence, more: false, report: createTestReport(lease, 'other') }),
    mismatch,
  );
  const foreign = createTestReport({ ...lease, run_id: '20200101T000000000' }, 'app');
  await t.rejects(port.complete({ epoch, run_id, fence, more: false, report: foreign }), mismatch);
});

t.test('a direct run is stored once, under its own id or the next free one', async (t) => {
  const { control, port, epoch, runId } = await startLeasedRun(t);
  const direct = { run_id: runId, correlation_id: 'tr-direct-1', scenario_id: 'RT-GET-document' };
  const report = { ...createTestReport(direct, 'app'), origin: 'direct' as const };
  await port.directRun({ epoch, scenario_text: createScenarioText(), report });
  await port.directRun({ epoch, scenario_text: createScenarioText(), report });
  const { items } = await control.runs.list({ instance: 'app' }, { limit: 10 });
  t.equal(items.length, 2);
  t.match(items[0], { origin: 'direct', state: 'passed', correlation_id: 'tr-direct-1' });
  t.not(items[0]?.run_id, runId, 'the id was taken by a queued run');
});

t.test('a report of a direct run, or of another scenario, is not accepted for a queued run', async (t) => {
  const { control, port, epoch, lease } = await startLeasedRun(t);
  const { run_id, fence } = lease;
  const mismatchedReports = [
    createTestReport({ ...lease, correlation_id: 'tr-another' }, 'app'),
    createTestReport({ ...lease, scenario_id: 'RT-GET-other' }, 'app'),
  ];
  for (const report of mismatchedReports)
    await t.rejects(port.complete({ epoch, run_id, fence, more: false, report }), { code: 'REPORT_MISMATCH' });
  t.equal(await getState(control, run_id), 'in_progress');
  const direct = { run_id: '20261120T143012111', correlation_id: 'tr-direct-2', scenario_id: 'RT-GET-document' };
  const report = { ...createTestReport(direct, 'app'), origin: 'direct' as const };
  await port.directRun({ epoch, scenario_text: createScenarioText(), report });
  await t.rejects(port.complete({ epoch, run_id: direct.run_id, fence, more: false, report }), {
    code: 'REPORT_MISMATCH',
  });
});

t.test("an executor cannot report another instance's run", async (t) => {
  const { control, lease } = await startLeasedRun(t);
  await control.instances.create({ instance_id: 'other' }, { name: 'owner' });
  const other = control.executorPort('other');
  const { epoch } = await other.hello({ ...helloMessage, store_id: 'store-other', started: [], finished: [] });
  const { run_id, fence } = lease;
  const report = createTestReport(lease, 'other');
  await t.rejects(other.complete({ epoch, run_id, fence, more: false, report }), { code: 'RUN_UNKNOWN' });
  t.match(await control.runs.get(run_id), { state: 'in_progress', late_report: null });
});

t.test('a report with an id ahead of the clock is refused, and later ids are unaffected', async (t) => {
  const { control, clock, folder, port, epoch, lease } = await startLeasedRun(t);
  const distantRun = { run_id: '99991231T235959999', correlation_id: 'tr-far', scenario_id: 'RT-GET-document' };
  const message = {
    epoch,
    run_id: distantRun.run_id,
    fence: lease.fence,
    more: false,
    report: createTestReport(distantRun, 'app'),
  };
  await t.rejects(port.complete(message), { code: 'RUN_UNKNOWN' });
  await control.close();
  const { control: reopened } = await openTestControl(t, { folder, clock });
  t.match(await requestRun(reopened), /^20261120T/);
});

t.test('invalid times are refused', async (t) => {
  const { port, epoch, lease } = await startLeasedRun(t);
  const report = { ...createTestReport(lease, 'app'), started_at: '2026-12-31T23:59:60Z' };
  await t.rejects(port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report }), {
    code: 'REQUEST_INVALID',
    message: /report\.started_at/,
  });
});

t.test('a repeated direct run is counted once', async (t) => {
  const { control, port, epoch } = await startLeasedRun(t);
  const direct = { run_id: '20261120T143012111', correlation_id: 'tr-direct-3', scenario_id: 'RT-GET-document' };
  const report = { ...createTestReport(direct, 'app'), origin: 'direct' as const };
  const before = control.gauges.totals().passed;
  for (let time = 0; time < 2; time += 1) await port.directRun({ epoch, scenario_text: createScenarioText(), report });
  t.equal(control.gauges.totals().passed, before + 1);
});

t.test('the report of a lost run says how long it was queued and how long it was leased', async (t) => {
  const { control, clock, lease } = await startLeasedRun(t);
  clock.advance(30_001);
  await eventually(async () => (await getState(control, lease.run_id)) === 'failed');
  t.match((await control.runs.report(lease.run_id)).timings, { queued_ms: 0, total_ms: 30_001 });
});
