/** Judges checks on mutated observations. */
import type { Observation } from '../../check/observation.ts';
import type { Mutation } from '../../check/subjects/subject.ts';
import type { JudgedCheck } from '../verdict.ts';
import type { SubjectGroup } from './subject-groups.ts';
import { estimateJudgingCost, type WorkBudget } from './work-budget.ts';

/** A mutation that was applied, and the checks that fail on it, by their index in the scenario. */
export type Trial = { readonly mutation: Mutation; readonly noticedBy: ReadonlySet<number> };

/** `isComplete`: false where the work budget did not suffice for every mutation. */
export type TrialResults = { readonly trials: readonly Trial[]; readonly isComplete: boolean };

/** Tries every mutation of a group that the budget allows. Checks of other subjects are judged only where an owner fails. */
export function tryMutations(
  group: SubjectGroup,
  checks: readonly JudgedCheck[],
  observation: Observation,
  work: WorkBudget,
): TrialResults {
  const { subject, owners, ownerSubjects, context } = group;
  const mutations = [
    ...subject.mutations(context),
    ...ownerSubjects.flatMap((each) => each.ownMutations?.(context) ?? []),
  ];
  const trials: Trial[] = [];
  for (const mutation of mutations) {
    const judgingCost = owners.reduce((sum, index) => sum + estimateCostAt(checks, index, mutation.size), 0);
    if (!work.spend(mutation.cost + judgingCost)) continue;
    const mutated = mutation.apply(observation);
    const fails = (index: number): boolean => isFailedBy(checks[index], mutated);
    const noticedBy = new Set(owners.filter(fails));
    if (noticedBy.size > 0) {
      for (const { index, size } of group.others) {
        if (work.spend(estimateCostAt(checks, index, size)) && fails(index)) noticedBy.add(index);
      }
    }
    trials.push({ mutation, noticedBy });
  }
  return { trials, isComplete: trials.length === mutations.length };
}

export function isFailedBy(entry: JudgedCheck | undefined, observation: Observation): boolean {
  return entry !== undefined && !entry.definition.judge(entry.check, observation).passed;
}

function estimateCostAt(checks: readonly JudgedCheck[], index: number, size: number): number {
  const entry = checks[index];
  return entry ? estimateJudgingCost(entry, size) : 0;
}
