/**
 * What happens to an instance on a real engine when something around it fails: what is reported, what recovers by itself and
 * how soon, and that nothing is lost. Durations are printed as comments.
 */
import t, { type Test } from 'tap';
import { eventually } from '../eventually.ts';
import {
  assertRunPasses,
  callExecutor,
  evidenceScenario,
  killContainer,
  measureUntil,
  plainScenario,
  requestRun,
  runToEnd,
  startBlockedRun,
  waitForRunEnd,
} from './instance-runs.ts';
import { docker, startTestInstance, type TestInstance } from './test-instance.ts';

async function assertPassesAgain(t: Test, stage: TestInstance, startMs: number): Promise<void> {
  await assertRunPasses(t, stage);
  t.comment(`a run has passed again after ${Date.now() - startMs} ms`);
}

async function assertSurvivesShortFreeze(t: Test, stage: TestInstance): Promise<void> {
  const { executor, app } = stage.names;
  const run = await startBlockedRun(stage, app);
  await docker('pause', executor);
  await docker('unpause', app);
  await eventually(async () => (await stage.client.instances.get(stage.names.instance)).last_seen_at, {
    until: (seenAt) => Date.now() - Date.parse(seenAt ?? '') > 8000,
    description: 'the executor has been silent for 8 s',
  });
  const startMs = Date.now();
  await docker('unpause', executor);
  t.match(await waitForRunEnd(stage, run), { state: 'passed', report: { log: { line_count: 1 } } });
  t.comment(`the run in hand has passed ${Date.now() - startMs} ms after the executor went on`);
}

async function assertSurvivesLongFreeze(t: Test, stage: TestInstance): Promise<void> {
  const { executor, app } = stage.names;
  const run = await startBlockedRun(stage, app);
  const frozenMs = Date.now();
  await docker('pause', executor);
  await docker('unpause', app);
  const lostRun = await waitForRunEnd(stage, run);
  t.match(lostRun, { state: 'failed', failure_kind: 'executor_lost', late_report: null });
  t.comment(`the run has ended ${Date.now() - frozenMs} ms after the executor froze`);
  const nextRun = await requestRun(stage);
  const startMs = Date.now();
  await docker('unpause', executor);
  t.match(await waitForRunEnd(stage, nextRun), { state: 'passed' });
  t.comment(`the run that was queued has passed ${Date.now() - startMs} ms after the executor went on`);
  const lateMs = await measureUntil(async () => (await stage.client.runs.get(run)).late_report !== null, 20);
  t.comment(`the report of the lost run is kept beside it, ${lateMs} ms later`);
  t.match((await stage.client.runs.get(run)).late_report, { result: 'passed' });
}

async function assertSurvivesNetworkCut(t: Test, stage: TestInstance): Promise<void> {
  const { executor, app, network } = stage.names;
  const run = await startBlockedRun(stage, app, evidenceScenario({ seconds: 10 }));
  await docker('network', 'disconnect', network, executor);
  await docker('unpause', app);
  const cutRun = await waitForRunEnd(stage, run);
  t.match(cutRun, { state: 'failed', failure_kind: /^(timeout|target_unreachable)$/ });
  t.comment(`the run in hand: ${cutRun.report?.failure?.message}`);
  const secondRun = await runToEnd(stage);
  t.match(secondRun, {
    failure_kind: 'target_unreachable',
    report: { failure: { cure: /share a network|check the host/ } },
  });
  t.comment(`a run meanwhile: ${secondRun.report?.failure?.message}; ${secondRun.report?.failure?.cure}`);
  const startMs = Date.now();
  await docker('network', 'connect', network, executor);
  await assertPassesAgain(t, stage, startMs);
}

async function assertSurvivesControlPlaneOutage(t: Test, stage: TestInstance): Promise<void> {
  const { controlPlane: plane, names } = stage;
  const run = await startBlockedRun(stage, names.app);
  const queued = [await requestRun(stage), await requestRun(stage)];
  await plane.stop();
  await docker('unpause', names.app);
  const { body: status } = await eventually(() => callExecutor(stage, '/v1/status'), {
    timeoutMs: 60_000,
    until: ({ body }) => body.reports_waiting === 1 && body.problem !== null,
    description: 'the report of the run in hand is kept',
  });
  t.match(status, { problem: String, reports_waiting: 1 });
  t.comment(`the executor says: ${status.problem}`);
  const startMs = Date.now();
  await plane.start();
  for (const runId of [run, ...queued])
    t.match(await waitForRunEnd(stage, runId), { state: 'passed', report: { result: 'passed' } });
  t.comment(`three runs have passed ${Date.now() - startMs} ms after the control plane came back`);
  await assertPassesAgain(t, stage, startMs);
}

async function assertSurvivesTargetRestart(t: Test, stage: TestInstance): Promise<void> {
  const { app, db } = stage.names;
  const run = await startBlockedRun(stage, db, plainScenario());
  const startMs = Date.now();
  await docker('restart', '--time', '0', app);
  await docker('unpause', db);
  const brokenRun = await waitForRunEnd(stage, run);
  t.match(brokenRun, { state: 'failed', failure_kind: 'target_unreachable' });
  t.comment(`the run in hand: ${brokenRun.report?.failure?.message}; ${brokenRun.report?.failure?.cure}`);
  await measureUntil(async () => (await runToEnd(stage)).state === 'passed', 60);
  await assertPassesAgain(t, stage, startMs);
}

