/** A status page of suites with a name, or of a branch: runs that were requested otherwise do not count. */
import type { StatusRun } from '../../insight/status-summary.ts';
import {
  listSelectedSuites,
  listStatusRunsOfSuites,
  type SelectedSuiteRow,
  type SuiteFilter,
  type SuiteStatusRunRow,
} from '../../store/control/status-pages/status-runs.ts';
import type { Sql } from '../../store/sql.ts';
import { type RunHistory, type SelectedScenario, toStatusRun } from './selected-scenario.ts';

/** Of all suites together; the newest suite is read whole. */
const rowBudget = 6_000;
const maxSuites = 200;

type SuiteResult = {
  readonly scenario: SelectedScenario;
  readonly newest: StatusRun | undefined;
  readonly history: RunHistory;
};

/** The newest ones whose runs fit into the budget. */
function selectSuites(suites: readonly SelectedSuiteRow[]): SelectedSuiteRow[] {
  let rows = 0;
  return suites.filter(({ expected_runs: runs }, index) => {
    rows += runs;
    return index === 0 || rows <= rowBudget;
  });
}

/**
 * The newest suite whose runs have all ended decides which scenarios there are; one that runs some of them again does not.
 * Without such a suite these are all that ever ran: a suite in progress must not hide what it has not come to yet.
 */
function findDecidingRows(
  suites: readonly SelectedSuiteRow[],
  rows: readonly SuiteStatusRunRow[],
): readonly SuiteStatusRunRow[] {
  const bySuite = Map.groupBy(rows, ({ suite_id: id }) => id);
  for (const { id, expected_runs: expected, rerun_of: rerunOf } of suites) {
    const ofSuite = bySuite.get(id) ?? [];
    const scenarioCount = new Set(ofSuite.map((row) => row.scenario_id)).size;
    if (rerunOf === null && ofSuite.length > 0 && scenarioCount >= expected) return ofSuite;
  }
  return rows;
}

type SuitesOfPage = { readonly instance: string; readonly filter: SuiteFilter; readonly sinceMs: number };

/** The scenarios of `selection` that the suite has. */
export function readSuiteSelection(
  sql: Sql,
  { instance, filter, sinceMs }: SuitesOfPage,
  selection: readonly SelectedScenario[],
): SuiteResult[] {
  const suites = selectSuites(listSelectedSuites(sql, instance, filter, maxSuites));
  const suiteIds = suites.map(({ id }) => id);
  const rows = listStatusRunsOfSuites(sql, suiteIds, rowBudget);
  const inSuite = new Set(findDecidingRows(suites, rows).map((row) => row.scenario_id));
  const byScenario = Map.groupBy(rows, (row) => row.scenario_id);
  return selection
    .filter(({ ids }) => ids.some((id) => inSuite.has(id)))
    .map((scenario) => {
      const newestFirst = scenario.ids.flatMap((id) => byScenario.get(id) ?? []).sort((a, b) => b.id - a.id);
      const runs = newestFirst.map(toStatusRun);
      const history = { runs: runs.filter(({ atMs }) => atMs >= sinceMs), isCut: false };
      return { scenario, newest: runs[0], history };
    });
}
