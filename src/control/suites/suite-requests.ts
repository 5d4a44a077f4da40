/** Suites as requests for runs create them, in the transaction of the request. */
import type { CreateRunsRequest } from '../../contract/api.ts';
import { maxSuiteRuns, type NewSuite } from '../../contract/suites-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { parseSuiteId } from '../../run/run-id.ts';
import type { ControlStore } from '../../store/control/control-store.ts';
import type { NewQueuedRun } from '../../store/control/runs/run-requests.ts';
import { findSuite, insertSuite, listCurrentSuiteRuns, type SuiteRow } from '../../store/control/suites/suites.ts';
import type { Sql } from '../../store/sql.ts';

type SuiteContext = Pick<SuiteRow, 'instance_id' | 'requested_by' | 'requested_at_ms' | 'target_version'>;
type SuiteOptions = Partial<Pick<SuiteRow, 'key' | 'plan' | 'rerun_of' | 'schedule_id'>>;

/** Returns its row. */
export function startSuite(
  { counters }: Pick<ControlStore, 'counters'>,
  sql: Sql,
  context: SuiteContext,
  { name, source = {}, expected_runs: expectedRuns = 1 }: NewSuite,
  options: SuiteOptions = {},
): SuiteRow {
  const row: SuiteRow = {
    id: counters.getNextRunTimeMs(context.requested_at_ms),
    name: name ?? null,
    ...{ key: null, plan: null, rerun_of: null, schedule_id: null, ...options },
    expected_runs: expectedRuns,
    ...context,
    branch: source.branch ?? null,
    commit_id: source.commit ?? null,
    author: source.author ?? null,
    ci_job: source.job ?? null,
    ci_url: source.url ?? null,
  };
  insertSuite(sql, row);
  return row;
}

/** Throws SUITE_UNKNOWN. */
export function requireSuite(sql: Sql, instance: string, suite: string): SuiteRow {
  const row = findSuite(sql, instance, parseSuiteId(suite) ?? -1);
  if (row) return row;
  throw vpError('SUITE_UNKNOWN', { instance, suite });
}

function assertSuiteSize(runs: number): void {
  if (runs > maxSuiteRuns) throw vpError('SUITE_TOO_LARGE', { runs, max: maxSuiteRuns });
}

/** The suite of a request and its runs, of which some replace earlier ones. */
export function chooseSuite<R extends NewQueuedRun>(
  store: Pick<ControlStore, 'counters'>,
  sql: Sql,
  context: SuiteContext,
  input: CreateRunsRequest,
  runs: readonly R[],
): { readonly suite: number | undefined; readonly runs: readonly R[] } {
  if (input.suite_id !== undefined)
    return joinSuite(sql, context.instance_id, input.suite_id, input.retry === true, runs);
  const isSuite = input.suite ?? new Set(runs.map(({ scenario }) => scenario)).size > 1;
  if (isSuite === false) return { suite: undefined, runs };
  const options = input.suite === undefined || input.suite === false ? {} : input.suite;
  const expected = Math.max(runs.length, options.expected_runs ?? 0);
  return { suite: startSuite(store, sql, context, { ...options, expected_runs: expected }).id, runs };
}

/** In a suite with shards, a job that is repeated replaces what it had requested before. */
function joinSuite<R extends NewQueuedRun>(
  sql: Sql,
  instance: string,
  suiteId: string,
  isRetry: boolean,
  runs: readonly R[],
) {
  const suite = requireSuite(sql, instance, suiteId);
  const current = listCurrentSuiteRuns(sql, suite.id);
  if (!isRetry && suite.key === null) {
    assertSuiteSize(current.length + runs.length);
    return { suite: suite.id, runs };
  }
  const earlier = new Map(current.map(({ id, scenario_id: scenario }) => [scenario, id]));
  const joined = runs.map((run) => {
    const retryOf = earlier.get(run.scenario);
    // Only the first run of a scenario replaces it: a run is replaced once.
    earlier.delete(run.scenario);
    return { ...run, retryOf };
  });
  assertSuiteSize(current.length + joined.filter(({ retryOf }) => retryOf === undefined).length);
  return { suite: suite.id, runs: joined };
}
