/**
 * Proves the checks of a passed run: changes what each of them names, judges again, and tells which checks notice. Nothing is
 * sent; the judgement of the run is not touched.
 */
import type { Observed } from '../../check/observed.ts';
import type { JudgedCheck, Verdict } from '../verdict.ts';
import { bodyGroups, fieldOf, placesOf } from './body-changes.ts';
import type { Group } from './change.ts';
import { databaseGroups } from './database-changes.ts';
import { logGroups } from './log-changes.ts';
import type { Proof } from './proof.ts';
import { statusGroups } from './status-changes.ts';
import { suggestedCheck } from './suggest.ts';
import { type Tried, tryChanges } from './try-changes.ts';
import { mostUnchecked, uncheckedParts } from './unchecked.ts';
import { uncheckedEvidence } from './unchecked-evidence.ts';
import { weigh } from './weigh.ts';
import { Work } from './work.ts';

/** What a proof needs of the verdict, which was reached on `observed`: the pointers of its outcomes are used. */
export type ProvenVerdict = Pick<Verdict, 'result' | 'checks'>;

/** The proof. `limit` bounds what it may cost. Pure; throws nothing that judging does not. */
export function prove({ result, checks }: ProvenVerdict, observed: Observed | undefined, limit?: Work): Proof {
  if (result !== 'passed' || !observed) return unproven(result);
  const work = limit ?? Work.of(observed);
  const places = placesOf(checks, observed, work);
  const groups = [
    ...statusGroups(checks, observed.status),
    ...bodyGroups(places, checks, observed),
    ...logGroups(checks, observed),
    ...databaseGroups(checks, observed),
  ];
  const tried = triedByCheck(groups, checks, observed, work);
  const unchecked = uncheckedParts(checks, places, observed, work);
  return {
    changes: tried.changes + unchecked.changes,
    checks: checks.flatMap((entry, index) => {
      return weigh(index, checks, tried.of, () => better(entry, observed, places)) ?? [];
    }),
    unchecked: [...unchecked.parts, ...uncheckedEvidence(checks, observed)].slice(0, mostUnchecked),
    problem: undefined,
  };
}

/** The proof of a run that did not pass: there is none. */
function unproven(result: ProvenVerdict['result']): Proof {
  const problem =
    result === 'failed'
      ? 'nothing was proven, because the run failed: mend what failed first, then prove'
      : 'nothing was proven, because the run was not judged';
  return { changes: 0, checks: [], unchecked: [], problem };
}

/** `of`: what was tried of the things that each check names, by its place in the scenario. */
function triedByCheck(groups: readonly Group[], checks: readonly JudgedCheck[], observed: Observed, work: Work) {
  const of = new Map<number, Tried>();
  let changes = 0;
  for (const group of groups) {
    const tried = tryChanges(group, checks, observed, work);
    changes += tried.trials.length;
    for (const index of group.owners) of.set(index, tried);
  }
  return { of, changes };
}

/** A check of the same value that would notice other ones. */
function better(
  { check, outcome }: JudgedCheck,
  observed: Observed,
  places: ReturnType<typeof placesOf>,
): string | undefined {
  const field = fieldOf(check)?.text;
  const place = places.get(outcome?.pointer ?? '');
  return field === undefined || !place ? undefined : suggestedCheck(field, place.value, observed);
}
