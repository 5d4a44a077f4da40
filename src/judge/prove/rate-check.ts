/** The trials of a check's subject → what the check is worth. */
import type { JudgedCheck } from '../verdict.ts';
import { adviseOnNeverFailingCheck, adviseOnUntestedCheck, type Coverage, formatCoverageAdvice } from './advice.ts';
import type { CheckProof } from './proof.ts';
import type { Trial, TrialResults } from './try-mutations.ts';

/** Lines of a report's list. */
const maxLines = 20;

/** `unprovable`: why the check has no subject. */
type RatingHints = {
  readonly field: string | undefined;
  readonly suggestion: string | undefined;
  readonly unprovable: string | undefined;
};

/** `results`: those of each check's subject. `suggest`: a better check of the same subject, where the check never fails. */
export function rateCheck(
  index: number,
  checks: readonly JudgedCheck[],
  results: ReadonlyMap<number, TrialResults>,
  suggest: () => RatingHints,
): CheckProof | undefined {
  const entry = checks[index];
  if (!entry) return undefined;
  const result = results.get(index);
  const trials = filterRelevant(entry, result);
  const noticed = trials.filter(({ noticedBy }) => noticedBy.has(index));
  const meaningful = noticed.filter(({ mutation }) => isPresenceCheck(entry) || mutation.affects === 'content');
  const counts = { changes: trials.length, noticed: noticed.length };
  const common = { text: entry.text, line: entry.range.start.line, ...counts };
  const uncovered = { ...common, coveredBy: [], example: noticed[0]?.mutation.description };
  if (meaningful.length === 0) {
    const neverFails = result?.isComplete && trials.length > 0;
    if (!neverFails) {
      const advice = suggest().unprovable ?? adviseOnUntestedCheck(result !== undefined);
      return { ...uncovered, verdict: 'not_tried', advice };
    }
    return {
      ...uncovered,
      verdict: 'never_fails',
      advice: adviseOnNeverFailingCheck(isPresenceCheck(entry), suggest()),
    };
  }
  const noticedAlone = noticed.filter(({ noticedBy }) => noticedBy.size === 1);
  if (noticedAlone.length > 0) {
    const example = noticedAlone.find((trial) => meaningful.includes(trial)) ?? noticedAlone[0];
    const description = example?.mutation.description;
    return { ...common, verdict: 'proven', coveredBy: [], example: description, advice: undefined };
  }
  if (!result?.isComplete) return { ...uncovered, verdict: 'not_tried', advice: adviseOnUntestedCheck(true) };
  const coverage = findCoverage(index, noticed, (other) => filterNoticed(other, checks, results));
  const lines = findLines(coverage.checkIndexes, checks);
  const advice = formatCoverageAdvice(lines, coverage.how);
  return { ...common, verdict: 'covered', coveredBy: lines, example: meaningful[0]?.mutation.description, advice };
}

function isPresenceCheck({ check, definition }: JudgedCheck): boolean {
  return definition.isPresenceCheck?.(check) === true;
}

/** Presence checks are only tried on a missing subject. */
function filterRelevant(entry: JudgedCheck, result: TrialResults | undefined): Trial[] {
  return (result?.trials ?? []).filter(({ mutation }) => !isPresenceCheck(entry) || mutation.affects === 'presence');
}

function filterNoticed(
  index: number,
  checks: readonly JudgedCheck[],
  results: ReadonlyMap<number, TrialResults>,
): Trial[] {
  const entry = checks[index];
  return entry ? filterRelevant(entry, results.get(index)).filter((trial) => trial.noticedBy.has(index)) : [];
}

function findCoverage(
  index: number,
  noticed: readonly Trial[],
  getNoticed: (other: number) => readonly Trial[],
): Coverage {
  const others = [...(noticed[0]?.noticedBy ?? [])].filter((other) => other !== index);
  const covering = others.filter((other) => noticed.every((trial) => trial.noticedBy.has(other))).slice(0, maxLines);
  if (covering.length > 0) {
    const noticingMore = covering.filter((other) => getNoticed(other).some((trial) => !trial.noticedBy.has(index)));
    if (noticingMore.length > 0) return { checkIndexes: noticingMore, how: 'more' };
    return { checkIndexes: covering, how: 'same' };
  }
  const together = new Set(noticed.flatMap((trial) => [...trial.noticedBy]));
  together.delete(index);
  return { checkIndexes: [...together].sort((a, b) => a - b), how: 'together' };
}

function findLines(indexes: readonly number[], checks: readonly JudgedCheck[]): number[] {
  return indexes.slice(0, maxLines).flatMap((index) => checks[index]?.range.start.line ?? []);
}
