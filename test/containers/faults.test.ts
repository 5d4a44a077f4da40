/**
 * What happens to an instance on a real engine when something around it fails: what its user is told, what recovers by
 * itself and how soon, and that nothing is lost. Each time that it took is told as a comment.
 */
import t, { type Test } from 'tap';
import {
  askedDirectly,
  crashed,
  ended,
  evidenceScenario,
  heldRun,
  passes,
  plainScenario,
  ran,
  requested,
  until,
} from './instance-runs.ts';
import { docker, type Stage, stage } from './instance-stage.ts';

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Tells how long after `sinceMs` a run has passed, and that this was soon enough. */
async function passesAgain(t: Test, stage: Stage, sinceMs: number, atMostMs: number): Promise<void> {
  await passes(t, stage);
  const tookMs = Date.now() - sinceMs;
  t.comment(`a run has passed again after ${tookMs} ms`);
  t.ok(tookMs < atMostMs, `${tookMs} ms`);
}

async function survivesShortFreeze(t: Test, stage: Stage): Promise<void> {
  const { executor, app } = stage.names;
  const run = await heldRun(stage, app);
  await docker('pause', executor);
  await docker('unpause', app);
  await pause(8000);
  const sinceMs = Date.now();
  await docker('unpause', executor);
  t.match(await ended(stage, run), { state: 'passed', report: { log: { line_count: 1 } } });
  t.comment(`the run in hand has passed ${Date.now() - sinceMs} ms after the executor went on`);
}

async function survivesLongFreeze(t: Test, stage: Stage): Promise<void> {
  const { executor, app } = stage.names;
  const run = await heldRun(stage, app);
  const frozenMs = Date.now();
  await docker('pause', executor);
  await docker('unpause', app);
  const lost = await ended(stage, run);
  t.match(lost, { state: 'failed', failure_kind: 'executor_lost', late_report: null });
  t.comment(`the run has ended ${Date.now() - frozenMs} ms after the executor froze`);
  const next = await requested(stage);
  const sinceMs = Date.now();
  await docker('unpause', executor);
  t.match(await ended(stage, next), { state: 'passed' });
  t.comment(`the run that was queued has passed ${Date.now() - sinceMs} ms after the executor went on`);
  const late = await until(async () => (await stage.client.runs.get(run)).late_report !== null, 20);
  t.comment(`the report of the lost run is kept beside it, ${late} ms later`);
  t.match((await stage.client.runs.get(run)).late_report, { result: 'passed' });
}

async function survivesCut(t: Test, stage: Stage): Promise<void> {
  const { executor, app, network } = stage.names;
  const run = await heldRun(stage, app, evidenceScenario({ seconds: 10 }));
  await docker('network', 'disconnect', network, executor);
  await docker('unpause', app);
  const cut = await ended(stage, run);
  t.match(cut, { state: 'failed', failure_kind: /^(timeout|target_unreachable)$/ });
  t.comment(`the run in hand: ${cut.report?.failure?.message}`);
  const during = await ran(stage);
  t.match(during, {
    failure_kind: 'target_unreachable',
    report: { failure: { cure: /share a network|check the host/ } },
  });
  t.comment(`a run meanwhile: ${during.report?.failure?.message}; ${during.report?.failure?.cure}`);
  const sinceMs = Date.now();
  await docker('network', 'connect', '--alias', 'executor', network, executor);
  await passesAgain(t, stage, sinceMs, 15_000);
}

async function survivesAbsence(t: Test, stage: Stage): Promise<void> {
  const { plane, names } = stage;
  const run = await heldRun(stage, names.app);
  const queued = [await requested(stage), await requested(stage)];
  await plane.stop();
  await docker('unpause', names.app);
  await pause(15_000);
  const { body: status } = await askedDirectly(stage, '/v1/status');
  t.match(status, { problem: String, reports_waiting: 1 }, 'the report of the run in hand is kept');
  t.comment(`the executor says: ${status.problem}`);
  const sinceMs = Date.now();
  await plane.start();
  for (const each of [run, ...queued])
    t.match(await ended(stage, each), { state: 'passed', report: { result: 'passed' } });
  t.comment(`three runs have passed ${Date.now() - sinceMs} ms after the control plane came back`);
  await passesAgain(t, stage, sinceMs, 45_000);
}

