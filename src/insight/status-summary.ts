/**
 * What the newest runs say about an application, for people who see nothing else: never green by what is missing. A scenario
 * counts with its newest result; one in quarantine counts apart.
 */
import { sortNumbers } from './percentile.ts';

/** Overall. `incomplete`: nothing failed, and not everything passed. */
export const statusStates = ['passing', 'failing', 'incomplete', 'stale', 'no_runs'] as const;
export type StatusState = (typeof statusStates)[number];

/** Of a scenario, worst first. */
export const scenarioStatuses = ['failing', 'not_judged', 'stale', 'not_run', 'passing'] as const;
export type ScenarioStatus = (typeof scenarioStatuses)[number];

export type StatusRun = {
  /** When it ended. */
  readonly atMs: number;
  readonly outcome: 'passed' | 'failed' | 'broken';
  readonly failureKind: string | null;
};

/** `history`: newest first; empty where it was not read. `isCut`: there are older runs than those of `history`. */
export type StatusScenario = {
  readonly id: string;
  readonly title: string;
  readonly isQuarantined: boolean;
  readonly newest: StatusRun | undefined;
  readonly history: readonly StatusRun[];
  readonly isCut: boolean;
};

export type ScenarioSummary = {
  readonly scenario: StatusScenario;
  readonly status: ScenarioStatus;
  readonly passed: number;
  readonly failed: number;
  readonly notJudged: number;
};

export type StatusSummary = {
  readonly state: StatusState;
  readonly lastRunAtMs: number | undefined;
  readonly staleAfterMs: number;
  /** Of the scenarios that are not in quarantine. */
  readonly counts: Readonly<Record<ScenarioStatus, number>>;
  /** Worst first. */
  readonly scenarios: readonly ScenarioSummary[];
  readonly quarantined: readonly ScenarioSummary[];
};

const minuteMs = 60_000;
/** The queue alone may take that long. */
const minStaleAfterMs = 10 * minuteMs;
/** Where the runs are too few to say what is usual. */
const defaultStaleAfterMs = 7 * 24 * 60 * minuteMs;
const minGaps = 3;

/**
 * The usual interval of runs: half of the time between the first and the last lies in gaps of at least this length. The median
 * of the gaps would be seconds for a suite that runs once a day. Undefined with fewer than three gaps.
 */
export function findUsualIntervalMs(timesMs: readonly number[]): number | undefined {
  const sorted = sortNumbers(timesMs);
  const gaps = sorted.slice(1).map((timeMs, index) => timeMs - (sorted[index] ?? timeMs));
  if (gaps.length < minGaps) return undefined;
  const longestFirst = sortNumbers([...gaps]).reverse();
  const halfMs = ((sorted.at(-1) ?? 0) - (sorted[0] ?? 0)) / 2;
  let coveredMs = 0;
  return longestFirst.find((gapMs) => {
    coveredMs += gapMs;
    return coveredMs >= halfMs;
  });
}

function toLimitMs(usualMs: number | undefined): number {
  return usualMs === undefined ? defaultStaleAfterMs : Math.max(minStaleAfterMs, 2 * usualMs);
}

/** Only the time that all histories cover: what runs often has a short one, and would seem to run as rarely as the others. */
function findSelectionLimitMs(scenarios: readonly StatusScenario[]): number {
  const starts = scenarios.flatMap(({ history, isCut }) => (isCut ? (history.at(-1)?.atMs ?? []) : []));
  const startMs = Math.max(0, ...starts);
  const times = scenarios.flatMap(({ history }) => history.map(({ atMs }) => atMs)).filter((atMs) => atMs >= startMs);
  return toLimitMs(findUsualIntervalMs(times));
}

function judgeScenario(scenario: StatusScenario, limitMs: number, nowMs: number): ScenarioStatus {
  const { newest } = scenario;
  if (!newest) return 'not_run';
  if (newest.outcome === 'failed') return 'failing';
  if (newest.outcome === 'broken') return 'not_judged';
  return nowMs - newest.atMs > limitMs ? 'stale' : 'passing';
}

function summarizeScenario(scenario: StatusScenario, status: ScenarioStatus): ScenarioSummary {
  const count = (outcome: StatusRun['outcome']): number =>
    scenario.history.filter((run) => run.outcome === outcome).length;
  return { scenario, status, passed: count('passed'), failed: count('failed'), notJudged: count('broken') };
}

function compareSeverity(a: ScenarioSummary, b: ScenarioSummary): number {
  const rank = ({ status }: ScenarioSummary): number => scenarioStatuses.indexOf(status);
  return rank(a) - rank(b) || (a.scenario.title < b.scenario.title ? -1 : 1);
}

type Times = { readonly nowMs: number; readonly staleAfterMs: number | undefined };

/** `staleAfterMs`: undefined for twice the usual interval. */
export function summarizeStatus(scenarios: readonly StatusScenario[], { nowMs, staleAfterMs }: Times): StatusSummary {
  const selectionLimitMs = staleAfterMs ?? findSelectionLimitMs(scenarios);
  const summaries = scenarios.map((scenario) => {
    const ownMs = toLimitMs(findUsualIntervalMs(scenario.history.map(({ atMs }) => atMs)));
    const limitMs = staleAfterMs ?? Math.max(ownMs, selectionLimitMs);
    return summarizeScenario(scenario, judgeScenario(scenario, limitMs, nowMs));
  });
  const [counted, quarantined] = [false, true].map((isQuarantined) =>
    summaries.filter(({ scenario }) => scenario.isQuarantined === isQuarantined).sort(compareSeverity),
  );
  const newestTimes = scenarios.flatMap(({ newest }) => newest?.atMs ?? []);
  const lastRunAtMs = newestTimes.length === 0 ? undefined : Math.max(...newestTimes);
  const count = (status: ScenarioStatus): number => (counted ?? []).filter((entry) => entry.status === status).length;
  const counts = {
    failing: count('failing'),
    not_judged: count('not_judged'),
    stale: count('stale'),
    not_run: count('not_run'),
    passing: count('passing'),
  };
  const isStale = lastRunAtMs !== undefined && nowMs - lastRunAtMs > selectionLimitMs;
  const state = chooseState(counts, quarantined ?? [], isStale);
  return {
    ...{ state, lastRunAtMs, staleAfterMs: selectionLimitMs, counts },
    ...{ scenarios: counted ?? [], quarantined: quarantined ?? [] },
  };
}

/** Without a result that counts there is nothing to say, whatever is in quarantine. */
function chooseState(
  counts: StatusSummary['counts'],
  quarantined: readonly ScenarioSummary[],
  isStale: boolean,
): StatusState {
  const results = counts.failing + counts.not_judged + counts.stale + counts.passing;
  if (results === 0) return 'no_runs';
  if (isStale) return 'stale';
  if (counts.failing > 0) return 'failing';
  const isComplete = counts.not_judged + counts.stale + counts.not_run === 0;
  return isComplete && quarantined.every(({ status }) => status === 'passing') ? 'passing' : 'incomplete';
}
