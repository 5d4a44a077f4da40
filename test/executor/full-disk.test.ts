/** What the executor does while its store cannot be written. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { createRunner } from '../../src/executor/execute.ts';
import { type Executor, startExecutor } from '../../src/executor/executor.ts';
import { targetDispatcher } from '../../src/outbound/target-dispatcher.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { outboxStoreKind } from '../../src/store/outbox/schema.ts';
import { type HttpTarget, httpTarget, json } from '../targets/http-target.ts';
import { ControlDouble } from './control-double.ts';
import { slow } from './house.ts';
import { projectOf, scenarioText } from './project.ts';
import { until } from './started.ts';

const text = scenarioText('GET ${INGESTION_URL}/a', ['status=200', 'body has count']);

type Disk = { full: boolean; refused: number };
type Given = { control: ControlDouble; target: HttpTarget; executor: Executor; disk: Disk; logged: string[] };

/** An executor whose store refuses every write while `disk.full`, and every reading where it is `unreadable`. */
async function onDisk(t: Test, unreadable = false): Promise<Given> {
  const database = openDatabase({ file: join(t.testdir(), 'executor.db'), kind: outboxStoreKind });
  const disk: Disk = { full: false, refused: 0 };
  const write: Database['write'] = (operation) => {
    if (!disk.full) return database.write(operation);
    disk.refused += 1;
    return Promise.reject(vpError('STORE_DISK_FULL', { file: 'executor.db' }));
  };
  const control = new ControlDouble();
  const target = await httpTarget(json({ count: 1 }));
  const project = projectOf({ baseUrl: target.origin });
  const dispatcher = targetDispatcher();
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 5), signal),
  };
  const runner = createRunner({ project, dispatcher, clock, version: '0.4.0' });
  const logged: string[] = [];
  const note = (_fields: unknown, message: string): void => void logged.push(message);
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
  await until(async () => (await executor.status()).state !== 'starting');
  return { control, target, executor, disk, logged };
}

t.test('a start that cannot be noted is not made; the run goes on when there is room', async (t) => {
  const { control, target, disk, logged } = await onDisk(t);
  disk.full = true;
  control.request(text);
  await until(() => disk.refused > 2);
  t.equal(target.arrived.length, 0);
  t.ok(logged.some((line) => line.includes('cannot be noted')));
  disk.full = false;
  await until(() => control.completed.length === 1);
  t.equal(target.arrived.length, 1);
});

t.test('a stop gives such a run back', async (t) => {
  const { control, target, executor, disk } = await onDisk(t);
  disk.full = true;
  const run = control.request(text);
  await until(() => disk.refused > 2);
  await executor.stop(50);
  t.strictSame(control.givenBack, [run]);
  t.equal(target.arrived.length, 0);
});

t.test('a report that cannot be kept waits for room and is then handed in', async (t) => {
  const { control, target, disk } = await onDisk(t);
  slow(target, 30);
  control.request(text);
  await until(() => target.arrived.length === 1);
  disk.full = true;
  await until(() => disk.refused > 2);
  t.equal(control.completed.length, 0);
  disk.full = false;
  await until(() => control.completed.length === 1);
  t.equal(target.arrived.length, 1);
});

t.test('a stop hands such a report in without keeping it', async (t) => {
  const { control, target, executor, disk } = await onDisk(t);
  slow(target, 30);
  control.request(text);
  await until(() => target.arrived.length === 1);
  disk.full = true;
  await until(() => disk.refused > 0);
  await executor.stop(100);
  t.equal(control.completed.length, 1);
});

t.test('a direct run that cannot be noted is refused with the reason', async (t) => {
  const { target, executor, disk } = await onDisk(t);
  disk.full = true;
  await t.rejects(executor.runDirect(text), { code: 'STORE_DISK_FULL' });
  t.equal(target.arrived.length, 0);
  disk.full = false;
  t.equal((await executor.runDirect(text)).result, 'passed');
});

t.test('a store that cannot be read ends the executor with the reason', async (t) => {
  const { executor, logged } = await onDisk(t, true);
  await t.rejects(executor.ended, { code: 'STORE_CORRUPT' });
  t.match(await executor.status(), { state: 'stopped', problem: /damaged/ });
  t.ok(logged.includes('the executor ended by itself'));
  await t.rejects(executor.runDirect(text), { code: 'SHUTTING_DOWN' });
});
