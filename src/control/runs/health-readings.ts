/**
 * What the newest runs of each scenario say about its health. A reading stays in memory until a run of its scenario ends, or the
 * passing of time moves a run out of one of its periods: the answer is always that of the store.
 */

import { computeHealth, findFlakiness, type Health, type JudgedResult } from '../../insight/health.ts';
import { getPercentile, sortNumbers } from '../../insight/percentile.ts';
import { testSpeedDifference } from '../../insight/speed.ts';
import { getRunOutcome } from '../../run/state.ts';
import { findFirstHealthRun, type HealthRunRow, listHealthRuns } from '../../store/control/runs/health-runs.ts';
import { listNamedScenarios } from '../../store/control/runs/scenario-results.ts';
import { parseTexts } from '../../store/json-column.ts';
import type { Sql } from '../../store/sql.ts';
import { listNewlyEnded, type ResultBasis, readBasis } from './ended-changes.ts';

const dayMs = 86_400_000;
export const healthWindowMs = 30 * dayMs;
const maxWindowRuns = 100;
const minWindowRuns = 20;
/** Rows of one answer; each scenario takes up to four windows of runs. */
const rowBudget = 40_000;
const recentMs = 2 * dayMs;
const earlierMs = 14 * dayMs;
/** Of the median; a slow drift is small from one day to the next. */
const minDriftShare = 0.05;

/** `idsText`: its present and former ids as JSON. */
type NamedScenario = { readonly id: string; readonly title: string; readonly idsText: string };

type ScenarioReading = ReturnType<typeof readScenario>;

/** By the present ids of scenarios, in their order; `windowRuns` is how many runs of each count at most. */
export type InstanceReadings = {
  readonly basis: ResultBasis;
  readonly windowRuns: number;
  readonly scenarios: ReadonlyMap<string, ScenarioReading>;
};

export function toRates({ passed, failed, passRate, flipRate, health }: Health, notJudged: number) {
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
  const ids = parseTexts(scenario.idsText);
  const read = (sinceMs: number, untilMs: number, maxRuns: number): HealthRunRow[] =>
    listHealthRuns(sql, instance, ids, { sinceMs, untilMs, limit: maxRuns });
  const rows = read(nowMs - healthWindowMs, Number.MAX_SAFE_INTEGER, limit);
  const judged = toJudged(rows);
  const recentSinceMs = nowMs - recentMs;
  const earlierSinceMs = recentSinceMs - earlierMs;
  const recentRows = rows.filter(({ id }) => id >= recentSinceMs);
  const recent = sortDurations(recentRows);
  const known = rows.filter(({ id }) => id >= earlierSinceMs && id < recentSinceMs);
  const isFull = rows.length === limit;
  // All runs of the window are known where there are fewer than could be.
  const untilMs = isFull ? Math.min(recentSinceMs, rows.at(-1)?.id ?? recentSinceMs) : earlierSinceMs;
  const others = untilMs > earlierSinceMs ? read(earlierSinceMs, untilMs, 2 * limit - known.length) : [];
  const earlier = sortDurations([...known, ...others]);
  // Recent runs beyond the limit were not read, and will be earlier ones.
  const unread =
    isFull && recentRows.length === rows.length
      ? findFirstHealthRun(sql, instance, ids, { sinceMs: recentSinceMs, untilMs: rows.at(-1)?.id ?? 0 })
      : undefined;
  return {
    scenario,
    rates: toRates(computeHealth(judged), rows.length - judged.length),
    flakiness: findFlakiness(judged),
    test: testSpeedDifference('p50', earlier, recent, minDriftShare),
    medians: { recent_p50_ms: getPercentile(recent, 0.5), earlier_p50_ms: getPercentile(earlier, 0.5) },
    sinceMs: nowMs,
    untilMs: Math.min(
      findFirstMove(rows, healthWindowMs),
      findFirstMove(unread === undefined ? recentRows : [...recentRows, { id: unread }], recentMs),
      findFirstMove([...known, ...others], recentMs + earlierMs),
    ),
  };
}

/** Until when all of these runs are in the period of this length. */
function findFirstMove(rows: readonly Pick<HealthRunRow, 'id'>[], periodMs: number): number {
  return rows.reduce((earliest, { id }) => Math.min(earliest, id + periodMs), Number.POSITIVE_INFINITY);
}

function listScenarios(sql: Sql, instance: string): NamedScenario[] {
  return listNamedScenarios(sql, instance).map(({ scenario_id: id, title, ids }) => ({ id, title, idsText: ids }));
}

/** `before`: what was read last. Throws INSTANCE_UNKNOWN. */
export function readInstanceReadings(
  sql: Sql,
  instance: string,
  nowMs: number,
  before: InstanceReadings | undefined,
): InstanceReadings {
  const basis = readBasis(sql, instance);
  const named = listScenarios(sql, instance);
  const share = Math.floor(rowBudget / 4 / Math.max(1, named.length));
  const windowRuns = Math.min(maxWindowRuns, Math.max(minWindowRuns, share));
  const ended = before?.windowRuns === windowRuns ? listNewlyEnded(sql, instance, before.basis, basis) : undefined;
  const changed = ended && new Set(ended.map(({ scenario_id: id }) => id));
  const find = (scenario: NamedScenario): ScenarioReading | undefined => {
    const stored = changed && before?.scenarios.get(scenario.id);
    if (!stored || nowMs < stored.sinceMs || nowMs > stored.untilMs) return undefined;
    if (stored.scenario.idsText !== scenario.idsText) return undefined;
    const ids = parseTexts(scenario.idsText);
    return ids.some((id) => changed.has(id)) ? undefined : { ...stored, scenario };
  };
  const known = named.map((scenario) => ({ scenario, stored: find(scenario) }));
  // On PostgreSQL the newest runs of all scenarios arrive together.
  for (const { scenario, stored } of known)
    if (!stored) sql.ahead((ahead) => readScenario(ahead, instance, scenario, nowMs, windowRuns));
  const readings = known.map(({ scenario, stored }): [string, ScenarioReading] => [
    scenario.id,
    stored ?? readScenario(sql, instance, scenario, nowMs, windowRuns),
  ]);
  return { basis, windowRuns, scenarios: new Map(readings) };
}
