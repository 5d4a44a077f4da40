/** Schedules of new versions of the target, and the version that they compare with. */
import t from 'tap';
import type { OpenControl } from '../../../src/control/open-control.ts';
import { findNewestTargetVersion } from '../../../src/store/control/schedules/schedules.ts';
import type { Sql } from '../../../src/store/sql.ts';
import type { FakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { skipOnPostgres } from '../../store/engine-under-test.ts';
import { openTestControlWithApp } from '../control-fixture.ts';

const ana = { name: 'ana' };

async function countTicks(control: OpenControl): Promise<number> {
  return (await control.schedules.get('app', 'changed')).ticks.length;
}

/** A run that has ended, the newest one. */
async function addEndedRun(control: OpenControl, version: string): Promise<void> {
  await control.database.write((sql) => {
    const { id } = sql.get('SELECT coalesce(max(id), 0) + 1 AS id FROM runs') as { id: number };
    const revision = sql.get('SELECT id, scenario_id FROM revisions LIMIT 1') as { id: number; scenario_id: string };
    sql.execute(
      `INSERT INTO runs (id, instance_id, scenario_id, revision_id, correlation_id, state, origin, requested_by,
         requested_at_ms, prove, target_version, seq) VALUES (?, 'app', ?, ?, ?, 'passed', 'queue', 'ana', ?, 0, ?, ?)`,
      ...[id, revision.scenario_id, revision.id, `run-${id}`, id, version, id],
    );
  });
}

/** Several looks of the control plane. */
async function passLooks(control: OpenControl, clock: FakeClock): Promise<void> {
  for (let count = 0; count < 8; count += 1) {
    clock.advance(6_000);
    await control.database.write(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function passUntilTicks(control: OpenControl, clock: FakeClock, count: number): Promise<void> {
  await eventually(async () => {
    await passLooks(control, clock);
    return (await countTicks(control)) === count;
  });
}

t.test('a target that answers with two versions at once gets one request after another', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  await addEndedRun(control, '1.0');
  await control.schedules.create('app', { schedule_id: 'changed', on: 'new_version', skip_if_running: false }, ana);
  await addEndedRun(control, '1.1');
  await passUntilTicks(control, clock, 1);
  for (const version of ['1.0', '1.1', '1.0', '1.1', '1.0']) {
    await addEndedRun(control, version);
    await passLooks(control, clock);
  }
  t.equal(await countTicks(control), 1, 'the runs of the first one are not over');
  await control.runs.cancelQueued('app');
  await passUntilTicks(control, clock, 2);
  t.match((await control.schedules.get('app', 'changed')).ticks, [{ outcome: 'requested' }, { outcome: 'requested' }]);
});

t.test('a version that came while the schedule was paused is not made up for', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  await addEndedRun(control, '1.0');
  await control.schedules.create('app', { schedule_id: 'changed', on: 'new_version' }, ana);
  await control.schedules.setPaused('app', 'changed', true, ana);
  await addEndedRun(control, '1.1');
  await control.schedules.setPaused('app', 'changed', false, ana);
  await passLooks(control, clock);
  t.equal(await countTicks(control), 0);
  await addEndedRun(control, '1.2');
  await passUntilTicks(control, clock, 1);
});

t.test('a schedule of times that becomes one of new versions begins with the version that is there', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  await addEndedRun(control, '1.0');
  await control.schedules.create('app', { schedule_id: 'changed', cron: '0 2 * * *' }, ana);
  await addEndedRun(control, '1.1');
  await control.schedules.change('app', 'changed', { on: 'new_version' }, ana);
  await passLooks(control, clock);
  t.equal(await countTicks(control), 0);
  await addEndedRun(control, '1.2');
  await passUntilTicks(control, clock, 1);
});

t.test('the newest version is found by an index of the runs that name one', { skip: skipOnPostgres }, async (t) => {
  const { control } = await openTestControlWithApp(t);
  const plan = await control.database.read((sql) => {
    let step: unknown;
    const explaining: Pick<Sql, 'get'> = {
      get(text, ...values) {
        step = sql.get(`EXPLAIN QUERY PLAN ${text}`, ...values);
        return undefined;
      },
    };
    findNewestTargetVersion(explaining as Sql, 'app');
    return step;
  });
  t.match(plan, { detail: /USING INDEX runs_with_version/ });
});
