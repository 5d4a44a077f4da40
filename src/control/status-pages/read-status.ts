/**
 * Reads what a status page shows. The number of rows is bounded, and so is each operation: it is public, and other work must
 * not wait for it.
 */

import type { StatusRun, StatusScenario } from '../../insight/status-summary.ts';
import { selectScenarios } from '../../schedule/selection.ts';
import { listScenarios } from '../../store/control/instances/catalogue.ts';
import { listQuarantines } from '../../store/control/instances/quarantines.ts';
import { listScenarioResults } from '../../store/control/runs/scenario-results.ts';
import type { StatusPageRow } from '../../store/control/status-pages/status-pages.ts';
import { listStatusRuns, listStatusRunsById } from '../../store/control/status-pages/status-runs.ts';
import type { Database } from '../../store/database.ts';
import { parseTexts } from '../../store/json-column.ts';
import type { Sql } from '../../store/sql.ts';
import { type RunHistory, type SelectedScenario, toStatusRun } from './selected-scenario.ts';
import { readSuiteSelection } from './suite-selection.ts';

export const windowDays = 30;
const windowMs = windowDays * 86_400_000;
/** More scenarios than that are counted, and not listed. */
export const maxListedScenarios = 300;
const maxHistory = 100;
/** Of all histories together. */
const rowBudget = 6_000;
/** Scenarios and runs of one operation. */
const batchSize = 25;
const runBatchSize = 400;

/** The scenarios of the catalogue with one of the tags; all without tags. */
function readSelection(sql: Sql, { instance_id: instance, tags }: StatusPageRow, nowMs: number): SelectedScenario[] {
  const quarantined = new Set(listQuarantines(sql, instance, nowMs).map(({ scenario_id: id }) => id));
  const selectable = listScenarios(sql, instance, '', 100_000).map((row) => ({
    scenario_id: row.scenario_id,
    tags: parseTexts(row.tags),
  }));
  const selected = new Set(selectScenarios(selectable, { tags: parseTexts(tags) }).map(({ scenario_id: id }) => id));
  return listScenarioResults(sql, instance)
    .filter(({ scenario_id: id }) => selected.has(id))
    .map(({ scenario_id: id, title, ids, failed_id: failedId, passed_id: passedId }) => ({
      ...{ id, title, ids: parseTexts(ids), isQuarantined: quarantined.has(id) },
      newestRunId: Math.max(failedId ?? 0, passedId ?? 0) || undefined,
    }));
}

function splitInto<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

type Reader = Pick<Database, 'read'>;

async function readNewestRuns({ read }: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, StatusRun>> {
  const newest = new Map<number, StatusRun>();
  for (const batch of splitInto(ids, runBatchSize))
    for (const row of await read((sql) => listStatusRunsById(sql, batch))) newest.set(row.id, toStatusRun(row));
  return newest;
}

/** Of the scenarios that are listed; those that need a look first. */
async function readHistories(
  { read }: Reader,
  instance: string,
  scenarios: readonly SelectedScenario[],
  sinceMs: number,
): Promise<ReadonlyMap<string, RunHistory>> {
  const limit = Math.min(maxHistory, Math.floor(rowBudget / Math.max(1, scenarios.length)));
  const histories = new Map<string, RunHistory>();
  for (const batch of splitInto(scenarios, batchSize)) {
    const rows = await read((sql) =>
      batch.map(({ ids }) => ids.flatMap((id) => listStatusRuns(sql, instance, id, { sinceMs, limit }))),
    );
    for (const [index, { id }] of batch.entries()) {
      const newestFirst = (rows[index] ?? []).sort((a, b) => b.id - a.id).slice(0, limit);
      histories.set(id, { runs: newestFirst.map(toStatusRun), isCut: newestFirst.length === limit });
    }
  }
  return histories;
}

function toStatusScenario(
  { id, title, isQuarantined }: SelectedScenario,
  newest: StatusRun | undefined,
  history: RunHistory | undefined,
): StatusScenario {
  return { id, title, isQuarantined, newest, history: history?.runs ?? [], isCut: history?.isCut ?? false };
}

/** Every scenario that the page selects. */
export async function readStatusScenarios(
  database: Reader,
  page: StatusPageRow,
  nowMs: number,
): Promise<StatusScenario[]> {
  const sinceMs = nowMs - windowMs;
  const selection = await database.read((sql) => readSelection(sql, page, nowMs));
  const { instance_id: instance, suite: name, branch } = page;
  if (name !== null || branch !== null) {
    const results = await database.read((sql) =>
      readSuiteSelection(sql, { instance, filter: { name, branch }, sinceMs }, selection),
    );
    return results.map(({ scenario, newest, history }) => toStatusScenario(scenario, newest, history));
  }
  const newest = await readNewestRuns(
    database,
    selection.flatMap(({ newestRunId }) => newestRunId ?? []),
  );
  const findNewest = ({ newestRunId }: SelectedScenario) =>
    newestRunId === undefined ? undefined : newest.get(newestRunId);
  const needsLook = (scenario: SelectedScenario): number => (findNewest(scenario)?.outcome === 'passed' ? 1 : 0);
  const listed = [...selection].sort((a, b) => needsLook(a) - needsLook(b)).slice(0, maxListedScenarios);
  const histories = await readHistories(database, instance, listed, sinceMs);
  return selection.map((scenario) => toStatusScenario(scenario, findNewest(scenario), histories.get(scenario.id)));
}
