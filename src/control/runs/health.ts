/** Health of scenarios and of their checks, read from the newest runs. */
import type {
  CheckHealth,
  ScenarioHealth,
  ScenarioHealthDocument,
  ScenarioHealthList,
} from '../../contract/health-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { computeHealth } from '../../insight/health.ts';
import { selectSignificant } from '../../insight/significance.ts';
import { toSpeedChange } from '../../insight/speed.ts';
import type { ReportCheck } from '../../report/report.ts';
import { listScenarioNames } from '../../store/control/instances/catalogue.ts';
import { findReport } from '../../store/control/runs/completion.ts';
import { listHealthRuns } from '../../store/control/runs/health-runs.ts';
import type { Sql } from '../../store/sql.ts';
import { readQuarantines } from '../catalogue/read-quarantines.ts';
import { requireScenario } from '../catalogue/revisions.ts';
import type { HealthService } from '../control.ts';
import { requireInstance } from '../instances/instances.ts';
import type { ReaderRuntime } from '../runtime.ts';
import { healthWindowMs, type InstanceReadings, readInstanceReadings, toRates } from './health-readings.ts';
import { fromStoredReport } from './report-storage.ts';

const significanceLevel = 0.01;
const maxReports = 50;

/** Flaky and slower ones first, then the least healthy. */
function compareAttention(a: ScenarioHealth, b: ScenarioHealth): number {
  const rank = ({ flaky, speed }: ScenarioHealth): number => (flaky ? 0 : speed === 'slower' ? 1 : 2);
  return rank(a) - rank(b) || (a.health ?? 2) - (b.health ?? 2);
}

/** `before`: what was read last, for what is still as it was. */
function readInstanceHealth(
  sql: Sql,
  instance: string,
  nowMs: number,
  before: InstanceReadings | undefined,
): { readonly health: ScenarioHealthList; readonly readings: InstanceReadings } {
  const readings = readInstanceReadings(sql, instance, nowMs, before);
  const all = [...readings.scenarios.values()];
  const tested = all.filter(({ test }) => test !== undefined);
  const flags = selectSignificant(
    tested.map(({ test }) => test?.p ?? 1),
    significanceLevel,
  );
  const quarantines = readQuarantines(sql, instance, nowMs);
  const significant = new Set(tested.filter((_, index) => flags[index]));
  const items = all.map((reading): ScenarioHealth => {
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
  return { health: { window_runs: readings.windowRuns, scenarios: items.sort(compareAttention) }, readings };
}

/** Checks of the newest text come in its order; those that it no longer has follow. */
function readCheckHealth(sql: Sql, instance: string, ids: readonly string[], nowMs: number): CheckHealth[] {
  const period = { sinceMs: nowMs - healthWindowMs, untilMs: Number.MAX_SAFE_INTEGER, limit: maxReports };
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

function readScenarioHealth(
  sql: Sql,
  instance: string,
  id: string,
  nowMs: number,
  before: InstanceReadings | undefined,
): ScenarioHealthDocument {
  requireInstance(sql, instance);
  const { scenario_id: present } = requireScenario(sql, instance, id);
  const { scenarios } = readInstanceHealth(sql, instance, nowMs, before).health;
  const health = scenarios.find(({ scenario_id: name }) => name === present);
  if (!health) throw vpError('INTERNAL', {}, { detail: `${present} is in the catalogue and has no health` });
  const ids = listScenarioNames(sql, instance, present);
  return { ...health, checks: readCheckHealth(sql, instance, ids, nowMs) };
}

/** Of so many environments the readings stay in memory, about 300 bytes for each scenario. */
const maxStoredInstances = 20;

export function createHealthService({ context: { store, clock } }: ReaderRuntime): HealthService {
  const { database } = store;
  const stored = new Map<string, InstanceReadings>();
  return {
    async list(instance) {
      const [nowMs, before] = [clock.nowMs(), stored.get(instance)];
      const { health, readings } = await database.read((sql) => readInstanceHealth(sql, instance, nowMs, before));
      if (stored.size >= maxStoredInstances && !stored.has(instance)) stored.clear();
      stored.set(instance, readings);
      return health;
    },
    get(instance, scenario) {
      const [nowMs, before] = [clock.nowMs(), stored.get(instance)];
      return database.read((sql) => readScenarioHealth(sql, instance, scenario, nowMs, before));
    },
  };
}
