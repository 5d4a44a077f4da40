/** The filter of the list of runs, stored in the query of the address. Counts, pass rate and charts obey it too. */
import { toRunsFilter } from '../../client/run-page-filter.ts';
import type { RunsFilter } from '../../client/runs.ts';
import type { Run } from '../../contract/api.ts';
import { type ResultFilter, resultFilters, type TimeSpan, timeSpans } from '../../contract/view-limits.ts';
import { isFinalState, judgedFailureKinds } from '../../run/state.ts';

/** A run must satisfy all conditions; undefined ones accept every run, except that only finished runs have no `result`. */
export type RunsPageFilter = {
  readonly instance: string;
  readonly result?: ResultFilter | undefined;
  readonly scenario?: string | undefined;
  readonly span?: TimeSpan | undefined;
  /** As typed (find-query.ts). */
  readonly find?: string | undefined;
};

/** Reads the filter from an address. Unknown values are ignored. */
export function parseRunFilter(instance: string, search: URLSearchParams): RunsPageFilter {
  const span = search.get('since');
  const find = search.get('find')?.trim();
  return {
    instance,
    result: resultFilters.find((name) => name === search.get('result')),
    scenario: search.get('scenario') ?? undefined,
    span: timeSpans.find((name) => name === span),
    ...(find ? { find } : {}),
  };
}

/** Returns true if the filter excludes any runs. */
export function isFiltered({ result, scenario, span, find }: RunsPageFilter): boolean {
  return [result, scenario, span, find].some((condition) => condition !== undefined);
}

export function toListParams({ span, ...filter }: RunsPageFilter, nowMs: number): RunsFilter {
  return toRunsFilter({ ...filter, since: span }, nowMs);
}

/** Returns true if a changed run belongs in the list, as far as `find` is not concerned: a run has neither tags nor texts. */
export function matchesFilter(run: Run, { instance, result, scenario }: RunsPageFilter): boolean {
  if (run.instance !== instance || (scenario !== undefined && run.scenario_id !== scenario)) return false;
  if (result === undefined) return isFinalState(run.state);
  if (result === 'running') return run.state === 'in_progress';
  if (result === 'queued') return run.state === 'queued';
  const isJudged = run.failure_kind === null || judgedFailureKinds.has(run.failure_kind);
  return run.state === 'failed' && isJudged === (result === 'failed');
}