async function assertSurvivesReaderCrash(t: Test, stage: TestInstance): Promise<void> {
  const { reader, app } = stage.names;
  const run = await startBlockedRun(stage, app);
  await killContainer(reader);
  const startMs = Date.now();
  const restartMs = await measureUntil(
    async () => (await docker('inspect', '--format', '{{.State.Pid}}', reader)).trim() !== '0',
    20,
  );
  await docker('unpause', app);
  const { state, report } = await waitForRunEnd(stage, run);
  t.comment(
    `started again after ${restartMs} ms; the run in hand: ${state}, ${report?.log?.line_count} lines, ${report?.log?.problem}`,
  );
  t.match({ state, log: report?.log }, { state: 'passed', log: { problem: null, line_count: 1 } });
  await assertPassesAgain(t, stage, startMs);
}

async function assertSurvivesReaderOutage(t: Test, stage: TestInstance): Promise<void> {
  const { reader } = stage.names;
  await docker('stop', '--time', '5', reader);
  const evidenceRun = await runToEnd(stage);
  t.match(evidenceRun, { state: 'failed', failure_kind: 'evidence_unavailable' });
  t.comment(`a run that needs it: ${evidenceRun.report?.failure?.message}; ${evidenceRun.report?.failure?.cure}`);
  const plainRun = await runToEnd(stage, plainScenario());
  t.match(
    plainRun,
    { state: 'passed', report: { log: { problem: /log reader/ } } },
    'its absence changes no other result',
  );
  const startMs = Date.now();
  await docker('start', reader);
  await measureUntil(async () => (await runToEnd(stage)).state === 'passed', 30);
  await assertPassesAgain(t, stage, startMs);
}

async function assertSurvivesReaderFreeze(t: Test, stage: TestInstance): Promise<void> {
  const { reader } = stage.names;
  await docker('pause', reader);
  const evidenceRun = await runToEnd(stage);
  t.match(evidenceRun, { state: 'failed', failure_kind: 'evidence_unavailable' });
  t.comment(`a run that needs it: ${evidenceRun.report?.failure?.message}; ${evidenceRun.report?.failure?.cure}`);
  const startMs = Date.now();
  await docker('unpause', reader);
  await assertPassesAgain(t, stage, startMs);
}

const memory = (limit: string) => ['update', '--memory', limit, '--memory-swap', limit];

/** Other processes use up its memory until the kernel kills it. */
async function assertSurvivesMemoryExhaustion(t: Test, stage: TestInstance): Promise<void> {
  const { executor, app } = stage.names;
  const run = await startBlockedRun(stage, app);
  const restarts = async () => Number(await docker('inspect', '--format', '{{.RestartCount}}', executor));
  const before = await restarts();
  await docker(...memory('128m'), executor);
  const eater = ['exec', '--detach', '--env', 'API_TOKEN=eaterToken12345', '--env'];
  for (let count = 0; count < 8 && (await restarts()) === before; count += 1) {
    await docker(...eater, `PORT=${3300 + count}`, executor, 'vp', 'example-target').catch(() => undefined);
    await eventually(async () => (await restarts()) > before, { timeoutMs: 1000 }).catch(() => undefined);
  }
  const startMs = Date.now();
  t.ok((await restarts()) > before, 'the kernel ended it, the engine started it again');
  await docker(...memory('384m'), executor);
  t.match(await waitForRunEnd(stage, run), { state: 'failed', failure_kind: 'executor_lost' });
  await docker('unpause', app);
  await assertPassesAgain(t, stage, startMs);
}

t.test('failures around an instance', { timeout: 350_000 }, async (t) => {
  const instance = await startTestInstance(t, { name: 'faults', port: 23_767 });
  const runCase = (name: string, assertSurvives: (t: Test, stage: TestInstance) => Promise<void>) =>
    t.test(name, (t) => assertSurvives(t, instance));
  await t.test('without a failure', (t) => assertRunPasses(t, instance));
  await runCase('an executor frozen for 8 s continues its run', assertSurvivesShortFreeze);
  await runCase(
    'an executor frozen for longer than its lease: the run is lost, its report is not',
    assertSurvivesLongFreeze,
  );
  await runCase('the network to the target is cut', assertSurvivesNetworkCut);
  await runCase('the control plane is down with runs in progress', assertSurvivesControlPlaneOutage);
  await runCase('the target is restarted during a run', assertSurvivesTargetRestart);
  await runCase('the log reader crashes during a run', assertSurvivesReaderCrash);
  await runCase('the log reader is stopped', assertSurvivesReaderOutage);
  await runCase('the log reader is frozen', assertSurvivesReaderFreeze);
  await runCase('the executor runs out of memory during a run', assertSurvivesMemoryExhaustion);
});
