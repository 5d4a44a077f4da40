import t from 'tap';
import {
  type ComparedSelection,
  findTargetVersion,
  listOtherVersions,
  listTargetVersions,
} from '../../../src/store/control/runs/compared-runs.ts';
import { openTestControlWithApp } from '../control-fixture.ts';
import { createScenarioText } from '../report-fixture.ts';
import { completeRun } from './run-history.ts';

const ana = { name: 'ana' };
const version = (name: string): ComparedSelection => ({ kind: 'version', version: name });

t.test('two versions are compared scenario by scenario', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  await control.catalogue.write('app', 'RT-TWO', { text: createScenarioText('RT-TWO') }, ana);
  const runBoth = async (name: string, results: readonly ('passed' | 'failed')[]) => {
    for (const result of results) {
      clock.advance(60_000);
      await completeRun(control, { version: name });
      clock.advance(60_000);
      await completeRun(control, { version: name, scenario: 'RT-TWO', result });
    }
  };
  await runBoth('1.0', ['passed', 'passed']);
  await runBoth('1.1', ['failed', 'failed']);
  const comparison = await control.comparison.compare('app', version('1.0'), version('1.1'));
  t.match(comparison, {
    base: { target_version: '1.0', runs: 4, complete: true },
    head: { target_version: '1.1', runs: 4, complete: true },
    totals: { newly_failing: 1, unchanged: 1, fixed: 0 },
  });
  t.match(comparison.scenarios, [
    { scenario_id: 'RT-TWO', change: 'newly_failing', base: { passed: 2 }, head: { failed: 2 } },
    { scenario_id: 'RT-GET-document', change: 'unchanged' },
  ]);
  t.match(await control.comparison.listTargetVersions('app'), [
    { target_version: '1.1', passed: 2, failed: 2 },
    { target_version: '1.0', passed: 4, failed: 0 },
  ]);
});

t.test('the report of a run names the version of its request, also where a header has another one', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const run = await completeRun(control, { version: '1.1', requestedVersion: '1.2' });
  const { report, target_version: version } = await control.runs.get(run);
  t.same([report?.target_version, version], ['1.2', '1.2']);
  t.equal((await control.runs.report(await completeRun(control, { version: '1.1' }))).target_version, '1.1');
  t.equal((await control.runs.report(await completeRun(control))).target_version, undefined);
});

t.test('periods are compared, and a side without runs is an error instead of a difference', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const startMs = clock.nowMs();
  await completeRun(control, {});
  clock.advance(3_600_000);
  await completeRun(control, { result: 'failed' });
  const period = (fromMs: number, toMs: number): ComparedSelection => ({
    kind: 'period',
    sinceMs: startMs + fromMs,
    untilMs: startMs + toMs,
  });
  const comparison = await control.comparison.compare('app', period(0, 1_800_000), period(1_800_000, 7_200_000));
  t.match(comparison, { base: { target_version: null }, totals: { newly_failing: 1 } });
  const compareEmpty = control.comparison.compare('app', period(-10, 0), period(0, 7_200_000));
  await t.rejects(compareEmpty, { code: 'COMPARISON_EMPTY' });
  await t.rejects(control.comparison.compare('app', version('2'), version('1')), { code: 'COMPARISON_EMPTY' });
  await t.rejects(control.comparison.compare('apq', version('2'), version('1')), { code: 'INSTANCE_UNKNOWN' });
});

t.test('a renamed scenario is compared under its present id', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  await completeRun(control, { version: '1' });
  await control.catalogue.rename('app', 'RT-GET-document', { new_id: 'RT-second' }, ana);
  await control.catalogue.rename('app', 'RT-second', { new_id: 'RT-third' }, ana);
  clock.advance(60_000);
  await completeRun(control, { version: '2', scenario: 'RT-third' });
  t.match((await control.comparison.compare('app', version('1'), version('2'))).scenarios, [
    { scenario_id: 'RT-third', change: 'unchanged' },
  ]);
});

t.test('the version before is listed where the newest runs that are looked at have only one', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  for (const name of ['1.0', '1.2', '1.2', '1.1', '1.1', '1.1']) {
    clock.advance(60_000);
    await completeRun(control, { version: name, result: name === '1.0' ? 'failed' : 'passed' });
  }
  await control.database.read((sql) => {
    t.match(listTargetVersions(sql, 'app', 3, 200), [{ version: '1.1', passed: 3 }], 'the limit is reached');
    t.same(listOtherVersions(sql, 'app', '1.1', 200), ['1.2', '1.0']);
    t.same(listOtherVersions(sql, 'app', '1.1', 1), ['1.2']);
    t.match(findTargetVersion(sql, 'app', '1.2', 1), { version: '1.2', passed: 1, failed: 0 });
    t.match(findTargetVersion(sql, 'app', '1.0', 9), { version: '1.0', passed: 0, failed: 1 });
    t.equal(findTargetVersion(sql, 'app', '9.0', 9), undefined);
  });
});
