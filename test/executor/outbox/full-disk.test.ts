/** The executor while its store cannot be written. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { vpError } from '../../../src/errors/vp-error.ts';
import { type Executor, startExecutor } from '../../../src/executor/executor.ts';
import { createRunner } from '../../../src/executor/runs/runner.ts';
import { createTargetDispatcher } from '../../../src/outbound/target-dispatcher.ts';
import type { Report } from '../../../src/report/report.ts';
import type { Database } from '../../../src/store/database.ts';
import { openDatabase } from '../../../src/store/engine.ts';
import { outboxStoreKind } from '../../../src/store/outbox/outbox-schema.ts';
import { eventually } from '../../eventually.ts';
import { type HttpTarget, respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { delayResponses } from '../executor-setup.ts';
import { FakeControlPlane } from '../fake-control-plane.ts';
import { createTestProject, scenarioText } from '../test-project.ts';

const text = scenarioText('GET ${INGESTION_URL}/a', ['status=200', 'body has count']);

type Disk = { full: boolean; refused: number };
type DiskTest = {
  control: FakeControlPlane;
  target: HttpTarget;
  executor: Executor;
  disk: Disk;
  logMessages: string[];
};

/** An executor whose store refuses every write while `disk.full`, and every read while it is `unreadable`. */
async function onDisk(t: Test, unreadable = false): Promise<DiskTest> {
  const database = openDatabase({ file: join(t.testdir(), 'executor.db'), createKind: outboxStoreKind });
  const disk: Disk = { full: false, refused: 0 };
  const write: Database['write'] = (operation) => {
    if (!disk.full) return database.write(operation);
    disk.refused += 1;
    return Promise.reject(vpError('STORE_DISK_FULL', { file: 'executor.db' }));
  };
  const control = new FakeControlPlane();
  const target = await startHttpTarget(respondWithJson({ count: 1 }));
  const project = createTestProject({ baseUrl: target.origin });
  const dispatcher = createTargetDispatcher();
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 5), signal),
  };
  const runner = createRunner({ project, dispatcher, clock, version: '0.4.0' });
  const logMessages: string[] = [];
  const note = (_fields: unknown, message: string): void => void logMessages.push(message);
  const corrupt = () => Promise.reject(vpError('STORE_CORRUPT', { file: 'executor.db' }));
  const store = { ...database, write, ...(unreadable ? { read: corrupt } : {}) };
  const parts = { control, runner, database: store, project, clock, random: systemRandom, version: '0.4.0' };
  const executor = await startExecutor({ ...parts, log: { info: note, warn: note } });
  t.teardown(async () => {
    disk.full = false;
    await executor.stop(100);
    dispatcher.close();
    await database.close();
    await target.close();
  });
  await eventually(async () => (await executor.status()).state !== 'starting');
  return { control, target, executor, disk, logMessages };
}

t.test('a start that cannot be stored does not happen; the run continues when there is space', async (t) => {
  const { control, target, disk, logMessages } = await onDisk(t);
  disk.full = true;
  control.request(text);
  await eventually(() => disk.refused > 2);
  t.equal(target.arrived.length, 0);
  t.ok(logMessages.some((line) => line.includes('cannot be stored')));
  disk.full = false;
  await eventually(() => control.completed.length === 1);
  t.equal(target.arrived.length, 1);
});

t.test('a stop gives back a run whose start cannot be stored', async (t) => {
  const { control, target, executor, disk } = await onDisk(t);
  disk.full = true;
  const run = control.request(text);
  await eventually(() => disk.refused > 2);
  await executor.stop(50);
  t.strictSame(control.returnedRuns, [run]);
  t.equal(target.arrived.length, 0);
});

t.test('a report that cannot be stored waits for space and is then handed in', async (t) => {
  const { control, target, disk } = await onDisk(t);
  delayResponses(target, 30);
  control.request(text);
  await eventually(() => target.arrived.length === 1);
  disk.full = true;
  await eventually(() => disk.refused > 2);
  t.equal(control.completed.length, 0);
  disk.full = false;
  await eventually(() => control.completed.length === 1);
  t.equal(target.arrived.length, 1);
});

t.test('an acknowledgement that cannot be stored does not keep the executor from the next run', async (t) => {
  const { control, target, executor, disk, logMessages } = await onDisk(t);
  const complete = control.complete.bind(control);
  control.complete = async (message) => {
    const offer = await complete(message);
    disk.full = control.completed.length === 1;
    return offer;
  };
  const first = control.request(text);
  await eventually(() => disk.refused === 1);
  t.ok(logMessages.some((line) => line.includes('the store cannot note')));
  t.match(await executor.status(), { waiting: 1 }, 'a start after a crash would hand it in again');
  const second = control.request(text);
  await eventually(() => control.leased === second);
  disk.full = false;
  await eventually(async () => control.completed.length === 2 && (await executor.status()).waiting === 0);
  t.strictSame(
    control.completed.map(({ run_id }) => run_id),
    [first, second],
  );
  t.equal(target.arrived.length, 2);
});

t.test('a stop hands in a report that cannot be stored', async (t) => {
  const { control, target, executor, disk } = await onDisk(t);
  delayResponses(target, 30);
  control.request(text);
  await eventually(() => target.arrived.length === 1);
  disk.full = true;
  await eventually(() => disk.refused > 0);
  await executor.stop(100);
  t.equal(control.completed.length, 1);
});

/** Stops the executor while the report of a direct run cannot be stored; gives that report. */
async function stopDuringDirectRun({ target, executor, disk }: DiskTest): Promise<Report> {
  delayResponses(target, 30);
  const report = executor.runDirect(text);
  await eventually(() => target.arrived.length === 1);
  disk.full = true;
  await eventually(() => disk.refused > 0);
  await executor.stop(100);
  return report;
}

t.test('a stop hands in the report of a direct run that cannot be stored', async (t) => {
  const setup = await onDisk(t);
  const report = await stopDuringDirectRun(setup);
  t.match(report, { result: 'passed' });
  t.strictSame(
    setup.control.direct.map((request) => request.report),
    [report],
  );
  t.ok(setup.logMessages.some((line) => line.includes('was handed in')));
});

t.test('without a control plane only the caller has that report, and the log says so', async (t) => {
  const setup = await onDisk(t);
  setup.control.refusals.set('directRun', new TypeError('fetch failed'));
  t.match(await stopDuringDirectRun(setup), { result: 'passed' });
  t.equal(setup.control.direct.length, 0);
  t.ok(setup.logMessages.some((line) => line.includes('could not be stored before the stop: only its caller has it')));
});

t.test('a direct run that cannot be stored is refused with the reason', async (t) => {
  const { target, executor, disk } = await onDisk(t);
  disk.full = true;
  await t.rejects(executor.runDirect(text), { code: 'STORE_DISK_FULL' });
  t.equal(target.arrived.length, 0);
  disk.full = false;
  t.equal((await executor.runDirect(text)).result, 'passed');
});

t.test('a store that cannot be read ends the executor with the reason', async (t) => {
  const { executor, logMessages } = await onDisk(t, true);
  await t.rejects(executor.completion, { code: 'STORE_CORRUPT' });
  t.match(await executor.status(), { state: 'stopped', problem: /damaged/ });
  t.ok(logMessages.includes('the executor ended by itself'));
  await t.rejects(executor.runDirect(text), { code: 'SHUTTING_DOWN' });
});
