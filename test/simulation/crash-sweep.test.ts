/**
 * Crashes at every point: a process has one before and after each commit, message and request. A small plan without another fault
 * is played once for each point of each of its two processes: 72 schedules.
 */
import t from 'tap';
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
const minPoints = 15;
const maxPoints = 200;

/** Undefined where the process has no such point. */
async function crashAt(simulation: Simulation, process: ProcessName, points: number): Promise<string[] | undefined> {
  const crash: PlannedAction = { kind: 'crash', atMs: 0, process, points, folder: 'intact', downMs: 300 };
  const { violations, faults } = await simulation.play({ ...base, actions: [crash, ...work] });
  return faults.includes('crash') ? [...violations] : undefined;
}

t.test('crashes at every point of a plan', async (t) => {
  const simulation = await openSimulation();
  t.teardown(() => simulation.close());
  const { violations } = await simulation.play(base);
  t.same(violations, [], 'without a crash');
  for (const process of ['control', 'executor-0'] as const)
    await t.test(`everything holds after a crash of ${process} at each of its points`, async (t) => {
      let points = 1;
      for (; points <= maxPoints; points += 1) {
        const crash = await crashAt(simulation, process, points);
        if (!crash) break;
        if (crash.length > 0) t.fail(`point ${points}: ${crash.join('; ')}`);
      }
      t.comment(`${points - 1} points`);
      t.ok(points > minPoints && points <= maxPoints, `${points - 1} points`);
    });
});