async function survivesTargetRestart(t: Test, stage: Stage): Promise<void> {
  const { app, db } = stage.names;
  const run = await heldRun(stage, db, plainScenario());
  const sinceMs = Date.now();
  await docker('restart', '--time', '0', app);
  await docker('unpause', db);
  const broken = await ended(stage, run);
  t.match(broken, { state: 'failed', failure_kind: 'target_unreachable' });
  t.comment(`the run in hand: ${broken.report?.failure?.message}; ${broken.report?.failure?.cure}`);
  await until(async () => (await ran(stage)).state === 'passed', 60);
  await passesAgain(t, stage, sinceMs, 60_000);
}

async function survivesReaderCrash(t: Test, stage: Stage): Promise<void> {
  const { reader, app } = stage.names;
  const run = await heldRun(stage, app);
  await crashed(reader);
  const sinceMs = Date.now();
  const back = await until(
    async () => (await docker('inspect', '--format', '{{.State.Pid}}', reader)).trim() !== '0',
    20,
  );
  await docker('unpause', app);
  const { state, report } = await ended(stage, run);
  t.comment(
    `started again after ${back} ms; the run in hand: ${state}, ${report?.log?.line_count} lines, ${report?.log?.problem}`,
  );
  t.match({ state, log: report?.log }, { state: 'passed', log: { problem: null, line_count: 1 } });
  await passesAgain(t, stage, sinceMs, 30_000);
}

async function survivesReaderAbsence(t: Test, stage: Stage): Promise<void> {
  const { reader } = stage.names;
  await docker('stop', '--time', '5', reader);
  const needing = await ran(stage);
  t.match(needing, { state: 'failed', failure_kind: 'evidence_unavailable' });
  t.comment(`a run that needs it: ${needing.report?.failure?.message}; ${needing.report?.failure?.cure}`);
  const plain = await ran(stage, plainScenario());
  t.match(
    plain,
    { state: 'passed', report: { log: { problem: /log reader/ } } },
    'its absence changes no other result',
  );
  const sinceMs = Date.now();
  await docker('start', reader);
  await until(async () => (await ran(stage)).state === 'passed', 30);
  await passesAgain(t, stage, sinceMs, 30_000);
}

async function survivesReaderFreeze(t: Test, stage: Stage): Promise<void> {
  const { reader } = stage.names;
  await docker('pause', reader);
  const needing = await ran(stage);
  t.match(needing, { state: 'failed', failure_kind: 'evidence_unavailable' });
  t.comment(`a run that needs it: ${needing.report?.failure?.message}; ${needing.report?.failure?.cure}`);
  const sinceMs = Date.now();
  await docker('unpause', reader);
  await passesAgain(t, stage, sinceMs, 30_000);
}

const memory = (limit: string) => ['update', '--memory', limit, '--memory-swap', limit];

/** Programs beside it eat what it may have, until the kernel ends it. */
async function survivesHunger(t: Test, stage: Stage): Promise<void> {
  const { executor, app } = stage.names;
  const run = await heldRun(stage, app);
  const restarts = async () => Number(await docker('inspect', '--format', '{{.RestartCount}}', executor));
  const before = await restarts();
  await docker(...memory('128m'), executor);
  const eater = ['exec', '--detach', '--env', 'API_TOKEN=eaterToken12345', '--env'];
  for (let count = 0; count < 8 && (await restarts()) === before; count += 1) {
    await docker(...eater, `PORT=${3300 + count}`, executor, 'vp', 'example-target').catch(() => undefined);
    await pause(1000);
  }
  const sinceMs = Date.now();
  t.ok((await restarts()) > before, 'the kernel ended it, the engine started it again');
  await docker(...memory('384m'), executor);
  t.match(await ended(stage, run), { state: 'failed', failure_kind: 'executor_lost' });
  await docker('unpause', app);
  await passesAgain(t, stage, sinceMs, 60_000);
}

t.test('faults around an instance', { timeout: 350_000 }, async (t) => {
  const there = await stage(t, { name: 'faults', port: 23_767 });
  const each = (name: string, survives: (t: Test, stage: Stage) => Promise<void>) =>
    t.test(name, (t) => survives(t, there));
  await t.test('nothing is wrong', (t) => passes(t, there));
  await each('an executor frozen for 8 s: its run goes on', survivesShortFreeze);
  await each('an executor frozen for longer than its lease: the run is lost, its report is not', survivesLongFreeze);
  await each('the way to the target is cut', survivesCut);
  await each('the control plane is away with runs in hand', survivesAbsence);
  await each('the target is restarted in mid-run', survivesTargetRestart);
  await each('the log reader crashes in mid-run', survivesReaderCrash);
  await each('the log reader is away', survivesReaderAbsence);
  await each('the log reader is frozen', survivesReaderFreeze);
  await each('the executor is out of memory in mid-run', survivesHunger);
});
