/** A store that cannot grow for a while: what a timer could not write is written later, and `/readyz` says so meanwhile. */
import t, { type Test } from 'tap';
import { openControl } from '../../../src/control/open-control.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { VpError } from '../../../src/errors/vp-error.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { createScenarioText } from '../report-fixture.ts';
import { greet, requestTestRun } from './lease-fixture.ts';

const poll = { in_hand: null, wait_ms: 0 } as const;

/** `fill` leaves no free page in the store's file, as a full disk does; small changes still succeed. */
async function openFillable(t: Test) {
  const clock = fakeClock();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const control = await openControl({ folder: t.testdir(), clock, random: systemRandom, pid: 1, onError });
  t.teardown(() => control.close());
  await control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  await control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, { name: 'owner' });
  const { database } = control;
  // The report of a lost run is small: it must not fit into what its table has left.
  await database.write(
    (sql) =>
      void sql.run(`CREATE TRIGGER need_pages BEFORE INSERT ON reports BEGIN
    INSERT INTO meta VALUES ('pages', hex(randomblob(100000)));
    DELETE FROM meta WHERE name = 'pages'; END`),
  );
  const fill = (): Promise<void> => database.write((sql) => void sql.all('PRAGMA max_page_count = 1'));
  const free = (): Promise<void> => database.write((sql) => void sql.all('PRAGMA max_page_count = 1000000'));
  return { control, clock, errors, fill, free };
}

t.test('a lease that ends while the disk is full is ended when there is space, without a restart', async (t) => {
  const { control, clock, errors, fill, free } = await openFillable(t);
  const { welcome } = await greet(control, 'start-one');
  const runId = await requestTestRun(control);
  const next = await requestTestRun(control);
  await control.executorPort('app').poll({ epoch: welcome.epoch, ...poll });
  await control.gauges.ready();
  await fill();
  clock.advance(31_000);
  await eventually(() => errors.some((error) => error instanceof VpError && error.code === 'STORE_DISK_FULL'));
  t.match(await control.runs.get(runId), { state: 'in_progress' });
  await t.rejects(control.gauges.ready(), { code: 'STORE_DISK_FULL' }, 'not ready while writes fail');
  await free();
  clock.advance(5_000);
  await eventually(async () => (await control.runs.get(runId)).state === 'failed');
  await t.resolves(control.gauges.ready(), 'ready again');
  const offer = await control.executorPort('app').poll({ epoch: welcome.epoch, ...poll });
  t.equal(offer.lease?.run_id, next, 'the queue goes on');
});

t.test('that an executor went away is stored when there is space', async (t) => {
  const { control, clock, errors } = await openFillable(t);
  await greet(control, 'start-one');
  const trigger = `CREATE TRIGGER refuse BEFORE UPDATE OF last_seen_at_ms ON instances BEGIN SELECT raise(ABORT, 'no'); END`;
  await control.database.write((sql) => void sql.run(trigger));
  const { seq } = await control.changes.list(0, undefined, 100);
  clock.advance(11_000);
  await eventually(() => errors.length > 0);
  await control.database.write((sql) => void sql.run('DROP TRIGGER refuse'));
  clock.advance(6_000);
  await eventually(async () => (await control.changes.list(seq, undefined, 100)).events.length > 0);
  t.match(await control.instances.get('app'), { executor_status: 'AWAY' });
});
