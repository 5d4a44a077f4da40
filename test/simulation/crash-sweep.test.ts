/**
 * Crashes at every point: a process has one before and after each commit, message and request, and one wherever its code goes on,
 * after an await or at an event. A small plan without another fault is played once for each point of each of its two processes.
 */
import t, { type Test } from 'tap';
import { openSimulation, type Simulation } from './simulation.ts';
import type { Plan, PlannedAction, ProcessName } from './world/plan.ts';

/** Some runs, a cancelled one, a run that is requested twice with the same key, and a call through a hub. */
const work: readonly PlannedAction[] = [
  { kind: 'request', atMs: 100, instance: 'app', count: 2, repeats: true },
  { kind: 'hub call', atMs: 150, hub: 'acme' },
  { kind: 'cancel', atMs: 200, pick: 1 },
];
const base: Plan = {
  ...{ seed: 'sweep', instances: ['app'], durationMs: 2000, lossRate: 0 },
  ...{ isTargetHostile: false, isAuditStrict: true, isAuditNew: false, actions: work },
};
/** The executor hands reports in before it stores them: see executor-host.ts, which tells by the seed. */
const inProcess: Plan = { ...base, seed: 'sweep in process' };
const minEffectPoints = 15;
const minAwaits = 100;
const maxPoints = 500;

function createCrash(process: ProcessName, points: number, isAtAwait: boolean): PlannedAction {
  return { kind: 'crash', atMs: 0, process, points, isAtAwait, folder: 'intact', downMs: 300 };
}

/** The number of points. */
async function crashAtEach(
  t: Test,
  simulation: Simulation,
  plan: Plan,
  process: ProcessName,
  isAtAwait: boolean,
): Promise<number> {
  for (let points = 1; points <= maxPoints; points += 1) {
    const crash = createCrash(process, points, isAtAwait);
    const { violations, faults } = await simulation.play({ ...plan, actions: [crash, ...work] });
    if (faults.length === 0) return points - 1;
    if (violations.length > 0) t.fail(`point ${points}: ${violations.join('; ')}`);
  }
  return maxPoints;
}

t.test('crashes at every point of a plan', async (t) => {
  const simulation = await openSimulation();
  t.teardown(() => simulation.close());
  const { violations } = await simulation.play(base);
  t.same(violations, [], 'without a crash');
  for (const [process, plan] of [
    ['control', base],
    ['executor-0', base],
    ['executor-0', inProcess],
  ] as const) {
    await t.test(`everything holds after a crash of ${process} at each of its points`, async (t) => {
      const points = await crashAtEach(t, simulation, plan, process, false);
      t.comment(`${points} points`);
      t.ok(points > minEffectPoints && points < maxPoints, `${points} points`);
    });
    await t.test(`everything holds after a crash of ${process} at each of its awaits`, async (t) => {
      const points = await crashAtEach(t, simulation, plan, process, true);
      t.comment(`${points} points`);
      t.ok(points > minAwaits && points < maxPoints, `${points} points`);
    });
  }

  await t.test('a crash at an await is the same each time', async (t) => {
    for (const points of [17, 60, 120]) {
      const crash = createCrash('control', points, true);
      const plan: Plan = { ...base, actions: [crash, ...work] };
      const { trace } = await simulation.play(plan);
      t.ok(trace.some((line) => / crashed (after an await|at an event)$/.test(line)));
      t.same((await simulation.play(plan)).trace, trace);
    }
  });
});
