/** A fixed number of schedules, so that the test depends on nothing but the sources. `npm run test:simulation` plays more. */
import t from 'tap';
import { openSimulation } from './simulation.ts';
import type { Plan, PlannedAction } from './world/plan.ts';

const schedules = 120;

t.test('the simulation', async (t) => {
  const simulation = await openSimulation();
  t.teardown(() => simulation.close());

  await t.test('the same seed gives the same trace', async (t) => {
    for (const seed of [1, 2, 3]) {
      const plan = simulation.createPlan(seed);
      const first = await simulation.play(plan);
      t.ok(first.trace.length > 20, 'something happens');
      t.same((await simulation.play(plan)).trace, first.trace);
    }
  });

  await t.test('a schedule on files is the same as in memory', async (t) => {
    for (const seed of [4, 5, 136]) {
      const plan = simulation.createPlan(seed);
      const { trace } = await simulation.play(plan);
      t.same((await simulation.play(plan, true)).trace, trace);
    }
  });

  await t.test('a restore ends and cancels the runs of its backup', async (t) => {
    const plan: Plan = {
      ...{ ...simulation.createPlan(1), durationMs: 1000, lossRate: 0, isTargetHostile: false },
      actions: [
        { kind: 'request', atMs: 100, instance: 'app', count: 3, repeats: false },
        { kind: 'copy folder', atMs: 120, process: 'control' },
        { kind: 'restore', atMs: 400, points: 100 },
      ],
    };
    for (const usesFiles of [false, true]) {
      const { trace, violations } = await simulation.play(plan, usesFiles);
      t.same(violations, []);
      t.match(trace.join('\n'), / restored: 1 runs ended, 2 cancelled/);
    }
  });

  await t.test('without faults every run passes, and is sent once', async (t) => {
    const plan = { ...simulation.createPlan(1), lossRate: 0, isTargetHostile: false };
    const actions = plan.actions.filter(({ kind }) => kind === 'request' || kind === 'hub call');
    const { violations, trace, requests } = await simulation.play({ ...plan, actions });
    t.same(violations, []);
    const count = (pattern: RegExp): number => trace.filter((line) => pattern.test(line)).length;
    t.ok(requests > 0);
    // Which a waiting poll took with the request is never in the store as queued.
    t.equal(count(/ store .* in_progress$/), requests);
    t.equal(count(/ store .* passed$/), requests);
  });

  await t.test('a copy of the control plane’s folder may send again what waits in it, and nothing else', async (t) => {
    // The first seed that was found, and the first time of its requests: what takes another turn moves the copy to another moment.
    const plan = simulation.createPlan(15_000_883);
    const playAfter = (delayMs: number) => {
      const delay = (action: PlannedAction) =>
        action.kind === 'request' ? { ...action, atMs: action.atMs + delayMs } : action;
      return simulation.play({ ...plan, actions: plan.actions.map(delay) });
    };
    let result = await playAfter(0);
    for (
      let delayMs = 1;
      delayMs <= 20 && result.faults.every((name) => name !== 'sent again, not covered');
      delayMs += 1
    ) {
      t.same(result.violations, []);
      result = await playAfter(delayMs);
    }
    const { violations, faults, trace } = result;
    t.same(violations, []);
    t.equal(faults.filter((name) => name === 'sent again, not covered').length, 1);
    t.equal(trace.filter((line) => / for the 2th time$/.test(line)).length, 1);
  });

  await t.test(`everything holds in ${schedules} schedules with faults`, async (t) => {
    let requests = 0;
    for (let seed = 0; seed < schedules; seed += 1) {
      const result = await simulation.play(simulation.createPlan(seed));
      requests += result.requests;
      if (result.violations.length > 0)
        t.fail(`${result.violations.join('; ')}; replay it with: npm run test:simulation -- --seed ${seed}`);
    }
    t.ok(requests > schedules, `${requests} requests reached the target`);
  });
});
