/**
 * Proves the checks of a passed run: mutates what each of them names, judges again, and reports which checks fail. Nothing is
 * sent, and the verdict of the run does not change.
 */
import type { CheckKind } from '../../check/check-kind.ts';
import { checkKinds } from '../../check/kinds.ts';
import type { Observation } from '../../check/observation.ts';
import type { Verdict } from '../verdict.ts';
import type { Proof, UncheckedPart } from './proof.ts';
import { rateCheck } from './rate-check.ts';
import { groupBySubject } from './subject-groups.ts';
import { findPassingCheckText, toUncheckedPart } from './suggest.ts';
import { type TrialResults, tryMutations } from './try-mutations.ts';
import { findUncheckedLeaves, type UncheckedContext } from './unchecked-body.ts';
import { WorkBudget } from './work-budget.ts';

/** The parts of a verdict that a proof needs. Its outcomes must be those of the same observation. */
export type ProvableVerdict = Pick<Verdict, 'result' | 'checks'>;

/** `limit` bounds the cost; `kinds` are those that suggested checks may have. */
export type ProveOptions = { readonly limit?: WorkBudget | undefined; readonly kinds?: readonly CheckKind[] };

/** Parts of the evidence without a check that a proof lists. */
const maxUnchecked = 30;

/** Pure; throws only what judging throws. */
export function prove(
  { result, checks }: ProvableVerdict,
  observation: Observation | undefined,
  { limit, kinds = checkKinds }: ProveOptions = {},
): Proof {
  if (result !== 'passed' || !observation) return createEmptyProof(result);
  const work = limit ?? WorkBudget.createFor(observation);
  const groups = groupBySubject(checks, observation, work);
  const results = new Map<number, TrialResults>();
  let changes = 0;
  for (const group of groups.values()) {
    const trialResults = tryMutations(group, checks, observation, work);
    changes += trialResults.trials.length;
    for (const index of group.owners) results.set(index, trialResults);
  }
  const unchecked = findUnchecked({ checks, groups, observation, work, kinds });
  return {
    changes: changes + unchecked.changes,
    checks: checks.flatMap(({ check, definition, outcome }, index) => {
      const suggest = () => {
        const subject = outcome && definition.getSubject?.(check, observation, outcome);
        const suggestion = findPassingCheckText(subject?.suggestChecks?.() ?? [], observation, kinds);
        return { field: subject?.field, suggestion, unprovable: definition.explainUnprovable?.(check, observation) };
      };
      return rateCheck(index, checks, results, suggest) ?? [];
    }),
    unchecked: unchecked.parts,
    problem: undefined,
  };
}

/** The proof of a run that did not pass. */
function createEmptyProof(result: ProvableVerdict['result']): Proof {
  const problem =
    result === 'failed'
      ? 'nothing was proven, because the run failed: fix the failure first, then prove again'
      : 'nothing was proven, because the run was not judged';
  return { changes: 0, checks: [], unchecked: [], problem };
}

/** The head of the response, then the body, then the database and the log. */
function findUnchecked(context: UncheckedContext): {
  readonly parts: readonly UncheckedPart[];
  readonly changes: number;
} {
  const { observation, kinds } = context;
  const checks = context.checks.map(({ check }) => check);
  const findParts = (isResponse: boolean): UncheckedPart[] =>
    kinds
      .filter(({ looksAt }) => (looksAt === 'response') === isResponse)
      .flatMap((kind) => kind.findUnchecked?.(checks, observation) ?? [])
      .flatMap((candidate) => toUncheckedPart(candidate, observation, kinds));
  const head = findParts(true);
  const leaves = findUncheckedLeaves(context, maxUnchecked - head.length);
  return { parts: [...head, ...leaves.parts, ...findParts(false)].slice(0, maxUnchecked), changes: leaves.changes };
}
