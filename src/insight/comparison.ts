/**
 * What changed between two sets of runs, such as those of two versions of the target: scenario by scenario, by their results
 * and by how long their responses took.
 */
import type { RunOutcome } from '../run/state.ts';
import { getPercentile, sortNumbers } from './percentile.ts';
import { selectSignificant, type Tally, testFailsMoreOften } from './significance.ts';
import {
  type SpeedChange,
  type SpeedTest,
  type TestedPercentile,
  testSpeedDifference,
  toSpeedChange,
} from './speed.ts';

/** A run that has ended; runs are newest first. `failure` is the group of a failed run, where it has one. */
export type ComparedRun = {
  readonly id: number;
  readonly scenario: string;
  readonly outcome: RunOutcome;
  readonly durationMs: number | null;
  readonly failure: string | null;
  readonly quarantined: boolean;
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

/** The runs of a scenario on one side. Percentiles are those of passed runs. */
export type ComparisonSide = Tally & {
  readonly notJudged: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly newestId: number;
  readonly failures: readonly string[];
  /** Of those that did not pass, how many were in quarantine. */
  readonly quarantined: number;
};

export type ScenarioComparison = {
  readonly scenario: string;
  readonly change: ComparisonChange;
  /** True where `head` fails more often than chance explains; for `flaky` it says that it became so, or worse. */
  readonly failsMoreOften: boolean;
  /** Of the 95th percentile. */
  readonly speed: SpeedChange;
  /** Of the test that it grew, or fell; null where it was not made. */
  readonly speedP: number | null;
  /** As `speed` and `speedP`, but of the median. */
  readonly medianSpeed: SpeedChange;
  readonly medianP: number | null;
  readonly base: ComparisonSide | null;
  readonly head: ComparisonSide | null;
  /** Failures of `head` that `base` does not have. */
  readonly newFailures: readonly string[];
  /** True where `head` has failures and all of them were in quarantine. */
  readonly quarantined: boolean;
};

/** In one of a hundred comparisons, any scenario is called worse, or slower, by chance. */
const significanceLevel = 0.01;
const maxTimedRuns = 1000;
/** Of the percentile that is tested. */
const minSpeedShare = 0.1;

/** `sortedMs`: durations of passed runs, ascending. */
type Side = { readonly summary: ComparisonSide; readonly sortedMs: Float64Array };
/** The runs of one side, by scenario. */
export type SummarizedRuns = ReadonlyMap<string, Side>;

function isFailure(outcome: RunOutcome): boolean {
  return outcome === 'failed' || outcome === 'broken';
}

/** In one pass: a comparison has up to 40,000 runs. */
function summarize(runs: readonly ComparedRun[]): Side {
  const counts: Record<RunOutcome, number> = { passed: 0, failed: 0, broken: 0, cancelled: 0 };
  const durationsMs: number[] = [];
  const failures = new Set<string>();
  let quarantined = 0;
  for (const run of runs) {
    counts[run.outcome] += 1;
    if (run.failure !== null) failures.add(run.failure);
    if (run.quarantined && isFailure(run.outcome)) quarantined += 1;
    if (run.outcome === 'passed' && run.durationMs !== null && durationsMs.length < maxTimedRuns)
      durationsMs.push(run.durationMs);
  }
  const sortedMs = sortNumbers(durationsMs);
  return {
    sortedMs,
    summary: {
      passed: counts.passed,
      failed: counts.failed,
      notJudged: counts.broken,
      p50Ms: getPercentile(sortedMs, 0.5),
      p95Ms: getPercentile(sortedMs, 0.95),
      newestId: runs[0]?.id ?? 0,
      failures: [...failures],
      quarantined,
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

export function summarizeRuns(runs: readonly ComparedRun[]): SummarizedRuns {
  const byScenario = Map.groupBy(runs, ({ scenario }) => scenario);
  return new Map([...byScenario].map(([scenario, group]) => [scenario, summarize(group)]));
}

/** Scenarios that need a look first, then by id. */
export function compareSummaries(baseSides: SummarizedRuns, headSides: SummarizedRuns): ScenarioComparison[] {
  const ids = [...new Set([...baseSides.keys(), ...headSides.keys()])].sort();
  const pairs = ids.map((scenario): Pair => {
    const [base, head] = [baseSides.get(scenario), headSides.get(scenario)];
    return base && head ? testPair(scenario, base, head) : { scenario, base, head };
  });
  const significant = {
    failures: selectScenarios(pairs, ({ failureP }) => failureP),
    p95: selectScenarios(pairs, ({ p95 }) => p95?.p),
    p50: selectScenarios(pairs, ({ p50 }) => p50?.p),
  };
  return pairs
    .map((pair) => toComparison(pair, significant))
    .sort((a, b) => comparisonChanges.indexOf(a.change) - comparisonChanges.indexOf(b.change));
}

/** Tests are made where both sides ran. */
type Pair = {
  readonly scenario: string;
  readonly base: Side | undefined;
  readonly head: Side | undefined;
  readonly p95?: SpeedTest | undefined;
  readonly p50?: SpeedTest | undefined;
  readonly failureP?: number;
};

function testPair(scenario: string, base: Side, head: Side): Pair {
  const testSpeed = (percentile: TestedPercentile) =>
    testSpeedDifference(percentile, base.sortedMs, head.sortedMs, minSpeedShare);
  const failureP = testFailsMoreOften(base.summary, head.summary);
  return { scenario, base, head, p95: testSpeed('p95'), p50: testSpeed('p50'), failureP };
}

/** Scenarios of which each test is significant. */
type Significance = Readonly<Record<'failures' | 'p95' | 'p50', ReadonlySet<string>>>;

/** Scenarios whose p-value is significant among those of all scenarios. */
function selectScenarios(pairs: readonly Pair[], getP: (pair: Pair) => number | undefined): ReadonlySet<string> {
  const tested = pairs.flatMap((pair) => {
    const p = getP(pair);
    return p === undefined ? [] : [{ scenario: pair.scenario, p }];
  });
  const flags = selectSignificant(
    tested.map(({ p }) => p),
    significanceLevel,
  );
  return new Set(tested.filter((_, index) => flags[index]).map(({ scenario }) => scenario));
}

function isQuarantined(head: ComparisonSide | undefined): boolean {
  return head !== undefined && head.quarantined > 0 && head.quarantined === head.failed + head.notJudged;
}

function toComparison({ scenario, base, head, p95, p50 }: Pair, significant: Significance): ScenarioComparison {
  const failsMoreOften = significant.failures.has(scenario);
  const rest = {
    ...{ scenario, base: base?.summary ?? null, head: head?.summary ?? null },
    speed: toSpeedChange(p95, significant.p95.has(scenario)),
    speedP: p95?.p ?? null,
    medianSpeed: toSpeedChange(p50, significant.p50.has(scenario)),
    medianP: p50?.p ?? null,
    quarantined: isQuarantined(head?.summary),
  };
  if (!base || !head)
    return {
      ...rest,
      change: head ? 'added' : 'removed',
      failsMoreOften: false,
      newFailures: head?.summary.failures ?? [],
    };
  const known = new Set(base.summary.failures);
  return {
    ...rest,
    change: classify(base.summary, head.summary, failsMoreOften),
    failsMoreOften,
    newFailures: head.summary.failures.filter((failure) => !known.has(failure)),
  };
}
