/** Pages of runs, newest first: by the columns of a run, or by a search that examines a bounded number of them. */
import type { RunPage, RunSearchParameters } from '../../contract/run-search-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import { formatRunId, parseRunId, parseSuiteId } from '../../run/run-id.ts';
import { listScenarioNames, resolveScenarioId } from '../../store/control/instances/catalogue.ts';
import { type RunSearch, searchRuns } from '../../store/control/runs/run-search.ts';
import { listRuns } from '../../store/control/runs/runs.ts';
import type { Sql } from '../../store/sql.ts';
import type { PageQuery, RunListFilter } from '../control.ts';
import { requireInstance } from '../instances/instances.ts';
import { parsePageCursor, toPage, toRun } from '../wire.ts';

/** The scenario under its present id and its former ones. */
function listFilteredScenarios(sql: Sql, { instance, scenario }: RunListFilter): string[] {
  if (scenario === undefined) return [];
  if (instance === undefined) return [scenario];
  return listScenarioNames(sql, instance, resolveScenarioId(sql, instance, scenario));
}

function toSearchTerms(search: RunSearchParameters) {
  const { text: texts = [], tag: tags = [], path, owner, branch, commit, schedule } = search;
  const { target_version: targetVersion, failure: failureGroup } = search;
  return { texts, tags, path, owner, branch, commit, schedule, targetVersion, failureGroup };
}

function isSearch(search: RunSearchParameters | undefined): search is RunSearchParameters {
  return search !== undefined && Object.values(search).some((value) => value !== undefined && value.length > 0);
}

function searchRunPage(sql: Sql, search: RunSearch, limit: number): RunPage {
  const { rows, stoppedId } = searchRuns(sql, { ...search, limit: limit + 1 });
  const page = toPage(rows, limit, toRun, (row) => formatRunId(row.id));
  if (stoppedId === undefined) return page;
  return { ...page, next_cursor: formatRunId(stoppedId), looked_until: formatTimestamp(stoppedId) };
}

/** Throws INSTANCE_UNKNOWN, CURSOR_INVALID. */
export function listRunPage(sql: Sql, filter: RunListFilter, page: PageQuery): RunPage {
  if (filter.instance !== undefined) requireInstance(sql, filter.instance);
  const beforeId = parsePageCursor(page, parseRunId);
  const suite = filter.suite === undefined ? undefined : (parseSuiteId(filter.suite) ?? -1);
  const scenarios = listFilteredScenarios(sql, filter);
  const { limit } = page;
  const query = { ...filter, suite, beforeId };
  if (isSearch(filter.search))
    return searchRunPage(sql, { ...query, scenarios, ...toSearchTerms(filter.search), limit }, limit);
  const rows = listRuns(sql, {
    ...query,
    scenarios: scenarios.length === 0 ? [undefined] : scenarios,
    limit: limit + 1,
  });
  return toPage(rows, limit, toRun, (row) => formatRunId(row.id));
}
