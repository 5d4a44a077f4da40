/** Plays schedules with a copy of the sources (module-hooks.ts). */
import { addMutation } from './module-hooks.ts';
import type { Mutation } from './mutations.ts';
import type * as positions from './world/await-positions.ts';
import type { AwaitPositions } from './world/await-positions.ts';
import type * as plans from './world/plan.ts';
import type { FaultKind, Plan } from './world/plan.ts';
import type * as simulations from './world/simulate.ts';
import type { SimulationResult } from './world/simulate.ts';
import type * as templates from './world/template.ts';

export type Simulation = {
  /** With faults of the kinds in `only`, or of some that the seed chooses. */
  createPlan(seed: number, only?: readonly FaultKind[]): Plan;
  /** `usesFiles`: on real files where memory would do, which takes longer and changes nothing else. */
  play(plan: Plan, usesFiles?: boolean): Promise<SimulationResult>;
  /** The smallest plan that still has a violation. */
  shrink(plan: Plan): Promise<Plan>;
  /** Counts the awaits that schedules pass, until it is stopped. */
  recordAwaitPositions(): AwaitPositions;
  close(): void;
};

/** Loads the sources, with `mutation` if it is given. Only one schedule can be played at a time in a process. */
export async function openSimulation(mutation?: Mutation): Promise<Simulation> {
  const copy = mutation ? encodeURIComponent(mutation.name) : 'unchanged';
  if (mutation) addMutation(mutation);
  const { createPlan }: typeof plans = await import(`./world/plan.ts?copy=${copy}`);
  const { simulate }: typeof simulations = await import(`./world/simulate.ts?copy=${copy}`);
  const { createTemplate }: typeof templates = await import(`./world/template.ts?copy=${copy}`);
  const { recordAwaitPositions }: typeof positions = await import(`./world/await-positions.ts?copy=${copy}`);
  const template = await createTemplate();
  const play = (plan: Plan, usesFiles?: boolean): Promise<SimulationResult> => simulate(plan, template, usesFiles);
  return {
    createPlan: (seed, only) => createPlan(String(seed), only),
    play,
    shrink: (plan) => shrinkPlan(plan, async (smaller) => (await play(smaller)).violations.length > 0),
    recordAwaitPositions,
    close: () => template.remove(),
  };
}

/** The first schedule that violates what the mutation takes away; undefined when there is none among `maxSchedules`. */
export async function findMutation(
  mutation: Mutation,
  from: number,
  maxSchedules: number,
): Promise<{ readonly seed: number; readonly violation: string } | undefined> {
  const simulation = await openSimulation(mutation);
  try {
    for (let seed = from; seed < from + maxSchedules; seed += 1) {
      const { violations } = await simulation.play(simulation.createPlan(seed, mutation.faults));
      const violation = violations.find((text) => mutation.violation.test(text));
      if (violation !== undefined) return { seed, violation };
    }
    return undefined;
  } finally {
    simulation.close();
  }
}

/**
 * A smaller plan with a violation: most of what a seed chose has nothing to do with it. `isFailing` plays a plan. Each action is left out, and each setting is made harmless, if the plan still
 * fails then.
 */
async function shrinkPlan(plan: Plan, isFailing: (smaller: Plan) => Promise<boolean>): Promise<Plan> {
  let smallest = plan;
  const attempt = async (smaller: Plan): Promise<void> => {
    if (await isFailing(smaller)) smallest = smaller;
  };
  await attempt({ ...smallest, lossRate: 0 });
  await attempt({ ...smallest, isTargetHostile: false });
  for (let half = Math.floor(plan.actions.length / 2); half >= 1; half = Math.floor(half / 2))
    for (let from = 0; from < smallest.actions.length; ) {
      const before = smallest;
      await attempt({ ...smallest, actions: smallest.actions.toSpliced(from, half) });
      if (smallest === before) from += half;
    }
  return smallest;
}
