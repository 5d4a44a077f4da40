/** Health and comparisons stay in memory between looks, and are always those of the store. */
import t, { type Test } from 'tap';
import { createComparedSides } from '../../../src/control/runs/compared-sides.ts';
import { createComparisonService } from '../../../src/control/runs/comparison.ts';
import { createHealthService } from '../../../src/control/runs/health.ts';
import type { ComparedSelection } from '../../../src/store/control/runs/compared-runs.ts';
import type { Sql } from '../../../src/store/sql.ts';
import { createRandom } from '../../insight/random.ts';
import { openTestControl } from '../control-fixture.ts';
import { createScenarioText } from '../report-fixture.ts';
import { type EndedRun, insertEndedRuns } from './ended-runs.ts';

const ana = { name: 'ana' };
const hourMs = 3_600_000;
const scenarios = ['RT-busy', 'RT-flaky', 'RT-slow', 'RT-rare'];
const version = (name: string): ComparedSelection => ({ kind: 'version', version: name });

async function openHistory(t: Test, seed: number) {
  const { control, clock } = await openTestControl(t);
  const random = createRandom(seed);
  const runtime = { context: { store: { database: control.database }, clock } };
  const register = async (): Promise<void> => {
    await control.instances.create({ instance_id: 'app' }, ana);
    for (const id of scenarios) await control.catalogue.write('app', id, { text: createScenarioText(id) }, ana);
  };
  await register();
  let lastId = clock.nowMs();
  /** A run of the last hours that ends now, after others that were requested later. */
  const createRun = (versionName: string): EndedRun => {
    const turn = random();
    const scenario = turn < 0.8 ? 'RT-busy' : turn < 0.9 ? 'RT-flaky' : turn < 0.98 ? 'RT-slow' : 'RT-rare';
    lastId += 1;
    const id = lastId - Math.floor(random() * 6) * hourMs;
    const isFailed = scenario === 'RT-flaky' && random() < 0.3;
    const isSlow = scenario === 'RT-slow' && versionName > '1.4';
    return { id, scenario, version: versionName, isFailed, durationMs: (isSlow ? 90 : 40) * (1 + random() / 10) };
  };
  const addRuns = (versionName: string, count: number): Promise<void> => {
    lastId = Math.max(lastId, clock.nowMs());
    const runs = Array.from({ length: count }, () => createRun(versionName));
    return insertEndedRuns(control.database, 'app', [...new Map(runs.map((run) => [run.id, run])).values()]);
  };
  return { control, clock, random, runtime, addRuns, register };
}

t.test('health is that of the store, whatever ended or moved out of a period since the last look', async (t) => {
  const { control, clock, random, runtime, addRuns, register } = await openHistory(t, 1871);
  const look = async (message: string): Promise<void> =>
    void t.same(await control.health.list('app'), await createHealthService(runtime).list('app'), message);
  for (let step = 0; step < 30; step += 1) {
    clock.advance(Math.floor(random() * 12 * hourMs));
    if (random() < 0.7) await addRuns(`1.${Math.floor(step / 6)}`, Math.floor(random() * 60));
    await look(`step ${step}`);
    clock.advance(Math.floor(random() * hourMs));
    await look(`step ${step}, later`);
  }
  const [busy] = (await control.health.list('app')).scenarios.filter(({ scenario_id: id }) => id === 'RT-busy');
  t.equal(busy?.passed, 100, 'more runs than are looked at');
  await control.catalogue.rename('app', 'RT-flaky', { new_id: 'RT-renamed' }, ana);
  await look('after a rename');
  clock.advance(40 * 24 * hourMs);
  await look('after all of it');
  await addRuns('1.9', 30);
  await look('with runs again');
  await control.instances.remove('app');
  await register();
  await look('another environment of that name');
});

t.test('a comparison is that of the store, whatever ended since the last look', async (t) => {
  const { control, clock, random, runtime, addRuns, register } = await openHistory(t, 1872);
  const look = async (message: string): Promise<void> => {
    const fresh = createComparisonService(runtime);
    t.same(await control.comparison.listTargetVersions('app'), await fresh.listTargetVersions('app'), message);
    t.same(await control.comparison.compareNewest('app'), await fresh.compareNewest('app'), message);
    const sides = [version('1.0'), version('1.5')] as const;
    t.same(await control.comparison.compare('app', ...sides), await fresh.compare('app', ...sides), message);
  };
  await t.rejects(control.comparison.compareNewest('app'), { code: 'COMPARISON_VERSIONS_MISSING' });
  await addRuns('1.0', 200);
  await t.rejects(control.comparison.compareNewest('app'), { code: 'COMPARISON_VERSIONS_MISSING' });
  await addRuns('1.5', 200);
  for (let step = 0; step < 12; step += 1) {
    clock.advance(Math.floor(random() * 12 * hourMs));
    await addRuns(['1.0', '1.5', '1.6'][step % 3] ?? '', Math.floor(random() * 40));
    await look(`step ${step}`);
  }
  t.match((await control.comparison.compare('app', version('1.0'), version('1.5'))).scenarios, [
    { scenario_id: 'RT-flaky', change: 'flaky' },
    { scenario_id: 'RT-busy', speed: 'same' },
    { scenario_id: 'RT-rare' },
    { scenario_id: 'RT-slow', speed: 'slower', median_speed: 'slower' },
  ]);
  await control.catalogue.rename('app', 'RT-flaky', { new_id: 'RT-renamed' }, ana);
  await look('after a rename');
  await control.database.write((sql) => {
    sql.execute('DELETE FROM runs WHERE seq > (SELECT max(seq) FROM runs) - 10');
  });
  await addRuns('1.0', 20);
  await look('after the store went back');
  await control.instances.remove('app');
  await register();
  await addRuns('1.0', 20);
  await addRuns('1.5', 20);
  await look('another environment of that name');
});

t.test('a side whose runs are known is not read again, and new runs are read by their commits', async (t) => {
  const { control, addRuns } = await openHistory(t, 1873);
  await addRuns('1.0', 50);
  const texts: string[] = [];
  const sides = createComparedSides({
    read: (operation) =>
      control.database.read((sql) =>
        operation({
          ...sql,
          all: (text: string, ...values) => {
            texts.push(text);
            return sql.all(text, ...values);
          },
        } satisfies Sql),
      ),
  });
  const countReads = async (): Promise<{ all: number; ended: number; runs: number }> => {
    texts.length = 0;
    const { rows } = await sides.read('app', version('1.0'));
    const distinct = new Set(texts);
    const count = (pattern: RegExp): number => [...distinct].filter((text) => pattern.test(text)).length;
    return { all: count(/target_version = \?/), ended: count(/r\.seq > \?/), runs: rows.length };
  };
  const first = await countReads();
  t.match(first, { all: 1, ended: 0 });
  t.same(await countReads(), { ...first, all: 0 }, 'nothing ended');
  await addRuns('2.0', 5);
  t.same(await countReads(), { ...first, all: 0, ended: 1 }, 'runs of another version');
  await addRuns('1.0', 5);
  const { runs } = await countReads();
  t.ok(runs > first.runs, 'its own runs');
});
