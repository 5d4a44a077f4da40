/** Three control planes on one PostgreSQL store, without an election between them: the store alone makes a tick unique. */
import t from 'tap';
import { type OpenControl, openControl } from '../../../src/control/open-control.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { VpError } from '../../../src/errors/vp-error.ts';
import { listTicksMs, parseTiming } from '../../../src/schedule/timing.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { openPostgresStores } from '../../../src/store/postgres/stores.ts';
import { type FakeClock, fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';
import { createScenarioText } from '../report-fixture.ts';

const minuteMs = 60_000;
/** After a look that failed, the next one comes this much later. */
const retryMs = 5_000;
const ana = { name: 'ana' };
const stepMs = 15 * minuteMs;
const steps = 40;

const schedules = [
  { schedule_id: 'berlin', cron: '*/30 1-3 * * *', time_zone: 'Europe/Berlin' },
  { schedule_id: 'berlin-once', cron: '30 2 * * *', time_zone: 'Europe/Berlin' },
  { schedule_id: 'new-york', cron: '30 1,2 * * *', time_zone: 'America/New_York' },
  { schedule_id: 'lord-howe', cron: '45 1 * * *', time_zone: 'Australia/Lord_Howe' },
  { schedule_id: 'interval', every: '1h' },
] as const;

type Plane = { readonly control: OpenControl; readonly clock: FakeClock; close(): Promise<void> };

async function countTicks(control: OpenControl): Promise<number> {
  const row = await control.database.read((sql) => sql.get('SELECT count(*) AS count FROM schedule_ticks'));
  return Number((row as { count: number }).count);
}

/** The changes of daylight saving: forward and back in each of the zones. */
const changes = [
  Date.UTC(2026, 2, 7, 20),
  Date.UTC(2026, 2, 28, 20),
  Date.UTC(2026, 3, 4, 10),
  Date.UTC(2026, 9, 3, 10),
  Date.UTC(2026, 9, 24, 20),
  Date.UTC(2026, 9, 31, 20),
];

for (const startMs of changes)
  t.test(`exactly one request a tick by three control planes after ${new Date(startMs).toISOString()}`, async (t) => {
    const { url } = await createTestDatabase(t);
    const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
    const folder = t.testdir();
    const open = async (nowMs: number): Promise<Plane> => {
      const clock = fakeClock(nowMs);
      const stores = await openPostgresStores({ settings, clock: systemClock, maxConnections: 12 });
      const control = await openControl({
        ...{ folder, clock, random: systemRandom, pid: 1, store: stores.control, isClockConfirmed: true },
        onError(error) {
          // On a machine that is busy, a write can wait too long for those of the others; it is made at the next look.
          if (!(error instanceof VpError && error.code === 'STORE_DATABASE_UNAVAILABLE'))
            t.fail('background work failed', { error });
          clock.advance(retryMs);
        },
      });
      const close = async () => {
        await control.close();
        await stores.close();
      };
      return { control, clock, close };
    };
    const planes = [await open(startMs)];
    const [{ control }] = planes as [Plane];
    await control.instances.create({ instance_id: 'app' }, ana);
    await control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, ana);
    for (const schedule of schedules)
      await control.schedules.create('app', { ...schedule, skip_if_running: false }, ana);
    planes.push(await open(startMs), await open(startMs));
    t.teardown(() => Promise.all(planes.map((plane) => plane.close())));
    const expected = schedules.flatMap(({ schedule_id: id, ...definition }) => {
      const ticks = listTicksMs(parseTiming(definition), startMs, 100);
      return ticks.filter((tick) => tick <= startMs + steps * stepMs).map((tick) => `${id} ${tick}`);
    });
    // One of the planes is replaced in between, as by a restart.
    for (let step = 1; step <= steps; step += 1) {
      for (const { clock } of planes) clock.advance(stepMs);
      const nowMs = startMs + step * stepMs;
      const due = expected.filter((tick) => Number(tick.split(' ')[1]) <= nowMs).length;
      await eventually(async () => {
        // A look that had begun before the step is over by now, and the next one is due.
        for (const { clock } of planes) clock.advance(10);
        return (await countTicks(control)) >= due;
      });
      if (step % 10 !== 0) continue;
      await planes.pop()?.close();
      planes.push(await open(nowMs));
    }
    await eventually(async () => (await countTicks(control)) >= expected.length);
    const ticks = await control.database.read((sql) =>
      sql.all('SELECT schedule_id, tick, outcome, run_ids FROM schedule_ticks ORDER BY schedule_id, tick'),
    );
    const rows = ticks as { schedule_id: string; tick: string; outcome: string; run_ids: string }[];
    t.same(rows.map((row) => `${row.schedule_id} ${row.tick}`).sort(), expected.sort());
    t.same(
      rows.filter(({ outcome }) => outcome !== 'requested'),
      [],
    );
    const runs = await control.database.read((sql) =>
      sql.all('SELECT schedule_id, count(*) AS count FROM runs GROUP BY schedule_id'),
    );
    const counts = (runs as { schedule_id: string; count: number }[]).map((row) => [
      row.schedule_id,
      Number(row.count),
    ]);
    const expectedCounts = schedules
      .map(({ schedule_id: id }) => [id, expected.filter((tick) => tick.startsWith(`${id} `)).length] as const)
      .filter(([, count]) => count > 0);
    t.same(counts.sort(), expectedCounts.sort(), 'each tick has one run');
  });
