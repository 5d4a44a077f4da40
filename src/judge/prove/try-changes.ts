/** Judges checks on changed evidence. */
import { judgeCheck } from '../../check/kinds.ts';
import type { Observed } from '../../check/observed.ts';
import type { JudgedCheck } from '../verdict.ts';
import type { Change, Group } from './change.ts';
import { costOf, type Work } from './work.ts';

/** A change that was tried, and the checks that it makes fail, by their place in the scenario. */
export type Trial = { readonly change: Change; readonly noticedBy: ReadonlySet<number> };

/** `isComplete`: false where work was left out. */
export type Tried = { readonly trials: readonly Trial[]; readonly isComplete: boolean };

/** Tries every change of a group that there is work left for. Others are asked only where one of the owners notices. */
export function tryChanges(group: Group, checks: readonly JudgedCheck[], observed: Observed, work: Work): Tried {
  const trials: Trial[] = [];
  for (const change of group.changes) {
    const judging = group.owners.reduce((sum, index) => sum + costAt(checks, index, change.size), 0);
    if (!work.spend(change.cost + judging)) continue;
    const changed = change.apply(observed);
    const fails = (index: number): boolean => failsOn(checks[index], changed);
    const noticedBy = new Set(group.owners.filter(fails));
    if (noticedBy.size > 0) {
      for (const { index, size } of group.others) {
        if (work.spend(costAt(checks, index, size)) && fails(index)) noticedBy.add(index);
      }
    }
    trials.push({ change, noticedBy });
  }
  return { trials, isComplete: trials.length === group.changes.length };
}

/** True when the check would fail. */
export function failsOn(entry: JudgedCheck | undefined, changed: Observed): boolean {
  return entry !== undefined && !judgeCheck(entry.check, changed).passed;
}

function costAt(checks: readonly JudgedCheck[], index: number, size: number): number {
  const entry = checks[index];
  return entry ? costOf(entry.check, size) : 0;
}
