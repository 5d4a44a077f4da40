/** Health of scenarios and of their checks, read from the newest runs. */
import type {
  CheckHealth,
  ScenarioHealth,
  ScenarioHealthDocument,
  ScenarioHealthList,
} from '../../contract/health-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { computeHealth, findFlakiness, type Health, type JudgedResult } from '../../insight/health.ts';
import { getPercentile, sortNumbers } from '../../insight/percentile.ts';
import { selectSignificant } from '../../insight/significance.ts';
import { testSpeedDifference, toSpeedChange } from '../../insight/speed.ts';
import type { ReportCheck } from '../../report/report.ts';
import { getRunOutcome } from '../../run/state.ts';
import { listScenarioNames } from '../../store/control/instances/catalogue.ts';
import { findReport } from '../../store/control/runs/completion.ts';
import { type HealthRunRow, listHealthRuns } from '../../store/control/runs/health-runs.ts';
import { listScenarioResults } from '../../store/control/runs/scenario-results.ts';
import type { Sql } from '../../store/sql.ts';
import { readQuarantines } from '../catalogue/read-quarantines.ts';
import { requireScenario } from '../catalogue/revisions.ts';
import type { HealthService } from '../control.ts';
import { requireInstance } from '../instances/instances.ts';
import type { ControlRuntime } from '../runtime.ts';
import { fromStoredReport } from './report-storage.ts';

const dayMs = 86_400_000;
const windowMs = 30 * dayMs;
const maxWindowRuns = 100;
const minWindowRuns = 20;
/** Rows of one answer; each scenario takes up to four windows of runs. */
const rowBudget = 40_000;
const recentMs = 2 * dayMs;
const earlierMs = 14 * dayMs;
const significanceLevel = 0.01;
/** Of the median; a slow drift is small from one day to the next. */
const minDriftShare = 0.05;
const maxReports = 50;

type NamedScenario = { readonly id: string; readonly title: string; readonly ids: readonly string[] };

function listScenarios(sql: Sql, instance: string): NamedScenario[] {
  return listScenarioResults(sql, instance).map(({ scenario_id: id, title, ids }) => ({
    id,
    title,
    ids: JSON.parse(ids),
  }));
}

function toRates({ passed, failed, passRate, flipRate, health }: Health, notJudged: number) {
  return { passed, failed, not_judged: notJudged, pass_rate: passRate, flip_rate: flipRate, health };
}

function toJudged(rows: readonly HealthRunRow[]): JudgedResult[] {
  return rows.flatMap(({ state, failure_kind: kind, target_version: version, revision_id: text }) =>
    getRunOutcome(state, kind) === 'broken' ? [] : [{ passed: state === 'passed', version, text }],
  );
}

/** Of those that passed, ascending. */
function sortDurations(rows: readonly HealthRunRow[]): Float64Array {
  const durations = rows.flatMap(({ state, duration_ms: ms }) => (state === 'passed' && ms !== null ? [ms] : []));
  return sortNumbers(durations);
}

function readScenario(sql: Sql, instance: string, scenario: NamedScenario, nowMs: number, limit: number) {
  const read = (sinceMs: number, untilMs: number, maxRuns: number): HealthRunRow[] =>
    listHealthRuns(sql, instance, scenario.ids, { sinceMs, untilMs, limit: maxRuns });
  const rows = read(nowMs - windowMs, Number.MAX_SAFE_INTEGER, limit);
  const judged = toJudged(rows);
  const recentSinceMs = nowMs - recentMs;
  const earlierSinceMs = recentSinceMs - earlierMs;
  const recent = sortDurations(rows.filter(({ id }) => id >= recentSinceMs));
  const known = rows.filter(({ id }) => id >= earlierSinceMs && id < recentSinceMs);
  // All runs of the window are known where there are fewer than could be.
  const untilMs = rows.length < limit ? earlierSinceMs : Math.min(recentSinceMs, rows.at(-1)?.id ?? recentSinceMs);
  const others = untilMs > earlierSinceMs ? read(earlierSinceMs, untilMs, 2 * limit - known.length) : [];
  const earlier = sortDurations([...known, ...others]);
  return {
    scenario,
    rates: toRates(computeHealth(judged), rows.length - judged.length),
    flakiness: findFlakiness(judged),
    test: testSpeedDifference('p50', earlier, recent, minDriftShare),
    medians: { recent_p50_ms: getPercentile(recent, 0.5), earlier_p50_ms: getPercentile(earlier, 0.5) },
  };
}

