/**
 * What changed between two sets of runs, such as those of two versions of the target: scenario by scenario, by their results
 * and by how long their responses took.
 */
import type { RunOutcome } from '../run/state.ts';
import { getPercentile, sortNumbers } from './percentile.ts';
import { selectSignificant, type Tally, testFailsMoreOften, testIsLarger } from './significance.ts';

/** A run that has ended; runs are newest first. `failure` is the group of a failed run, where it has one. */
export type ComparedRun = {
  readonly id: number;
  readonly scenario: string;
  readonly outcome: RunOutcome;
  readonly durationMs: number | null;
  readonly failure: string | null;
};

/** In the order of what needs a look. `not_judged`: one side has no run that could be judged. */
export const comparisonChanges = [
  'newly_failing',
  'flaky',
  'not_judged',
  'failing_before',
  'fixed',
  'added',
  'removed',
  'unchanged',
] as const;
export type ComparisonChange = (typeof comparisonChanges)[number];

/** `not_tested`: too few passed runs on a side. */
export const speedChanges = ['slower', 'faster', 'same', 'not_tested'] as const;
export type SpeedChange = (typeof speedChanges)[number];

/** The runs of a scenario on one side. Percentiles are those of passed runs. */
export type ComparisonSide = Tally & {
  readonly notJudged: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly newestId: number;
  readonly failures: readonly string[];
};

export type ScenarioComparison = {
  readonly scenario: string;
  readonly change: ComparisonChange;
  /** True where `head` fails more often than chance explains; for `flaky` it says that it became so, or worse. */
  readonly failsMoreOften: boolean;
  readonly speed: SpeedChange;
  /** Of the test that durations grew, or fell; null where it was not made. */
  readonly speedP: number | null;
  readonly base: ComparisonSide | null;
  readonly head: ComparisonSide | null;
  /** Failures of `head` that `base` does not have. */
  readonly newFailures: readonly string[];
};

/** One scenario in a hundred comparisons is called newly failing, or slower, by chance. */
const significanceLevel = 0.01;
/** Below it the normal approximation of the test is not accurate. */
const minTimedRuns = 8;
const maxTimedRuns = 1000;
/** Smaller differences of the median are not worth a word, however certain. */
const minShare = 0.1;
const minDifferenceMs = 1;

type Side = { readonly summary: ComparisonSide; readonly durationsMs: readonly number[] };

function summarize(runs: readonly ComparedRun[]): Side {
  const count = (outcome: RunOutcome): number => runs.filter((run) => run.outcome === outcome).length;
  const durationsMs = runs
    .flatMap(({ outcome, durationMs }) => (outcome === 'passed' && durationMs !== null ? [durationMs] : []))
    .slice(0, maxTimedRuns);
  const sorted = sortNumbers(durationsMs);
  return {
    durationsMs,
    summary: {
      passed: count('passed'),
      failed: count('failed'),
      notJudged: count('broken'),
      p50Ms: getPercentile(sorted, 0.5),
      p95Ms: getPercentile(sorted, 0.95),
      newestId: runs[0]?.id ?? 0,
      failures: [...new Set(runs.flatMap(({ failure }) => failure ?? []))],
    },
  };
}

function classify(base: Tally, head: Tally, failsMoreOften: boolean): ComparisonChange {
  if (base.passed + base.failed === 0 || head.passed + head.failed === 0) return 'not_judged';
  const [baseIsMixed, headIsMixed] = [base, head].map(({ passed, failed }) => passed > 0 && failed > 0);
  if (!baseIsMixed && !headIsMixed) {
    if (head.failed > 0) return base.failed > 0 ? 'failing_before' : 'newly_failing';
    return base.failed > 0 ? 'fixed' : 'unchanged';
  }
  // One side has both results: a side with one result differs from it only by more than chance.
  if (headIsMixed) return 'flaky';
  if (head.failed > 0) return failsMoreOften ? 'newly_failing' : 'flaky';
  return testFailsMoreOften(head, base) < significanceLevel ? 'fixed' : 'flaky';
}

/** The direction of the medians decides which way is tested. */
function testSpeed(
  base: Side | undefined,
  head: Side | undefined,
): { readonly isSlower: boolean; readonly p: number } | undefined {
  if (!base || !head) return undefined;
  if (Math.min(base.durationsMs.length, head.durationsMs.length) < minTimedRuns) return undefined;
  const isSlower = (head.summary.p50Ms ?? 0) >= (base.summary.p50Ms ?? 0);
  const p = isSlower
    ? testIsLarger(base.durationsMs, head.durationsMs)
    : testIsLarger(head.durationsMs, base.durationsMs);
  return { isSlower, p };
}

function isWorthAWord(base: ComparisonSide, head: ComparisonSide): boolean {
  const [before, after] = [base.p50Ms ?? 0, head.p50Ms ?? 0];
  const difference = Math.abs(after - before);
  return difference >= minDifferenceMs && difference >= minShare * Math.min(before, after);
}

/** Scenarios that need a look first, then by id. */
export function compareRuns(baseRuns: readonly ComparedRun[], headRuns: readonly ComparedRun[]): ScenarioComparison[] {
  const byScenario = (runs: readonly ComparedRun[]) => Map.groupBy(runs, ({ scenario }) => scenario);
  const [baseByScenario, headByScenario] = [byScenario(baseRuns), byScenario(headRuns)];
  const ids = [...new Set([...baseByScenario.keys(), ...headByScenario.keys()])].sort();
  const sides = ids.map((scenario) => {
    const [base, head] = [baseByScenario.get(scenario), headByScenario.get(scenario)].map(
      (runs) => runs && summarize(runs),
    );
    return { scenario, base, head, test: testSpeed(base, head) };
  });
  const tested = sides.filter(({ test }) => test !== undefined);
  const flags = selectSignificant(
    tested.map(({ test }) => test?.p ?? 1),
    significanceLevel,
  );
  const significant = new Set(tested.filter((_, index) => flags[index]).map(({ scenario }) => scenario));
  return sides
    .map(({ scenario, base, head, test }) => toComparison(scenario, base, head, test, significant.has(scenario)))
    .sort((a, b) => comparisonChanges.indexOf(a.change) - comparisonChanges.indexOf(b.change));
}

function toComparison(
  scenario: string,
  base: Side | undefined,
  head: Side | undefined,
  test: ReturnType<typeof testSpeed>,
  isSignificant: boolean,
): ScenarioComparison {
  const rest = { scenario, base: base?.summary ?? null, head: head?.summary ?? null, speedP: test?.p ?? null };
  if (!base || !head)
    return {
      ...rest,
      change: head ? 'added' : 'removed',
      failsMoreOften: false,
      speed: 'not_tested',
      newFailures: head?.summary.failures ?? [],
    };
  const failsMoreOften = testFailsMoreOften(base.summary, head.summary) < significanceLevel;
  const known = new Set(base.summary.failures);
  const isChanged = isSignificant && isWorthAWord(base.summary, head.summary);
  return {
    ...rest,
    change: classify(base.summary, head.summary, failsMoreOften),
    failsMoreOften,
    speed: test === undefined ? 'not_tested' : isChanged ? (test.isSlower ? 'slower' : 'faster') : 'same',
    newFailures: head.summary.failures.filter((failure) => !known.has(failure)),
  };
}
