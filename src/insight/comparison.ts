/**
 * What changed between two sets of runs, such as those of two versions of the target: scenario by scenario, by their results
 * and by how long their responses took.
 */
import type { RunOutcome } from '../run/state.ts';
import { getPercentile, sortNumbers } from './percentile.ts';
import { selectSignificant, type Tally, testFailsMoreOften } from './significance.ts';
import { type SpeedChange, type SpeedTest, testSpeedDifference, toSpeedChange } from './speed.ts';

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
  readonly speed: SpeedChange;
  /** Of the test that durations grew, or fell; null where it was not made. */
  readonly speedP: number | null;
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
/** Of the median. */
const minSpeedShare = 0.1;

type Side = { readonly summary: ComparisonSide; readonly sortedMs: Float64Array };

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

/** Scenarios that need a look first, then by id. */
export function compareRuns(baseRuns: readonly ComparedRun[], headRuns: readonly ComparedRun[]): ScenarioComparison[] {
  const byScenario = (runs: readonly ComparedRun[]) => Map.groupBy(runs, ({ scenario }) => scenario);
  const [baseByScenario, headByScenario] = [byScenario(baseRuns), byScenario(headRuns)];
  const ids = [...new Set([...baseByScenario.keys(), ...headByScenario.keys()])].sort();
  const pairs = ids.map((scenario) => {
    const [base, head] = [baseByScenario.get(scenario), headByScenario.get(scenario)].map(
      (runs) => runs && summarize(runs),
    );
    if (!base || !head) return { scenario, base, head, test: undefined, failureP: undefined };
    const test = testSpeedDifference(base.sortedMs, head.sortedMs, minSpeedShare);
    return { scenario, base, head, test, failureP: testFailsMoreOften(base.summary, head.summary) };
  });
  const significantSpeeds = selectScenarios(pairs, ({ test }) => test?.p);
  const significantFailures = selectScenarios(pairs, ({ failureP }) => failureP);
  return pairs
    .map((pair) => toComparison(pair, significantFailures.has(pair.scenario), significantSpeeds.has(pair.scenario)))
    .sort((a, b) => comparisonChanges.indexOf(a.change) - comparisonChanges.indexOf(b.change));
}

type Pair = {
  readonly scenario: string;
  readonly base: Side | undefined;
  readonly head: Side | undefined;
  readonly test: SpeedTest | undefined;
  readonly failureP: number | undefined;
};

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

function toComparison(
  { scenario, base, head, test }: Pair,
  failsMoreOften: boolean,
  isSpeedSignificant: boolean,
): ScenarioComparison {
  const common = { scenario, base: base?.summary ?? null, head: head?.summary ?? null, speedP: test?.p ?? null };
  const rest = { ...common, quarantined: isQuarantined(head?.summary) };
  if (!base || !head)
    return {
      ...rest,
      change: head ? 'added' : 'removed',
      failsMoreOften: false,
      speed: 'not_tested',
      newFailures: head?.summary.failures ?? [],
    };
  const known = new Set(base.summary.failures);
  return {
    ...rest,
    change: classify(base.summary, head.summary, failsMoreOften),
    failsMoreOften,
    speed: toSpeedChange(test, isSpeedSignificant),
    newFailures: head.summary.failures.filter((failure) => !known.has(failure)),
  };
}
