import t from 'tap';
import { openTestControlWithApp } from '../control-fixture.ts';
import { completeRun, type RunOutline } from './run-history.ts';

const scenario = 'RT-GET-document';
const hourMs = 3_600_000;

t.test('a scenario that passed and failed in one version is flaky, and its checks say which one', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const complete = (outline: RunOutline) => {
    clock.advance(hourMs);
    return completeRun(control, { version: '1.0', ...outline });
  };
  t.match(await control.health.list('app'), {
    window_runs: 100,
    scenarios: [{ scenario_id: scenario, flaky: false, health: null, pass_rate: null, speed: 'not_tested' }],
  });
  await complete({});
  await complete({ result: 'failed' });
  await complete({ result: 'failed', failure: { kind: 'timeout', message: 'no response', cure: '' } });
  await complete({});
  t.match((await control.health.list('app')).scenarios, [
    { passed: 2, failed: 1, not_judged: 1, flip_rate: 1, health: 0, flaky: true, flaky_version: '1.0' },
  ]);
  t.match((await control.health.get('app', scenario)).checks, [
    { check: 'body has count equals 1', step: null, line: 19, passed: 0, failed: 1, health: 0 },
  ]);
  await t.rejects(control.health.list('apq'), { code: 'INSTANCE_UNKNOWN' });
  await t.rejects(control.health.get('app', 'RT-GONE'), { code: 'SCENARIO_UNKNOWN' });
});

t.test('a renamed scenario keeps its health, and old runs do not count', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  await completeRun(control, { version: '1.0', result: 'failed' });
  clock.advance(31 * 24 * hourMs);
  await completeRun(control, { version: '1.0' });
  await control.catalogue.rename('app', scenario, { new_id: 'RT-second' }, { name: 'ana' });
  t.match((await control.health.list('app')).scenarios, [
    { scenario_id: 'RT-second', passed: 1, failed: 0, flaky: false },
  ]);
  t.match(await control.health.get('app', scenario), { scenario_id: 'RT-second', passed: 1 });
});

t.test('the last two days are compared with the 14 days before', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  for (let run = 0; run < 20; run += 1) {
    clock.advance(12 * hourMs);
    await completeRun(control, { totalMs: 100 + (run % 3) });
  }
  clock.advance(24 * hourMs);
  for (let run = 0; run < 9; run += 1) {
    clock.advance(4 * hourMs);
    await completeRun(control, { totalMs: 130 + (run % 3) });
  }
  t.match((await control.health.list('app')).scenarios, [{ speed: 'slower', earlier_p50_ms: 101, recent_p50_ms: 131 }]);
});