/** Flaky and slower ones first, then the least healthy. */
function compareAttention(a: ScenarioHealth, b: ScenarioHealth): number {
  const rank = ({ flaky, speed }: ScenarioHealth): number => (flaky ? 0 : speed === 'slower' ? 1 : 2);
  return rank(a) - rank(b) || (a.health ?? 2) - (b.health ?? 2);
}

function readInstanceHealth(sql: Sql, instance: string, nowMs: number): ScenarioHealthList {
  requireInstance(sql, instance);
  const scenarios = listScenarios(sql, instance);
  const share = Math.floor(rowBudget / 4 / Math.max(1, scenarios.length));
  const limit = Math.min(maxWindowRuns, Math.max(minWindowRuns, share));
  const readings = scenarios.map((scenario) => readScenario(sql, instance, scenario, nowMs, limit));
  const tested = readings.filter(({ test }) => test !== undefined);
  const flags = selectSignificant(
    tested.map(({ test }) => test?.p ?? 1),
    significanceLevel,
  );
  const quarantines = readQuarantines(sql, instance, nowMs);
  const significant = new Set(tested.filter((_, index) => flags[index]));
  const items = readings.map((reading): ScenarioHealth => {
    const { scenario, rates, flakiness, test, medians } = reading;
    const quarantine = quarantines.get(scenario.id);
    return {
      scenario_id: scenario.id,
      title: scenario.title,
      ...rates,
      flaky: flakiness !== undefined,
      flaky_version: flakiness?.version ?? null,
      speed: toSpeedChange(test, significant.has(reading)),
      ...medians,
      ...(quarantine ? { quarantine } : {}),
    };
  });
  return { window_runs: limit, scenarios: items.sort(compareAttention) };
}

/** Checks of the newest text come in its order; those that it no longer has follow. */
function readCheckHealth(sql: Sql, instance: string, ids: readonly string[], nowMs: number): CheckHealth[] {
  const period = { sinceMs: nowMs - windowMs, untilMs: Number.MAX_SAFE_INTEGER, limit: maxReports };
  const checks = listHealthRuns(sql, instance, ids, period).flatMap(({ id }): ReportCheck[] => {
    const stored = findReport(sql, id);
    return stored ? fromStoredReport({ report: stored.report, body: null }).checks : [];
  });
  const groups = Map.groupBy(checks, ({ text, step }) => JSON.stringify([text, step ?? null]));
  return [...groups.values()].flatMap((results) => {
    const [newest] = results;
    if (!newest) return [];
    const judged = results.filter(({ outcome }) => outcome !== 'not_judged');
    const health = computeHealth(judged.map(({ outcome }) => ({ passed: outcome === 'passed' })));
    const { text: check, step = null, line } = newest;
    return [{ check, step, line, ...toRates(health, results.length - judged.length) }];
  });
}

function readScenarioHealth(sql: Sql, instance: string, id: string, nowMs: number): ScenarioHealthDocument {
  requireInstance(sql, instance);
  const { scenario_id: present } = requireScenario(sql, instance, id);
  const health = readInstanceHealth(sql, instance, nowMs).scenarios.find(({ scenario_id: name }) => name === present);
  if (!health) throw vpError('INTERNAL', {}, { detail: `${present} is in the catalogue and has no health` });
  const ids = listScenarioNames(sql, instance, present);
  return { ...health, checks: readCheckHealth(sql, instance, ids, nowMs) };
}

export function createHealthService({ context: { store, clock } }: ControlRuntime): HealthService {
  const { database } = store;
  return {
    list(instance) {
      const nowMs = clock.nowMs();
      return database.read((sql) => readInstanceHealth(sql, instance, nowMs));
    },
    get(instance, scenario) {
      const nowMs = clock.nowMs();
      return database.read((sql) => readScenarioHealth(sql, instance, scenario, nowMs));
    },
  };
}
