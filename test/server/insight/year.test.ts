/** What the API says about a simulated year, against its truth. */
import t from 'tap';
import type { RunComparison } from '../../../src/contract/comparison-api.ts';
import type { FailureGroup } from '../../../src/contract/failures-api.ts';
import type { ScenarioHealth, ScenarioHealthList } from '../../../src/contract/health-api.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { registerInstance, startTestServer } from '../test-server.ts';
import { dayMs, drift, flakyRates, regressions, stableScenarios, startYear, versions, yearDays } from './year.ts';

t.setTimeout(240_000);

const seed = 20_261_123;

t.test('a simulated year is told as it was', async (t) => {
  const clock = fakeClock();
  const startMs = Math.floor(clock.nowMs() / dayMs) * dayMs;
  const api = await startTestServer(t, { clock });
  await registerInstance(api, 'app');
  const writeUntil = await startYear(api.control, 'app', startMs, seed);
  const read = async (path: string) => (await api.ask('GET', `/api/v1/instances/app/${path}`)).json();
  const goTo = async (day: number): Promise<void> => {
    await writeUntil(day);
    clock.advance(startMs + day * dayMs - clock.nowMs());
  };
  const names = new Set<string>();
  let looks = 0;
  /** Looks in which the speed of a stable scenario seemed to change; one in a hundred is by chance. */
  let speedAlarms = 0;
  const readHealth = async (day: number): Promise<readonly ScenarioHealth[]> => {
    await goTo(day);
    const { scenarios }: ScenarioHealthList = await read('health');
    for (const { scenario_id: id, flaky } of scenarios) if (flaky) names.add(id);
    const stable = scenarios.filter(({ scenario_id: id }) => stableScenarios.includes(id));
    t.same(
      stable.filter(({ flaky }) => flaky).map(({ scenario_id: id }) => id),
      [],
      `no stable scenario is flaky on day ${day}`,
    );
    looks += 1;
    if (stable.some(({ speed }) => speed === 'slower' || speed === 'faster')) speedAlarms += 1;
    return scenarios;
  };

  for (let day = 10; day < drift.fromDay - 10; day += 10) await readHealth(day);

  await t.test('slow drift is noticed within three days', async (t) => {
    const slowerDays: number[] = [];
    for (let day = drift.fromDay - 10; day <= drift.fromDay + 5; day += 1) {
      const entry = (await readHealth(day)).find(({ scenario_id: id }) => id === drift.scenario);
      if (entry?.speed === 'slower') slowerDays.push(day);
    }
    const [noticed = Number.POSITIVE_INFINITY] = slowerDays;
    t.ok(noticed > drift.fromDay && noticed <= drift.fromDay + 3, `noticed on day ${noticed - drift.fromDay}`);
    t.equal(slowerDays.at(-1), drift.fromDay + 5, 'and it stays');
  });

  for (let day = drift.fromDay + 10; day < yearDays; day += 10) await readHealth(day);

  t.ok(speedAlarms <= 0.05 * looks, `${speedAlarms} false alarms about speed in ${looks} looks`);

  await t.test('flaky scenarios are found, with their rates', async (t) => {
    const known = Object.keys(flakyRates);
    const lastDay = await readHealth(yearDays);
    t.ok(known.filter((id) => names.has(id)).length >= 0.95 * known.length, [...names].join(' '));
    for (const { scenario_id: id, pass_rate: rate } of lastDay) {
      const expected = 1 - (flakyRates[id] ?? 0);
      const tolerance = 4 * Math.sqrt((expected * (1 - expected)) / 100);
      const isRegressing = Object.values(regressions).some((byScenario) => Object.hasOwn(byScenario, id));
      if (!isRegressing) t.ok(Math.abs((rate ?? 0) - expected) <= tolerance + 1e-9, `${id}: ${rate} of ${expected}`);
    }
  });

  await t.test('each regression is named with the version that brought it, and with no other', async (t) => {
    const named = {
      failing: new Map<string, string>(),
      slower: new Map<string, string>(),
      intermittent: new Map<string, string>(),
    };
    for (const [index, head] of versions.entries()) {
      const base = versions[index - 1];
      if (base === undefined) continue;
      const { scenarios }: RunComparison = await read(`comparison?base_version=${base}&head_version=${head}`);
      for (const { scenario_id: id, change, speed, fails_more_often: more } of scenarios) {
        if (change === 'newly_failing') named.failing.set(id, head);
        if (change === 'flaky' && more) named.intermittent.set(id, head);
        if (speed === 'slower' && id !== drift.scenario) named.slower.set(id, head);
      }
    }
    for (const kind of ['failing', 'slower', 'intermittent'] as const)
      t.same(Object.fromEntries([...named[kind]].sort()), regressions[kind], kind);
  });

  await t.test('the failure of each regression was first seen in the version that brought it', async (t) => {
    const { items }: { items: readonly FailureGroup[] } = await read('failures?limit=200');
    const expected = { ...regressions.failing, ...regressions.intermittent };
    const first = items.map(({ scenario_id: id, first_seen: seen }) => [id, seen.target_version] as const);
    t.same(Object.fromEntries(first.filter(([id]) => Object.hasOwn(expected, id)).sort()), expected);
    t.same(
      first.map(([id]) => id).filter((id) => stableScenarios.includes(id)),
      [],
    );
    const failing = items.filter((item) => item.failing).map(({ scenario_id: id }) => id);
    t.ok(failing.includes('RT-31'), 'the regression of the present version fails now');
    t.notOk(failing.includes('RT-28'), 'an earlier one does not');
  });
});
