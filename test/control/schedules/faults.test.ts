/** Schedules whose definition, clock or size is not as usual. */
import t from 'tap';
import { readSchedules } from '../../../src/control/schedules/schedule-views.ts';
import type { Sql } from '../../../src/store/sql.ts';
import { eventually } from '../../eventually.ts';
import { openTestControl, openTestControlWithApp } from '../control-fixture.ts';

const ana = { name: 'ana' };
const minuteMs = 60_000;

t.test('a schedule that cannot be computed any more hinders no other one, and is reported once', async (t) => {
  const faults: unknown[] = [];
  const { control, clock } = await openTestControlWithApp(t, { onFault: (fault) => faults.push(fault) });
  await control.schedules.create('app', { schedule_id: 'broken', every: '5m' }, ana);
  await control.schedules.create('app', { schedule_id: 'healthy', every: '15m' }, ana);
  const definition = JSON.stringify({ cron: '0 0 * * *', time_zone: 'Mars/Base' });
  await control.database.write((sql) =>
    sql.execute("UPDATE schedules SET definition = ? WHERE id = 'broken'", definition),
  );
  clock.advance(15 * minuteMs);
  await eventually(async () => {
    clock.advance(6_000);
    return (await control.schedules.get('app', 'healthy')).ticks.length === 1;
  });
  for (let count = 0; count < 5; count += 1) {
    clock.advance(6_000);
    await control.database.write(() => undefined);
  }
  t.match(faults, [{ code: 'SCHEDULE_INVALID', message: /Mars\/Base/ }]);
  t.equal(faults.length, 1);
  t.match(await control.schedules.list('app'), [
    { schedule_id: 'broken', next: { length: 0 } },
    { schedule_id: 'healthy', next: { length: 5 } },
  ]);
});

t.test(
  'the newest tick is requested also where the first missed one was handled before the clock went back',
  async (t) => {
    const { control: before, clock, folder } = await openTestControlWithApp(t);
    await before.schedules.create('app', { schedule_id: 'quarterly', every: '15m' }, ana);
    clock.advance(15 * minuteMs);
    await eventually(async () => {
      clock.advance(10);
      return (await before.schedules.get('app', 'quarterly')).ticks.length === 1;
    });
    await before.runs.cancelQueued('app');
    clock.jump(-10 * minuteMs);
    await before.schedules.setPaused('app', 'quarterly', true, ana);
    const { next } = await before.schedules.setPaused('app', 'quarterly', false, ana);
    t.equal(next[0], '2026-11-20T14:45:00.000Z', 'the tick that was handled');
    await before.close();
    clock.advance(5 * 60 * minuteMs);
    const { control } = await openTestControl(t, { folder, clock });
    await eventually(async () => (await control.schedules.get('app', 'quarterly')).ticks.length === 2);
    const { ticks } = await control.schedules.get('app', 'quarterly');
    t.match(
      ticks.find(({ due_at }) => due_at === '2026-11-20T19:30:00.000Z'),
      { outcome: 'requested_late', run_ids: { length: 1 } },
    );
  },
);

t.test('a list of many schedules takes as many statements as one of a single schedule', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const countStatements = (): Promise<number> =>
    control.database.read((sql) => {
      let count = 0;
      const counting: Pick<Sql, 'get' | 'all'> = {
        get: (...call) => {
          count += 1;
          return sql.get(...call);
        },
        all: (...call) => {
          count += 1;
          return sql.all(...call);
        },
      };
      readSchedules(counting as Sql, 'app');
      return count;
    });
  await control.schedules.create('app', { schedule_id: 'one', every: '1h' }, ana);
  t.equal(await countStatements(), 4);
  for (let index = 0; index < 10; index += 1)
    await control.schedules.create('app', { schedule_id: `more-${index}`, every: '1h' }, ana);
  t.equal(await countStatements(), 4);
  t.equal((await control.schedules.list('app')).length, 11);
});
